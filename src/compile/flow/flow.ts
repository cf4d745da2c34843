/**
 * From typed bodies to blocks of commands: lowering, control flow, what inference still has to find out, checks, and the optimiser.
 *
 * The optimiser repeats its passes until none of them changes anything. Their order is the reference's, since it decides
 * the bytes (`move-compiler/src/cfgir/optimize/mod.rs`).
 * @module
 */
import type { TypedConstant, TypedFunction, TypedModule, TypedScript } from '../check/typed-tree.ts';
import { lowerConstant, lowerFunction } from '../lower/lower.ts';
import type {
  BlockLabel,
  Expression,
  LoweredBody,
  LoweredCommand,
  LoweredConstant,
  Variable,
} from '../lower/lowered-tree.ts';
import type { Value } from '../lower/value.ts';
import type { ConstantDeclaration, FunctionDeclaration, ModuleDeclaration } from '../names/declaration.ts';
import { Diagnostics } from '../text/diagnostic.ts';
import { UNFOLDABLE, Unused } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { buildBlocks } from './block-builder.ts';
import { checkBorrows } from './borrows.ts';
import { foldConstants } from './constant-folding.ts';
import { endlessLoops, FlowGraph } from './flow-graph.ts';
import { checkInitialised } from './initialised.ts';
import { joinBlocks, removeKnownBranches } from './jumps.ts';
import { dropDeadReferences, inferLastUses } from './liveness.ts';
import { removeSingleUses } from './single-use.ts';

export interface FlowModule {
  readonly declaration: ModuleDeclaration;
  /** Sorted by name. */
  readonly functions: readonly FlowFunction[];
  /** Sorted by name. */
  readonly constants: readonly FlowConstant[];
}

export interface FlowScript {
  readonly span: Span;
  readonly function: FlowFunction;
  /** Sorted by name. */
  readonly constants: readonly FlowConstant[];
}

export interface FlowFunction {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly Variable[];
  /** `undefined` for a native function. */
  readonly body: FlowBody | undefined;
}

export interface FlowBody {
  /** Sorted by name, without parameters. */
  readonly locals: readonly Variable[];
  /** In the order of code. */
  readonly blocks: readonly FlowBlock[];
}

export interface FlowBlock {
  readonly label: BlockLabel;
  readonly isLoopStart: boolean;
  readonly commands: readonly LoweredCommand[];
}

export interface FlowConstant {
  readonly declaration: ConstantDeclaration;
  readonly value: Value;
}

/**
 * Lowers, checks and optimises the bodies of a module. They are not optimised once there is an error, as nothing is
 * emitted then.
 */
export function arrangeModule(module: TypedModule, diagnostics: Diagnostics): FlowModule {
  const { declaration, functions, constants } = module;
  return {
    declaration,
    constants: constantValues(constants, diagnostics),
    functions: sortedByName(functions)
      .filter((typed) => !typed.declaration.isInline)
      .map((typed) => functionFlow(typed, diagnostics)),
  };
}

/** As `arrangeModule`. */
export function arrangeScript(script: TypedScript, diagnostics: Diagnostics): FlowScript {
  return {
    span: script.span,
    constants: constantValues(script.constants, diagnostics),
    function: functionFlow(script.function, diagnostics),
  };
}

function sortedByName<T extends { readonly declaration: { readonly name: { readonly text: string } } }>(
  items: readonly T[],
): T[] {
  return items.toSorted((left, right) => (left.declaration.name.text < right.declaration.name.text ? -1 : 1));
}

/** The value of a constant that is only used; undefined if it cannot be computed. */
export function valueOfConstant(typed: TypedConstant): Value | undefined {
  const diagnostics = new Diagnostics();
  return constantValue(lowerConstant(typed, diagnostics), diagnostics);
}

function constantValues(constants: readonly TypedConstant[], diagnostics: Diagnostics): FlowConstant[] {
  return sortedByName(constants).flatMap((typed) => {
    const value = constantValue(lowerConstant(typed, diagnostics), diagnostics);
    return value === undefined ? [] : [{ declaration: typed.declaration, value }];
  });
}

