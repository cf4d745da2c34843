/**
 * Emission: from blocks of commands to modules and scripts in the binary form, which our verifier then checks.
 *
 * What a module declares is entered into the tables in the reference's order (`compile_module` of
 * `move-ir-to-bytecode/src/compiler.rs`): friends, itself, imports, structs, constants, functions, and last the bodies.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import {
  type FunctionDefinition,
  type Module,
  type Script,
  type StructDefinition,
  Visibility,
} from '../../vm/binary/module.ts';
import { BOOL } from '../../vm/binary/signature-token.ts';
import { writeModule, writeScript } from '../../vm/binary/write.ts';
import { StatusCode } from '../../vm/status.ts';
import type { VerifyResult } from '../../vm/verdict.ts';
import { encodeMetadata } from '../../vm/verify/module-metadata.ts';
import { verifyModule, verifyScript } from '../../vm/verify/verify.ts';
import type { FlowConstant, FlowFunction, FlowModule, FlowScript } from '../flow/flow.ts';
import type { Variable } from '../lower/lowered-tree.ts';
import { encodeConstant } from '../lower/value.ts';
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  StructDeclaration,
} from '../names/declaration.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Defects } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { assembleCode, type Definitions } from './code-assembler.ts';
import { Imports } from './imports.ts';
import { metadataOf } from './metadata.ts';
import { Pools } from './pools.ts';
import { type SymbolicBlock, symbolicBlock } from './symbolic-code.ts';
import { type SymbolicBody, tidy } from './tidy.ts';

export interface EmittedModule {
  readonly declaration: ModuleDeclaration;
  readonly module: Module;
  readonly bytes: Uint8Array;
  /** By function definition. */
  readonly functions: readonly FunctionPlaces[];
  /** Sorted by name; those that no code uses too. */
  readonly constants: readonly FlowConstant[];
}

export interface EmittedScript {
  readonly script: Script;
  readonly bytes: Uint8Array;
  readonly function: FunctionPlaces;
}

/** Where a function's code comes from. */
export interface FunctionPlaces {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly Variable[];
  /** Beyond the parameters, by position. */
  readonly locals: readonly Variable[];
  /** By code offset. */
  readonly code: readonly Span[];
}

/** The format version of what is emitted. */
const VERSION = 6;

const VISIBILITY = { public: Visibility.Public, friend: Visibility.Friend, private: Visibility.Private } as const;

/** A function whose code is not written with indexes yet. */
interface SymbolicFunction {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly Variable[];
  readonly body: SymbolicBody | undefined;
}

/** Emits a module; `undefined` with a defect if it cannot be written or our verifier refuses it. */
export function emitModule(flow: FlowModule, diagnostics: Diagnostics): EmittedModule | undefined {
  const { declaration } = flow;
  const structs = [...declaration.structs.values()].sort(byName);
  const imports = new Imports(declaration);
  for (const { fields } of structs) for (const { type } of fields?.values() ?? []) imports.type(type);
  const functions = flow.functions.map((item) => symbolicFunction(item, imports));

  const pools = new Pools();
  const byKey = [...declaration.friends].sort(([left], [right]) => (left < right ? -1 : 1));
  const friends = byKey.map(([, { identity }]) => pools.unlistedModule(identity));
  const selfHandle = pools.module(declaration.identity);
  for (const identity of imports.sorted()) pools.module(identity);
  for (const struct of structs) pools.struct(struct);
  const constants = constantIndexes(flow.constants, pools);
  for (const item of functions) pools.function(item.declaration);
  const structDefinitions = structs.map((struct) => structDefinition(struct, pools));
  const positions = new Map(structs.map((struct, index) => [struct, index]));
  const definitions: Definitions = { pools, structs: positions, constants };
  const assembled = functions.map((item) => functionDefinition(item, definitions));

  const metadata = encodeMetadata(metadataOf(declaration, diagnostics));
  const module: Module = {
    kind: 'module',
    version: VERSION,
    ...pools.tables(),
    ...pools.moduleTables(),
    metadata: metadata === undefined ? [] : [metadata],
    selfHandle,
    structDefinitions,
    functionDefinitions: assembled.map(({ definition }) => definition),
    friends,
  };
  const places = assembled.map((item) => item.places);
  const span = (index: number | undefined): Span => places[index ?? -1]?.declaration.name.span ?? declaration.span;
  const bytes = checked(
    () => writeModule(module),
    () => verifyModule(module),
    span,
    diagnostics,
  );
  return bytes === undefined ? undefined : { declaration, module, bytes, functions: places, constants: flow.constants };
}

