/**
 * Type variables and what they stand for: the part of type inference that knows nothing of expressions.
 *
 * Two types are made to fit by binding variables. Where a subtype is asked for, a mutable reference fits an immutable
 * one; where two types are joined, the result is what both are. Integers without a suffix have variables that only
 * integer types fit, and that become `u64` where nothing says otherwise.
 *
 * Source: `join_impl` of the reference's `move-compiler/src/typing/core.rs`.
 * @module
 */
import type { PrimitiveKind } from '../../move/type-tag.ts';
import { innerTypes, type ResolvedType, type VariableType } from '../names/type.ts';
import type { Span } from '../text/source-text.ts';
import { resolvedTypeText } from './type-text.ts';

/** Types nested in one inferred type; the network's verifier takes fewer. */
export const TYPE_DEPTH_MAX = 256;
/** Types in one inferred type; the network's verifier takes fewer. */
export const TYPE_NODES_MAX = 4_096;
/** Pairs of types that one comparison looks at. */
const FIT_STEPS_MAX = 100_000;

const NUMBERS: ReadonlySet<PrimitiveKind> = new Set<PrimitiveKind>(['u8', 'u16', 'u32', 'u64', 'u128', 'u256']);

export function isNumber(type: ResolvedType): boolean {
  return type.kind === 'primitive' && NUMBERS.has(type.name);
}

export type FitMode = 'subtype' | 'join';

/** Why two types do not fit: the innermost two that differ, or a type that would have no end or no bounds. */
export type Misfit =
  | {
      readonly kind: 'misfit';
      readonly reason: 'mutability' | 'different' | 'count';
      left: ResolvedType;
      right: ResolvedType;
    }
  | { readonly kind: 'misfit'; readonly reason: 'recursive' | 'size'; readonly span: Span };

export class Inference {
  /** What a variable stands for: another variable, a type, or nothing yet. */
  readonly #bound: (ResolvedType | undefined)[] = [];
  readonly #numeric: boolean[] = [];
  readonly #numbers: VariableType[] = [];
  /** What has been changed by the comparison that is under way, to be undone if it fails. */
  #changes: { readonly id: number; readonly bound: ResolvedType | undefined; readonly numeric: boolean }[] = [];
  #steps = 0;

  variable(span: Span): VariableType {
    this.#numeric.push(false);
    return { kind: 'variable', span, id: this.#bound.push(undefined) - 1 };
  }

  /** For an integer without a suffix. */
  numberVariable(span: Span): VariableType {
    const variable = this.variable(span);
    this.#numeric[variable.id] = true;
    this.#numbers.push(variable);
    return variable;
  }

  /** What the type stands for, as far as it is known; an unbound variable is named by its representative. */
  readonly resolve = (type: ResolvedType): ResolvedType => {
    if (type.kind !== 'variable') return type;
    const id = this.#root(type.id);
    return this.#bound[id] ?? (id === type.id ? type : { kind: 'variable', span: type.span, id });
  };

  isOpenNumber(type: ResolvedType): boolean {
    const resolved = this.resolve(type);
    return resolved.kind === 'variable' && this.#numeric[resolved.id] === true;
  }

  text(type: ResolvedType): string {
    return resolvedTypeText(type, this.resolve, (part) => this.isOpenNumber(part));
  }

  /** Where the type was written, or, of an inferred one, what it stands for. */
  spanOf(type: ResolvedType): Span {
    return this.resolve(type).span;
  }

  /** Makes both fit and returns the type that both are; on failure, nothing has changed. */
  fit(mode: FitMode, left: ResolvedType, right: ResolvedType): ResolvedType | Misfit {
    this.#changes = [];
    this.#steps = 0;
    const result = this.#fit(mode, left, right);
    if (result.kind === 'misfit') {
      for (const { id, bound, numeric } of this.#changes.reverse()) {
        this.#bound[id] = bound;
        this.#numeric[id] = numeric;
      }
    }
    this.#changes = [];
    return result;
  }

  /** Integers of which nothing is known become `u64`. */
  defaultNumbers(): void {
    for (const variable of this.#numbers) {
      const { kind } = this.resolve(variable);
      if (kind === 'variable' || kind === 'any') {
        this.fit('join', { kind: 'primitive', span: variable.span, name: 'u64' }, variable);
      }
    }
  }

  #root(id: number): number {
    let root = id;
    for (let next = this.#bound[root]; next?.kind === 'variable'; next = this.#bound[root]) root = next.id;
    for (let current = id; current !== root; ) {
      const next = this.#bound[current] as VariableType;
      if (next.id !== root) this.#set(current, { ...next, id: root }, this.#numeric[current] === true);
      current = next.id;
    }
    return root;
  }

  #set(id: number, bound: ResolvedType | undefined, numeric: boolean): void {
    this.#changes.push({ id, bound: this.#bound[id], numeric: this.#numeric[id] === true });
    this.#bound[id] = bound;
    this.#numeric[id] = numeric;
  }

