/**
 * Integers in translated code; only this file knows their representation there.
 *
 * u8, u16 and u32 are numbers, u64, u128 and u256 bigints. V8 keeps a bigint in a register as long as it is wrapped in
 * `BigInt.asUintN(64, ..)`; u128 and u256 are checked by comparing, which is faster than asUintN for them. So u64
 * results are wrapped even where that has no effect; shifts by a distance that is not a literal are products and
 * quotients with powers of two; and u64s become numbers, and back, through a buffer: `B` (BigUint64Array) and `U`
 * (Uint32Array) are over the same eight bytes.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import { INTEGER_BITS, type IntegerKind, isNarrow, maxOf } from '../value/integer.ts';
import { type CodeWriter, expression, inner, literal, type Operand } from './code-writer.ts';

/** `2n ** 0n` and so on, for shifts of bigints; the index is the distance. */
const POWERS: readonly bigint[] = Array.from({ length: 256 }, (_, bit) => 1n << BigInt(bit));

/** The statement that fails when `condition` holds. */
export type Check = (condition: string) => string;

/** A literal of an integer type. */
export function integerLiteral(kind: IntegerKind, value: bigint | number): Operand {
  const digits = value.toString();
  if (isNarrow(kind)) return literal(digits, digits);
  return literal(`${digits}n`, Number(value) <= 0xffff_ffff ? digits : undefined);
}

/** Add, Sub, Mul, Div, Mod, BitOr, BitAnd, Xor. Consumes both operands. */
export function writeArithmetic(
  writer: CodeWriter,
  op: Op,
  kind: IntegerKind,
  [givenLeft, givenRight]: readonly [Operand, Operand],
  check: Check,
): Operand {
  if (op === Op.BitOr || op === Op.BitAnd || op === Op.Xor) {
    const code = `${inner(givenLeft)}${BIT_OPERATORS[op]}${inner(givenRight)}`;
    const parts = [givenLeft, givenRight];
    return expression(kind === 'u32' ? `(${code})>>>0` : clamp(kind, code), parts);
  }
  const left = writer.atom(givenLeft);
  const right = writer.atom(givenRight);
  const result = writer.allocate();
  writer.emit(
    isNarrow(kind) ? narrow(op, kind, left, right, result, check) : wide(op, kind, left, right, result, check),
  );
  writer.release(left, right);
  return { code: result, isAtom: true, locals: [], temporaries: [result] };
}

const BIT_OPERATORS: Readonly<Partial<Record<Op, string>>> = { [Op.BitOr]: '|', [Op.BitAnd]: '&', [Op.Xor]: '^' };

/** Numbers: all sums and products beyond the bound are recognised exactly, because rounding is monotonic. */
function narrow(op: Op, kind: IntegerKind, left: Operand, right: Operand, result: string, check: Check): string {
  const [l, r] = [left.code, right.code];
  const max = maxOf(kind).toString();
  switch (op) {
    case Op.Add:
      return `${result}=${l}+${r};${check(`${result}>${max}`)}`;
    case Op.Sub:
      return `${result}=${l}-${r};${check(`${result}<0`)}`;
    case Op.Mul:
      return `${result}=${l}*${r};${check(`${result}>${max}`)}`;
    case Op.Div:
      return `${check(`${r}===0`)}${result}=(${l}/${r})>>>0;`;
    default:
      return `${check(`${r}===0`)}${result}=${l}%${r};`;
  }
}

function wide(op: Op, kind: IntegerKind, left: Operand, right: Operand, result: string, check: Check): string {
  const [l, r] = [left.code, right.code];
  switch (op) {
    case Op.Add:
      if (kind === 'u64') return `${result}=BigInt.asUintN(64,${l}+${r});${check(`${result}<${l}`)}`;
      return `${result}=${l}+${r};${check(`${result}>${maxLiteral(kind)}`)}`;
    case Op.Sub:
      return `${check(`${l}<${r}`)}${result}=${clamp(kind, `${l}-${r}`)};`;
    case Op.Mul:
      if (kind === 'u64') {
        return `{const p=${l}*${r};${result}=BigInt.asUintN(64,p);${check(`${result}!==p`)}}`;
      }
      return `${result}=${l}*${r};${check(`${result}>${maxLiteral(kind)}`)}`;
    case Op.Div:
      return `${checkDivisor(right, check)}${result}=${clamp(kind, `${l}/${r}`)};`;
    default:
      return `${checkDivisor(right, check)}${result}=${clamp(kind, `${l}%${r}`)};`;
  }
}