/** Emits a script; `undefined` with a defect if it cannot be written or our verifier refuses it. */
export function emitScript(flow: FlowScript, diagnostics: Diagnostics): EmittedScript | undefined {
  const imports = new Imports(undefined);
  const symbolic = symbolicFunction(flow.function, imports);
  const pools = new Pools();
  for (const identity of imports.sorted()) pools.module(identity);
  const constants = constantIndexes(flow.constants, pools);
  const { typeParameters, parameters } = symbolic.declaration;
  const parameterSignature = pools.signatureOf(parameters.map(({ type }) => type));
  const { code, places } = assembledFunction(symbolic, { pools, structs: new Map(), constants });
  if (code === undefined) return undefined;
  const script: Script = {
    kind: 'script',
    version: VERSION,
    ...pools.tables(),
    metadata: [],
    typeParameters: typeParameters.map(({ constraints }) => constraints),
    parameters: parameterSignature,
    code,
  };
  const bytes = checked(
    () => writeScript(script),
    () => verifyScript(script),
    () => flow.span,
    diagnostics,
  );
  return bytes === undefined ? undefined : { script, bytes, function: places };
}

function byName(left: StructDeclaration, right: StructDeclaration): number {
  return left.name.text < right.name.text ? -1 : 1;
}

function constantIndexes(constants: readonly FlowConstant[], pools: Pools): Map<ConstantDeclaration, number> {
  return new Map(
    constants.map(({ declaration, value }) => [declaration, pools.constant(declaration.type, encodeConstant(value))]),
  );
}

function symbolicFunction({ declaration, parameters, body }: FlowFunction, imports: Imports): SymbolicFunction {
  imports.signature(declaration);
  if (body === undefined) return { declaration, parameters, body };
  // What code that never runs would have is of no type.
  const locals = body.locals.filter(({ type }) => type.kind !== 'any');
  for (const { type } of locals) imports.type(type);
  const blocks: SymbolicBlock[] = body.blocks.map(symbolicBlock);
  for (const { instructions } of blocks) for (const item of instructions) imports.instruction(item);
  const symbolic = { locals, blocks };
  tidy(symbolic);
  return { declaration, parameters, body: symbolic };
}

function structDefinition(struct: StructDeclaration, pools: Pools): StructDefinition {
  const handle = pools.struct(struct);
  if (struct.fields === undefined) return { handle, fields: undefined };
  // A struct without fields has one in bytecode, which has none without.
  if (struct.fields.size === 0) return { handle, fields: [{ name: pools.identifier('dummy_field'), type: BOOL }] };
  const fields = [...struct.fields.values()].map(({ name, type }) => {
    const index = pools.identifier(name.text);
    return { name: index, type: pools.token(type) };
  });
  return { handle, fields };
}

function functionDefinition(
  symbolic: SymbolicFunction,
  definitions: Definitions,
): { definition: FunctionDefinition; places: FunctionPlaces } {
  const { declaration } = symbolic;
  const handle = definitions.pools.function(declaration);
  const acquires = [...declaration.acquires.keys()].sort(byName).map((struct) => definitions.structs.get(struct)!);
  const { code, places } = assembledFunction(symbolic, definitions);
  const visibility = VISIBILITY[declaration.visibility.kind];
  return { definition: { handle, visibility, isEntry: declaration.entry !== undefined, acquires, code }, places };
}

function assembledFunction(
  { declaration, parameters, body }: SymbolicFunction,
  definitions: Definitions,
): { code: FunctionDefinition['code']; places: FunctionPlaces } {
  if (body === undefined) return { code: undefined, places: { declaration, parameters, locals: [], code: [] } };
  const { code, spans } = assembleCode(body, parameters, definitions);
  return { code, places: { declaration, parameters, locals: body.locals, code: spans } };
}

/** The bytes, if the format has room for them and the verifier accepts them. */
function checked(
  write: () => Uint8Array,
  verify: () => VerifyResult,
  spanOf: (functionIndex: number | undefined) => Span,
  diagnostics: Diagnostics,
): Uint8Array | undefined {
  let bytes: Uint8Array;
  try {
    bytes = write();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    diagnostics.add(Defects.emission, spanOf(undefined), `this does not fit into bytecode: ${error.message}`);
    return undefined;
  }
  const verdict = verify();
  if (verdict.ok) return bytes;
  const { message, location, statusCode } = verdict;
  const functionIndex =
    location.functionIndex ?? (location.table === 'functionDefinition' ? location.index : undefined);
  const text =
    statusCode === StatusCode.EXTRANEOUS_ACQUIRES_ANNOTATION
      ? 'the code for which the function acquires a resource never runs; remove both'
      : `the verifier refuses what the compiler wrote, which is a defect of the compiler: ${message}`;
  diagnostics.add(Defects.verification, spanOf(functionIndex), text);
  return undefined;
}
