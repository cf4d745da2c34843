/**
 * The values of constants that are whole numbers: literals, and expressions of them such as `1 << 4` or
 * `(0x10_000 + 3)`. The compiler has checked types and widths. Source: `get_precedence` of the reference's
 * `move-compiler/src/parser/syntax.rs`.
 * @module
 */

/** From the weakest binding to the strongest. */
const LEVELS: readonly Readonly<Record<string, (left: bigint, right: bigint) => bigint>>[] = [
  { '|': (left, right) => left | right },
  { '^': (left, right) => left ^ right },
  { '&': (left, right) => left & right },
  { '<<': (left, right) => left << right, '>>': (left, right) => left >> right },
  { '+': (left, right) => left + right, '-': (left, right) => left - right },
  { '*': (left, right) => left * right, '/': (left, right) => left / right, '%': (left, right) => left % right },
];

const PIECE = /\s*(<<|>>|[-+*/%&|^()]|\w+)\s*/y;
/** The widest integer has as many bits; a compiler refuses larger shifts and values. */
const BITS_MAX = 256n;
/** Nothing that a person writes nests as deeply. */
const DEPTH_MAX = 32;

/** A literal of any width, in decimal. */
export function numberOf(text: string): string | undefined {
  const digits = /^(0x[0-9a-fA-F_]+?|[0-9_]+)(?:u(?:8|16|32|64|128|256))?$/.exec(text)?.[1];
  return digits === undefined ? undefined : BigInt(digits.replaceAll('_', '')).toString();
}

/** The value of a constant's expression, in decimal; undefined if it is no whole number, or uses something else. */
export function constantNumber(text: string): string | undefined {
  const literal = numberOf(text);
  if (literal !== undefined) return literal;
  const pieces = piecesOf(text);
  if (pieces === undefined) return undefined;
  const reader = new ExpressionReader(pieces);
  const value = reader.expression(0);
  return reader.isAtEnd && value !== undefined && value >= 0n ? value.toString() : undefined;
}

function piecesOf(text: string): string[] | undefined {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(text)?.[1];
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return pieces;
}

/** Undefined stands for what is no number, all the way up. */
class ExpressionReader {
  readonly #pieces: readonly string[];
  #at = 0;

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#pieces.length;
  }

  /** A sum and, after it, the type that it is cast to. */
  expression(depth: number): bigint | undefined {
    const value = this.#level(0, depth);
    if (this.#pieces[this.#at] === 'as') this.#at += 2;
    return value;
  }

  #level(level: number, depth: number): bigint | undefined {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#operand(depth);
    let value = this.#level(level + 1, depth);
    for (;;) {
      const operator = this.#pieces[this.#at] ?? '';
      if (!Object.hasOwn(operators, operator)) return value;
      this.#at++;
      const right = this.#level(level + 1, depth);
      value = value === undefined || right === undefined ? undefined : folded(operator, operators, value, right);
    }
  }

  #operand(depth: number): bigint | undefined {
    const piece = this.#pieces[this.#at++] ?? '';
    if (piece !== '(') {
      const number = numberOf(piece);
      return number === undefined ? undefined : BigInt(number);
    }
    if (depth === DEPTH_MAX) return undefined;
    const value = this.expression(depth + 1);
    return this.#pieces[this.#at++] === ')' ? value : undefined;
  }
}

function folded(operator: string, operators: (typeof LEVELS)[number], left: bigint, right: bigint): bigint | undefined {
  if (right === 0n && (operator === '/' || operator === '%')) return undefined;
  if ((operator === '<<' || operator === '>>') && right >= BITS_MAX) return undefined;
  const value = operators[operator]!(left, right);
  return value < 0n || value >> BITS_MAX !== 0n ? undefined : value;
}
