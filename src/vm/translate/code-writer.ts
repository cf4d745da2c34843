/**
 * The text of one function as it is written: statements, temporaries and linked constants.
 *
 * An operand of the Move stack exists here as an expression (`Operand`) until an instruction takes it. It stays valid
 * until then because it consists of literals, temporaries that only it uses, and locals, which are saved to a temporary
 * before they are assigned. Anything that reads mutable memory or is expensive is put in a temporary immediately. Only
 * integers and generated names are written, never anything from a module's identifiers or bytes.
 * @module
 */
import { getOrInsert } from '../../base/get-or-insert.ts';
import type { Type } from '../value/type.ts';

/**
 * Maximum number of parts of an expression of translated code. Longer chains are split with variables: the list of
 * locals that each expression reads would take quadratic time, and V8 would parse as deeply.
 */
const TRANSLATED_EXPRESSION_PARTS_MAX = 32;

/** An operand that the Move stack holds. Each is used once. */
export interface Operand {
  /** An expression without effects. */
  readonly code: string;
  /** Whether it is a name or literal, which can be repeated and needs no parentheses. */
  readonly isAtom: boolean;
  /** Locals that it reads. */
  readonly locals: readonly number[];
  /** Temporaries that it owns. */
  readonly temporaries: readonly string[];
  /** How many expressions it consists of; absent for a name or literal. */
  readonly size?: number;
  /** For an integer: the same value as a JavaScript number, if available. */
  readonly asNumber?: string;
  /** For a reference to a primitive that is not an object yet: its target. */
  readonly place?: ReferencePlace;
}

/** Where a primitive is stored. `base` is a name. */
export type ReferencePlace =
  /** `base` is a local that does not change while it is borrowed. */
  | { readonly kind: 'local'; readonly base: string }
  /** `base` is a cell. */
  | { readonly kind: 'cell'; readonly base: string }
  | { readonly kind: 'field'; readonly base: string; readonly struct: Type; readonly field: number }
  /** `index` is a name or literal of a number. `item` is the kind of the elements. */
  | { readonly kind: 'element'; readonly base: string; readonly index: string; readonly item: string };

const NO_LOCALS: readonly number[] = [];
const NO_TEMPORARIES: readonly string[] = [];

export function literal(code: string, asNumber?: string): Operand {
  const operand = { code, isAtom: true, locals: NO_LOCALS, temporaries: NO_TEMPORARIES };
  return asNumber === undefined ? operand : { ...operand, asNumber };
}

export function localOperand(local: number): Operand {
  return { code: `l${local}`, isAtom: true, locals: [local], temporaries: NO_TEMPORARIES };
}

/** An expression of other operands, which it consumes. */
export function expression(code: string, parts: readonly Operand[]): Operand {
  return {
    code,
    isAtom: false,
    locals: parts.flatMap((part) => part.locals),
    temporaries: parts.flatMap((part) => part.temporaries),
    size: parts.reduce((sum, part) => sum + (part.size ?? 0), 1),
  };
}

/** The operand's code as a part of a larger expression. */
export function inner(operand: Operand): string {
  return operand.isAtom ? operand.code : `(${operand.code})`;
}

export class CodeWriter {
  readonly #constants: unknown[] = [];
  readonly #constantNames = new Map<unknown, string>();
  readonly #free: string[] = [];
  #temporaryCount = 0;
  #statements: string[] = [];

  /** Values that the code names `c0`, `c1`, ... */
  get constants(): readonly unknown[] {
    return this.#constants;
  }

  /** The names of all temporaries used so far. */
  get temporaries(): string[] {
    return Array.from({ length: this.#temporaryCount }, (_, index) => `t${index}`);
  }

  /** The name under which the code finds `value`. */
  constant(value: unknown): string {
    return getOrInsert(this.#constantNames, value, () => `c${this.#constants.push(value) - 1}`);
  }

  emit(statement: string): void {
    this.#statements.push(statement);
  }

  /** The statements since the last call. */
  take(): string {
    const text = this.#statements.join('');
    this.#statements = [];
    return text;
  }

  /** A free temporary. */
  allocate(): string {
    return this.#free.pop() ?? `t${this.#temporaryCount++}`;
  }

  /** Frees what operands own. Call it once the statements that use them are written. */
  release(...operands: readonly Operand[]): void {
    for (const { temporaries } of operands) this.#free.push(...temporaries);
  }

  /** Computes `code` now and stores the value. */
  hold(code: string): Operand {
    const name = this.allocate();
    this.emit(`${name}=${code};`);
    return { code: name, isAtom: true, locals: NO_LOCALS, temporaries: [name] };
  }

  /** Computes `code`, which is made of `parts`, now. */
  compute(code: string, ...parts: readonly Operand[]): Operand {
    const held = this.hold(code);
    this.release(...parts);
    return held;
  }

  /** The same operand as a name or literal. */
  atom(operand: Operand): Operand {
    return operand.isAtom ? operand : this.compute(operand.code, operand);
  }

  /** The same operand, in a temporary if it has become large. */
  bounded(operand: Operand): Operand {
    return operand.size !== undefined && operand.size > TRANSLATED_EXPRESSION_PARTS_MAX ? this.atom(operand) : operand;
  }

  /** The same operand without locals. */
  settle(operand: Operand): Operand {
    if (operand.locals.length === 0) return operand;
    const { place } = operand;
    if (place === undefined) return this.compute(operand.code, operand);
    const held = this.hold(place.base);
    const temporaries = [...operand.temporaries, ...held.temporaries];
    return { ...held, temporaries, place: { ...place, base: held.code } };
  }
}
