/**
 * Inlining: calls of inline functions are replaced by their bodies, and calls of their function parameters by the
 * lambdas that were given. What is inlined has locals of its own, so that names never clash.
 *
 * Source: the reference's `move-compiler/src/inlining/translate.rs`; names are numbered as there.
 * @module
 */
import { ABILITY_COPY, ABILITY_KEY } from '../../move/ability.ts';
import type { FunctionDeclaration, Local, ModuleDeclaration, StructDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import { abilitiesOf } from '../names/type-abilities.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Declarations, Inlining, Types } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { type Substitution, substitute, substitution } from './substitution.ts';
import { TypedRewriter, visitExpressions } from './typed-rewriter.ts';
import type {
  TypedArguments,
  TypedBlock,
  TypedExpression,
  TypedFunction,
  TypedItem,
  TypedModule,
  TypedPattern,
  TypedPatternList,
  TypedProgram,
} from './typed-tree.ts';

/** Expressions in each other, after inlining; sources alone nest less. */
const DEPTH_MAX = 400;
/** Expressions that inlining visits in one program; each is visited once for each inline function around it. */
const SIZE_MAX = 200_000;

type Call = TypedExpression & { readonly kind: 'call' };
type Use = TypedExpression & { readonly kind: 'use' | 'move' | 'copy' };

/** The number of the next local that is inlined; tables of compiled modules follow these numbers. */
export interface LocalNumbers {
  next: number;
  /** By key of a module in which locals were inlined: the number of the first. */
  readonly first?: Map<string, number>;
}

/**
 * Replaces all calls of inline functions in the modules that are compiled, and removes inline functions. Functions are
 * expanded in the order of the keys of modules and of names, which numbers follow.
 */
export function inlineCalls(
  program: TypedProgram,
  diagnostics: Diagnostics,
  numbers: LocalNumbers = { next: 0 },
): TypedProgram {
  const inliner = new Inliner(inlineBodies(program, diagnostics), diagnostics, numbers);
  const expanded = new Map<TypedFunction, TypedFunction>();
  for (const { declaration, functions } of program.modules.toSorted(byKey)) {
    if (!declaration.isTarget) continue;
    const first = numbers.next;
    for (const each of functions.toSorted(byName)) {
      if (!each.declaration.isInline) expanded.set(each, inliner.expand(each, declaration));
    }
    if (numbers.next > first) numbers.first?.set(declaration.identity.key, first);
  }
  const scripts = program.scripts.map((script) => {
    return { ...script, function: inliner.expand(script.function, undefined) };
  });
  const modules = program.modules.map((module): TypedModule => {
    const functions = module.functions.filter(({ declaration }) => !declaration.isInline);
    return { ...module, functions: functions.map((each) => expanded.get(each) ?? each) };
  });
  for (const { declaration, functions } of modules) {
    if (declaration.isTarget) for (const each of functions) checkInlined(each, declaration, diagnostics);
  }
  for (const script of scripts) checkInlined(script.function, undefined, diagnostics);
  return { ...program, modules, scripts };
}

function inlineBodies({ modules }: TypedProgram, diagnostics: Diagnostics): Map<FunctionDeclaration, TypedBlock> {
  const found = new Map<FunctionDeclaration, TypedBlock>();
  for (const { declaration, body } of modules.flatMap(({ functions }) => functions)) {
    if (!declaration.isInline) continue;
    if (body !== undefined) found.set(declaration, body);
    else if (declaration.isNative) {
      const message = `'${declaration.name.text}' is inline, so that it cannot be native`;
      diagnostics.add(Inlining.unsupported, declaration.name.span, message);
    }
  }
  return found;
}

/** What a function acquires and calls is known once all is inlined. */
function checkInlined(
  { declaration, body }: TypedFunction,
  module: ModuleDeclaration | undefined,
  diagnostics: Diagnostics,
): void {
  const seen = new Map<string, Span>();
  if (body !== undefined) {
    visitExpressions(body, (expression) => {
      for (const name of acquiredBy(expression)) seen.set(name, expression.span);
      if (expression.kind === 'call') checkVisibility(expression, module, diagnostics);
    });
  }
  const listed = new Map([...declaration.acquires].map(([{ name }, span]) => [name.text, span]));
  for (const [name, span] of listed) {
    const message = `'${declaration.name.text}' acquires no '${name}', neither itself nor by what it calls`;
    if (!seen.has(name)) diagnostics.add(Declarations.unnecessary, span, message);
  }
  for (const [name, span] of seen) {
    const message = `this acquires '${name}', so that '${declaration.name.text}' must list it in its 'acquires'`;
    const secondary = [{ span: declaration.name.span, message: 'the function' }];
    if (!listed.has(name)) diagnostics.add(Types.missingAcquires, span, message, secondary);
  }
}

function acquiredBy(expression: TypedExpression): string[] {
  if (expression.kind === 'call') {
    const acquired = expression.isOwn ? [...expression.function.acquires.keys()] : [];
    return acquired.map(({ name }) => name.text);
  }
  if (expression.kind !== 'builtin') return [];
  const isAcquired = ['move_from', 'borrow_global', 'borrow_global_mut'].includes(expression.function);
  const { typeArgument } = expression;
  return isAcquired && typeArgument?.kind === 'struct' ? [typeArgument.struct.name.text] : [];
}

function checkVisibility(
  { function: called, span }: Call,
  module: ModuleDeclaration | undefined,
  diagnostics: Diagnostics,
): void {
  if (called.module === module || called.visibility.kind !== 'private') return;
  const message = `once this is inlined, it calls '${called.name.text}', which is private to its module`;
  const secondary = [{ span: called.name.span, message: 'the private function' }];
  diagnostics.add(Inlining.afterwards, span, message, secondary);
}

function byKey({ declaration: left }: TypedModule, { declaration: right }: TypedModule): number {
  return left.identity.key < right.identity.key ? -1 : 1;
}

function byName({ declaration: left }: TypedFunction, { declaration: right }: TypedFunction): number {
  return left.name.text < right.name.text ? -1 : 1;
}

/** Expands calls; it numbers the names of one program. */
class Inliner {
  readonly #bodies: ReadonlyMap<FunctionDeclaration, TypedBlock>;
  readonly diagnostics: Diagnostics;
  /** Whose code is expanded; `undefined` for a script. */
  module: ModuleDeclaration | undefined;
  readonly #numbers: LocalNumbers;
  #depth = 0;
  /** How many expressions were visited in the bodies of inline functions. */
  #size = 0;
  /** The inline functions that are being expanded, the innermost first. */
  readonly #stack: FunctionDeclaration[] = [];

  constructor(bodies: ReadonlyMap<FunctionDeclaration, TypedBlock>, diagnostics: Diagnostics, numbers: LocalNumbers) {
    this.#numbers = numbers;
    this.#bodies = bodies;
    this.diagnostics = diagnostics;
  }

  expand(found: TypedFunction, module: ModuleDeclaration | undefined): TypedFunction {
    const { body } = found;
    let hasInlineCalls = false;
    if (body !== undefined) {
      visitExpressions(body, (each) => {
        hasInlineCalls ||= each.kind === 'call' && each.function.isInline;
      });
    }
    if (body === undefined || !hasInlineCalls) return found;
    this.module = module;
    return { ...found, body: new CallExpander(this).block(body) };
  }

  renamed(local: Local, span: Span = local.span): Local {
    return { name: `${local.name}#${this.#numbers.next++}`, span };
  }

  /**
   * Runs a step of the walk, unless what inlining makes has become too large or nests too deep: then there is an error
   * in its place.
   */
  within(expression: TypedExpression, step: () => TypedExpression): TypedExpression {
    const isTooDeep = this.#depth >= DEPTH_MAX;
    if (isTooDeep || (this.#stack.length > 0 && this.#size >= SIZE_MAX)) {
      const fault = isTooDeep ? `nested deeper than ${DEPTH_MAX} times` : `larger than ${SIZE_MAX} expressions`;
      const message = `once calls are inlined, this is ${fault}; take it apart, or make functions that are not inline`;
      this.diagnostics.add(Inlining.unsupported, this.#stack.at(-1)?.name.span ?? expression.span, message);
      return { kind: 'error', span: expression.span, type: expression.type };
    }
    this.#depth++;
    if (this.#stack.length > 0) this.#size++;
    const result = step();
    this.#depth--;
    return result;
  }

  /** What replaces a call of an inline function; `undefined` for a call of another. */
  call(call: Call): TypedExpression | undefined {
    const { function: called, span, type } = call;
    const body = this.#bodies.get(called);
    if (body === undefined) return undefined;
    if (this.#stack.includes(called)) {
      const names = this.#stack.slice(0, this.#stack.indexOf(called) + 1).map(({ name }) => name.text);
      const message = `inlining never ends: ${[...names, called.name.text].join(', ')} call each other`;
      this.diagnostics.add(Inlining.recursion, span, message);
      return { kind: 'error', span, type };
    }
    const renamer = new Renamer(this);
    const parameters = called.parameters.map(({ local }) => renamer.declare(local));
    const own = renamer.block(body);
    const given = argumentsOf(new CallExpander(this).expression(call.arguments));
    const typeArguments = substitution(called.typeParameters, call.typeArguments);
    const bound = bindParameters(parameters, given, span);
    this.#stack.unshift(called);
    const expanded = new Substituter(this, typeArguments, bound).block(own);
    this.#stack.shift();
    return { kind: 'block', span, type, block: { span, items: [bound.item, ...expanded.items] } };
  }
}

/** Expands calls outside of inline functions. */
class CallExpander extends TypedRewriter {
  readonly #inliner: Inliner;

  constructor(inliner: Inliner) {
    super();
    this.#inliner = inliner;
  }

  override expression(expression: TypedExpression): TypedExpression {
    return this.#inliner.within(expression, () => {
      const replaced = expression.kind === 'call' ? this.#inliner.call(expression) : undefined;
      return replaced ?? this.parts(expression);
    });
  }
}

/** Gives code locals of its own; `spans` are the places of some of them, where it is not that of the declaration. */
class Renamer extends TypedRewriter {
  readonly #inliner: Inliner;
  readonly #spans: ReadonlyMap<Local, Span>;
  readonly #locals = new Map<Local, Local>();

  constructor(inliner: Inliner, spans: ReadonlyMap<Local, Span> = new Map()) {
    super();
    this.#inliner = inliner;
    this.#spans = spans;
  }

  override declare(local: Local): Local {
    const renamed = this.#inliner.renamed(local, this.#spans.get(local));
    this.#locals.set(local, renamed);
    return renamed;
  }

  protected override use(local: Local): Local {
    return this.#locals.get(local) ?? local;
  }

  override expression(expression: TypedExpression): TypedExpression {
    return this.#inliner.within(expression, () => this.parts(expression));
  }
}

/** Expands calls in the body of an inline function or lambda, with its type arguments and the functions it was given. */
class Substituter extends TypedRewriter {
  readonly #inliner: Inliner;
  readonly #typeArguments: Substitution;
  readonly #functions: ReadonlyMap<Local, TypedExpression>;
  readonly #mutable: ReadonlyMap<Local, ResolvedType>;
  /** What is read through, for which a mutable reference does as well as an immutable one. */
  readonly #readThrough = new Set<TypedExpression>();

  constructor(inliner: Inliner, typeArguments: Substitution, { functions, mutable }: Bound) {
    super();
    this.#inliner = inliner;
    this.#typeArguments = typeArguments;
    this.#functions = functions;
    this.#mutable = mutable;
  }

  override type(type: ResolvedType): ResolvedType {
    return substitute(type, this.#typeArguments);
  }

  override expression(expression: TypedExpression): TypedExpression {
    return this.#inliner.within(expression, () => this.#substituted(expression));
  }

  #substituted(expression: TypedExpression): TypedExpression {
    const { span } = expression;
    switch (expression.kind) {
      case 'use':
        return this.parts(this.#frozen(expression) ?? this.#moved(expression));
      case 'move':
      case 'copy':
        return this.parts(this.#frozen(expression) ?? expression);
      case 'dereference':
        this.#readThrough.add(expression.operand);
        break;
      case 'callLocal':
        return this.parts(this.#lambdaCall(expression) ?? expression);
      case 'call':
        return this.parts(this.#inliner.call(expression) ?? expression);
      case 'return':
        this.#inliner.diagnostics.add(Inlining.unsupported, span, "inline functions do not have 'return'");
        break;
      case 'builtin':
        if (expression.typeArgument !== undefined) this.#checkStorage(span, this.type(expression.typeArgument), true);
        break;
      case 'pack':
        this.#checkModule(span, expression.struct, 'builds');
        break;
      case 'borrowField':
        this.#readThrough.add(expression.operand);
        this.#checkStorage(span, this.type(expression.operand.type), false);
        break;
      case 'spec':
        return this.parts(this.#withoutFunctions(expression));
      default:
    }
    return this.parts(expression);
  }

  /** What replaces a call of a parameter: the body of the lambda that it was given. */
  #lambdaCall(call: TypedExpression & { readonly kind: 'callLocal' }): TypedExpression | undefined {
    const given = this.#functions.get(call.local);
    if (given === undefined) return undefined;
    if (given.kind !== 'lambda') {
      const message = 'what is given for a function parameter must be a lambda, written where it is given';
      this.#inliner.diagnostics.add(Inlining.unsupported, given.span, message);
      return undefined;
    }
    const values = argumentsOf(call.arguments);
    const spans = new Map(localsOf(given.parameters).map((local, index) => [local, values[index]?.span ?? local.span]));
    const lambda = new Renamer(this.#inliner, spans).expression(given);
    if (lambda.kind !== 'lambda') return lambda;
    const { span } = call.arguments;
    const bound = bindParameters(localsOf(lambda.parameters), values, span);
    const body = new Substituter(this.#inliner, new Map(), bound).expression(lambda.body);
    const items: TypedItem[] = [bound.item, { kind: 'expression', span, expression: body }];
    return { kind: 'block', span: call.span, type: call.type, block: { span: call.span, items } };
  }

  /**
   * A parameter is bound with the type of its argument, as in the reference. Where that is a mutable reference and the
   * code needs an immutable one, the reference's compiler writes code that no verifier takes.
   */
  #frozen(use: Use): TypedExpression | undefined {
    const { span, type } = use;
    const bound = this.#mutable.get(use.local);
    if (bound === undefined || type.kind !== 'reference' || type.isMutable) return undefined;
    if (this.#readThrough.has(use)) return undefined;
    return { kind: 'annotate', span, type, operand: { ...use, type: bound } };
  }

  /** What could not be copied before type arguments were known is moved, even if it could be copied now. */
  #moved(use: Use): TypedExpression {
    if ((abilitiesOf(use.type) & ABILITY_COPY) !== 0) return use;
    return (abilitiesOf(this.type(use.type)) & ABILITY_COPY) === 0 ? use : { ...use, kind: 'move' };
  }

  #checkStorage(span: Span, type: ResolvedType, needsKey: boolean): void {
    const refuse = (message: string): void => this.#inliner.diagnostics.add(Inlining.afterwards, span, message);
    switch (type.kind) {
      case 'reference':
        this.#checkStorage(span, type.target, needsKey);
        break;
      case 'struct':
        this.#checkModule(span, type.struct, 'accesses');
        if (needsKey && (type.struct.abilities & ABILITY_KEY) === 0) {
          refuse(`once this is inlined, it accesses '${type.struct.name.text}' in storage, which has no 'key'`);
        }
        break;
      case 'parameter':
      case 'any':
      case 'error':
      case 'variable':
        refuse('once this is inlined, it accesses what is no struct');
        break;
      default:
    }
  }

  #checkModule(span: Span, struct: StructDeclaration, verb: string): void {
    if (struct.module === this.#inliner.module) return;
    const message = `once this is inlined, it ${verb} '${struct.name.text}', which only its own module may do`;
    const secondary = [{ span: struct.name.span, message: 'the struct' }];
    this.#inliner.diagnostics.add(Inlining.afterwards, span, message, secondary);
  }

  /** A specification that names function parameters names what their lambdas use instead. */
  #withoutFunctions(spec: TypedExpression & { readonly kind: 'spec' }): TypedExpression {
    const locals = spec.locals.flatMap((each) => {
      const lambda = this.#functions.get(each.local);
      return lambda === undefined ? [each] : capturedBy(lambda);
    });
    return { ...spec, locals };
  }
}

/** The locals that a lambda uses and does not declare. */
function capturedBy(lambda: TypedExpression): { local: Local; type: ResolvedType }[] {
  const used = new Map<Local, ResolvedType>();
  const declared = new Set<Local>();
  const declare = (patterns: TypedPatternList): void => {
    for (const local of localsOf(patterns)) declared.add(local);
  };
  visitExpressions(lambda, (part) => {
    if (part.kind === 'use' || part.kind === 'copy' || part.kind === 'move') used.set(part.local, part.type);
    else if (part.kind === 'borrowLocal' && part.type.kind === 'reference') used.set(part.local, part.type.target);
    else if (part.kind === 'lambda') declare(part.parameters);
    else if (part.kind === 'block') {
      for (const item of part.block.items) if (item.kind !== 'expression') declare(item.patterns);
    }
  });
  return [...used].filter(([local]) => !declared.has(local)).map(([local, type]) => ({ local, type }));
}

/** The arguments of a call, one by one. */
function argumentsOf(given: TypedArguments): TypedExpression[] {
  return given.kind === 'tuple' ? [...given.items] : [given];
}

/**
 * The locals of the parameters of a lambda. As in the reference, `_` takes no argument, so that those after it get the
 * arguments of those before.
 */
function localsOf({ patterns }: TypedPatternList): Local[] {
  return patterns.flatMap(localsIn);
}

function localsIn(pattern: TypedPattern): Local[] {
  if (pattern.kind === 'local') return [pattern.local];
  return pattern.kind === 'ignore' ? [] : pattern.fields.flatMap((each) => localsIn(each.pattern));
}

interface Bound {
  /** `let (a, b) = (..)` for all but functions. */
  readonly item: TypedItem;
  /** By parameter: the functions given. */
  readonly functions: ReadonlyMap<Local, TypedExpression>;
  /** By parameter: the types of mutable references. */
  readonly mutable: ReadonlyMap<Local, ResolvedType>;
}

/** Binds parameters to arguments; functions are not bound but remembered. */
function bindParameters(parameters: readonly Local[], given: readonly TypedExpression[], span: Span): Bound {
  const functions = new Map<Local, TypedExpression>();
  const mutable = new Map<Local, ResolvedType>();
  const patterns: TypedPattern[] = [];
  const values: TypedExpression[] = [];
  for (const [index, local] of parameters.entries()) {
    const value = given[index];
    if (value === undefined) break;
    if (value.type.kind === 'function') functions.set(local, value);
    else {
      patterns.push({ kind: 'local', span, local, type: value.type });
      values.push(value);
      if (value.type.kind === 'reference' && value.type.isMutable) mutable.set(local, value.type);
    }
  }
  const types = values.map(({ type }) => type);
  const item: TypedItem = { kind: 'bind', span, patterns: { span, patterns, types }, value: tupleOf(values, span) };
  return { item, functions, mutable };
}

function tupleOf(values: readonly TypedExpression[], span: Span): TypedExpression {
  const types = values.map(({ type }) => type);
  const type: ResolvedType = { kind: 'tuple', span, items: types };
  if (values.length === 0) return { kind: 'unit', span, type, isTrailing: false };
  if (values.length === 1) return values[0]!;
  return { kind: 'tuple', span, type, items: values };
}