function functionFlow(typed: TypedFunction, diagnostics: Diagnostics): FlowFunction {
  const { declaration, parameters, body } = lowerFunction(typed, diagnostics);
  if (body === undefined) return { declaration, parameters, body };
  const { blocks, loops } = buildBlocks(body.statements);
  const graph = new FlowGraph(blocks);
  for (const dead of graph.dead) reportDeadCode(dead, diagnostics);
  check(graph, body.variables, declaration, endlessLoops(graph, loops), diagnostics);
  if (!diagnostics.has('error')) optimise(graph, body.variables);
  const starts = new Set(loops.map(({ start }) => start));
  return {
    declaration,
    parameters,
    body: {
      locals: body.variables.filter(({ isParameter }) => !isParameter),
      blocks: graph.labels().map((label) => ({ label, isLoopStart: starts.has(label), commands: graph.block(label) })),
    },
  };
}

function check(
  graph: FlowGraph,
  variables: readonly Variable[],
  declaration: FunctionDeclaration | undefined,
  endless: ReadonlySet<BlockLabel>,
  diagnostics: Diagnostics,
): void {
  inferLastUses(graph, endless, diagnostics);
  const available = checkInitialised(graph, variables, diagnostics);
  dropDeadReferences(graph, variables, endless, available);
  checkBorrows(graph, variables, declaration, diagnostics);
}

function optimise(graph: FlowGraph, variables: readonly Variable[]): void {
  const passes = [
    (): boolean => removeSingleUses(graph, variables),
    (): boolean => foldConstants(graph),
    (): boolean => removeKnownBranches(graph),
    (): boolean => joinBlocks(graph),
  ];
  let unchanged = 0;
  for (let at = 0; unchanged < passes.length; at = (at + 1) % passes.length) {
    unchanged = passes[at]!() ? 0 : unchanged + 1;
  }
}

/** The value of a constant; `undefined` with an error if it cannot be computed. */
function constantValue({ declaration, body }: LoweredConstant, diagnostics: Diagnostics): Value | undefined {
  const { blocks } = buildBlocks(body.statements);
  const graph = new FlowGraph(blocks);
  check(graph, body.variables, undefined, new Set(), diagnostics);
  optimise(graph, body.variables);
  const [only, ...others] = graph.labels().map((label) => graph.block(label));
  if (only === undefined || others.length > 0) {
    reportUnfoldable(bodySpan(body, declaration), diagnostics);
    return undefined;
  }
  const last = only.at(-1)!;
  for (const command of only.slice(0, -1)) {
    if (command.kind !== 'drop') reportUnfoldable(command.span, diagnostics);
    else if (command.operands[0]?.kind !== 'value') reportUnfoldable(command.operands[0]!.span, diagnostics);
  }
  const [result] = last.operands;
  if (last.kind === 'return' && result?.kind === 'value') return result.value;
  reportUnfoldable(result?.span ?? last.span, diagnostics);
  return undefined;
}

function bodySpan({ statements }: LoweredBody, { name }: ConstantDeclaration): Span {
  return statements.at(-1)?.span ?? name.span;
}

function reportUnfoldable(span: Span, diagnostics: Diagnostics): void {
  diagnostics.add(UNFOLDABLE, span, 'the value of a constant is computed by the compiler, which cannot compute this');
}

function reportDeadCode(block: readonly LoweredCommand[], diagnostics: Diagnostics): void {
  const [first] = block;
  if (first === undefined) return;
  const span = unreachableIn(first.operands);
  if (span !== undefined) {
    diagnostics.add(Unused.deadCode, span, 'this never has a value, so that what uses it never runs; remove that');
  } else if (!isImplicit(block)) {
    diagnostics.add(Unused.deadCode, first.span, 'neither this nor what follows it ever runs; remove it');
  }
}

/** Where an operand stands that never has a value. */
function unreachableIn(operands: readonly Expression[]): Span | undefined {
  for (const operand of operands) {
    const span = operand.kind === 'unreachable' ? operand.span : unreachableIn(operand.operands);
    if (span !== undefined) return span;
  }
  return undefined;
}

/** Whether a block is only what the compiler adds at the end of a block or function. */
function isImplicit([first, ...others]: readonly LoweredCommand[]): boolean {
  if (first === undefined || others.length > 0) return false;
  if (first.kind === 'jump') return !first.isWritten;
  const [value] = first.operands;
  return first.kind === 'return' && !first.isWritten && value?.kind === 'unit' && value.origin === 'implicit';
}