  #fit(mode: FitMode, leftGiven: ResolvedType, rightGiven: ResolvedType): ResolvedType | Misfit {
    const left = this.resolve(leftGiven);
    const right = this.resolve(rightGiven);
    if (++this.#steps > FIT_STEPS_MAX) return { kind: 'misfit', reason: 'size', span: left.span };
    if (left === right && left.kind !== 'variable') return right;
    if (left.kind === 'any') return right;
    if (right.kind === 'any') return left;
    if (left.kind === 'variable' && right.kind === 'variable') return this.#link(left, right);
    if (left.kind === 'variable') return this.#bind(left, right, left, right);
    if (right.kind === 'variable') return this.#bind(right, left, left, right);
    if (left.kind === 'error') return right;
    if (right.kind === 'error') return left;
    return this.#fitKnown(mode, left, right);
  }

  #fitKnown(mode: FitMode, left: ResolvedType, right: ResolvedType): ResolvedType | Misfit {
    const different: Misfit = { kind: 'misfit', reason: 'different', left, right };
    switch (right.kind) {
      case 'reference': {
        if (left.kind !== 'reference') return different;
        if (mode === 'subtype' && right.isMutable && !left.isMutable) return { ...different, reason: 'mutability' };
        const target = this.#fit(mode, left.target, right.target);
        if (target.kind === 'misfit') return target;
        if (mode === 'subtype') return { ...right, target };
        const isMutable = left.isMutable && right.isMutable;
        return { kind: 'reference', span: left.isMutable ? right.span : left.span, isMutable, target };
      }
      case 'tuple': {
        if (left.kind !== 'tuple') return different;
        if (left.items.length !== right.items.length) {
          const isUnit = left.items.length === 0 || right.items.length === 0;
          return isUnit ? different : { ...different, reason: 'count' };
        }
        const items = this.#fitAll(mode, left.items, right.items);
        return 'kind' in items ? items : { ...right, items };
      }
      case 'struct': {
        if (left.kind !== 'struct' || left.struct !== right.struct) return different;
        const given = this.#fitAll(mode, left.arguments, right.arguments);
        return 'kind' in given ? given : { ...right, arguments: given };
      }
      case 'vector': {
        if (left.kind !== 'vector') return different;
        const element = this.#fit(mode, left.element, right.element);
        return element.kind === 'misfit' ? element : { ...right, element };
      }
      case 'function':
        return left.kind === 'function' ? this.#fitFunctions(mode, left, right) : different;
      case 'primitive':
        return left.kind === 'primitive' && left.name === right.name ? right : different;
      case 'parameter':
        return left.kind === 'parameter' && left.parameter === right.parameter ? right : different;
      default:
        return different;
    }
  }

  #fitAll(mode: FitMode, left: readonly ResolvedType[], right: readonly ResolvedType[]): ResolvedType[] | Misfit {
    const fitted: ResolvedType[] = [];
    for (let index = 0; index < Math.min(left.length, right.length); index++) {
      const type = this.#fit(mode, left[index]!, right[index]!);
      if (type.kind === 'misfit') return type;
      fitted.push(type);
    }
    return fitted;
  }

  /** As the reference does, numbers of parameters that differ are not refused: the shorter list decides. */
  #fitFunctions(
    mode: FitMode,
    left: ResolvedType & { readonly kind: 'function' },
    right: ResolvedType & { readonly kind: 'function' },
  ): ResolvedType | Misfit {
    const ofLeft = [...left.parameters, left.result];
    const ofRight = [...right.parameters, right.result];
    const fitted: ResolvedType[] = [];
    for (let index = 0; index < Math.min(ofLeft.length, ofRight.length); index++) {
      const isTurned = mode === 'subtype' && index < ofLeft.length - 1;
      const [first, second] = isTurned ? [ofRight, ofLeft] : [ofLeft, ofRight];
      const type = this.#fit(mode, first[index]!, second[index]!);
      if (type.kind === 'misfit') return type;
      fitted.push(type);
    }
    return { kind: 'function', span: right.span, parameters: fitted.slice(0, -1), result: fitted.at(-1)! };
  }

  #link(left: VariableType, right: VariableType): ResolvedType {
    if (left.id === right.id) return right;
    const numeric = this.#numeric[left.id] === true || this.#numeric[right.id] === true;
    this.#set(left.id, right, numeric);
    this.#set(right.id, undefined, numeric);
    return right;
  }

  #bind(variable: VariableType, type: ResolvedType, left: ResolvedType, right: ResolvedType): ResolvedType | Misfit {
    const isNumeric = this.#numeric[variable.id] === true;
    if (isNumeric && type.kind !== 'error' && !isNumber(type)) {
      return { kind: 'misfit', reason: 'different', left, right };
    }
    const obstacle = this.#obstacle(variable.id, type);
    if (obstacle !== undefined) return { kind: 'misfit', reason: obstacle, span: variable.span };
    this.#set(variable.id, type, isNumeric);
    return variable;
  }

  /** Whether the variable is inside of the type, or the type is too large. */
  #obstacle(id: number, type: ResolvedType): 'recursive' | 'size' | undefined {
    let nodes = 0;
    const search = (part: ResolvedType, depth: number): 'recursive' | 'size' | undefined => {
      if (++nodes > TYPE_NODES_MAX || depth > TYPE_DEPTH_MAX) return 'size';
      const resolved = this.resolve(part);
      if (resolved.kind === 'variable') return resolved.id === id ? 'recursive' : undefined;
      for (const inner of innerTypes(resolved)) {
        const found = search(inner, depth + 1);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return search(type, 0);
  }
}