/** A value that fits the type, marked as such for V8 where that pays. */
function clamp(kind: IntegerKind, code: string): string {
  return kind === 'u64' ? `BigInt.asUintN(64,${code})` : code;
}

function checkDivisor({ code }: Operand, check: Check): string {
  return LITERAL.test(code) && code !== '0n' ? '' : check(`${code}===0n`);
}

/** An integer as `integerLiteral` writes it. */
const LITERAL = /^\d+n?$/;

function maxLiteral(kind: IntegerKind): string {
  return `0x${maxOf(kind).toString(16)}n`;
}

/** Shl and Shr by a u8. Consumes both operands. */
export function writeShift(
  writer: CodeWriter,
  op: Op,
  kind: IntegerKind,
  [value, givenDistance]: readonly [Operand, Operand],
  check: Check,
): Operand {
  const bits = INTEGER_BITS[kind];
  const distance = writer.atom(givenDistance);
  const isLiteral = LITERAL.test(distance.code);
  if (bits < 256 && !(isLiteral && Number(distance.code) < bits)) writer.emit(check(`${distance.code}>=${bits}`));
  const parts = [value, distance];
  if (isNarrow(kind)) {
    if (op === Op.Shr) return expression(`${inner(value)}>>>${distance.code}`, parts);
    const shifted = `${inner(value)}<<${distance.code}`;
    return expression(bits === 32 ? `(${shifted})>>>0` : `(${shifted})&${maxOf(kind)}`, parts);
  }
  if (isLiteral) {
    if (op === Op.Shl) return expression(`BigInt.asUintN(${bits},${inner(value)}<<${distance.code}n)`, parts);
    return expression(clamp(kind, `${inner(value)}>>${distance.code}n`), parts);
  }
  const power = `${writer.constant(POWERS)}[${distance.code}]`;
  if (op === Op.Shl) return expression(`BigInt.asUintN(${bits},${inner(value)}*${power})`, parts);
  return expression(clamp(kind, `${inner(value)}/${power}`), parts);
}

/** A cast. Consumes the operand. */
export function writeCast(
  writer: CodeWriter,
  from: IntegerKind,
  to: IntegerKind,
  operand: Operand,
  check: Check,
): Operand {
  if (isNarrow(from)) return castNarrow(writer, from, to, operand, check);
  if (!isNarrow(to)) {
    if (INTEGER_BITS[to] >= INTEGER_BITS[from]) return operand;
    const value = writer.atom(operand);
    writer.emit(check(`${value.code}>${maxLiteral(to)}`));
    return to === 'u64' ? expression(`BigInt.asUintN(64,${value.code})`, [value]) : value;
  }
  const value = writer.atom(operand);
  if (from !== 'u64') {
    writer.emit(check(`${value.code}>${maxOf(to)}n`));
    return writer.compute(`Number(${value.code})`, value);
  }
  writer.emit(`B[0]=${value.code};${check(to === 'u32' ? 'U[1]!==0' : `U[1]!==0||U[0]>${maxOf(to)}`)}`);
  return writer.compute('U[0]', value);
}

function castNarrow(writer: CodeWriter, from: IntegerKind, to: IntegerKind, operand: Operand, check: Check): Operand {
  if (!isNarrow(to)) {
    const value = writer.atom(operand);
    return numberToWide(value);
  }
  if (INTEGER_BITS[to] >= INTEGER_BITS[from]) return operand;
  const value = writer.atom(operand);
  writer.emit(check(`${value.code}>${maxOf(to)}`));
  return value;
}

/** A number below 2^32, given as a name or literal, as a bigint. */
export function numberToWide(number: Operand): Operand {
  return { ...expression(`(U[0]=${number.code},U[1]=0,B[0])`, [number]), isAtom: false, asNumber: number.code };
}

/**
 * A u64 as a number below `bound`, an expression of a number below 2^32. Consumes the operand. Writes `check` for an
 * index that is not below it.
 */
export function writeIndex(writer: CodeWriter, index: Operand, bound: string, check: Check): Operand {
  if (index.asNumber !== undefined) {
    writer.emit(check(`${index.asNumber}>=${bound}`));
    return { ...index, code: index.asNumber, isAtom: true };
  }
  writer.emit(`B[0]=${index.code};${check(`U[1]!==0||U[0]>=${bound}`)}`);
  return writer.compute('U[0]', index);
}
