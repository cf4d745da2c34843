/**
 * CBOR's floating point numbers, as the 64 bits of a double: they are only passed on, never calculated with, so NaNs
 * keep their payloads whatever the host's hardware does. A NaN of 16 or 32 bits becomes a quiet NaN, as in hardware.
 * Source: IEEE 754; RFC 8949 sections 3.3 and 4.2.
 * @module
 */

/** Widths of exponent and fraction. */
interface FloatForm {
  readonly exponentBits: bigint;
  readonly fractionBits: bigint;
}

const HALF: FloatForm = { exponentBits: 5n, fractionBits: 10n };
const SINGLE: FloatForm = { exponentBits: 8n, fractionBits: 23n };
const DOUBLE: FloatForm = { exponentBits: 11n, fractionBits: 52n };
const QUIET = 1n << 51n;

/** The double in 2, 4 or 8 bytes, big endian. */
export function readFloat(bytes: Uint8Array): bigint {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  if (bytes.length === 8) return bits;
  return widen(bytes.length === 2 ? HALF : SINGLE, bits);
}

/** The shortest bytes that represent the double exactly. */
export function writeFloat(double: bigint): Uint8Array {
  const half = narrow(HALF, double);
  if (half !== undefined) return bigEndian(half, 2);
  const single = narrow(SINGLE, double);
  return single === undefined ? bigEndian(double, 8) : bigEndian(single, 4);
}

function bigEndian(bits: bigint, byteCount: number): Uint8Array {
  return Uint8Array.from({ length: byteCount }, (_, at) => Number((bits >> BigInt(8 * (byteCount - 1 - at))) & 0xffn));
}

function biasOf({ exponentBits }: FloatForm): bigint {
  return (1n << (exponentBits - 1n)) - 1n;
}

function exponentMaxOf({ exponentBits }: FloatForm): bigint {
  return (1n << exponentBits) - 1n;
}

function join(form: FloatForm, sign: bigint, exponent: bigint, fraction: bigint): bigint {
  return (((sign << form.exponentBits) | exponent) << form.fractionBits) | fraction;
}

function split(form: FloatForm, bits: bigint): { sign: bigint; exponent: bigint; fraction: bigint } {
  return {
    sign: bits >> (form.exponentBits + form.fractionBits),
    exponent: (bits >> form.fractionBits) & exponentMaxOf(form),
    fraction: bits & ((1n << form.fractionBits) - 1n),
  };
}

function widen(form: FloatForm, bits: bigint): bigint {
  const { sign, exponent, fraction } = split(form, bits);
  const added = DOUBLE.fractionBits - form.fractionBits;
  if (exponent === exponentMaxOf(form)) {
    const wide = fraction === 0n ? 0n : (fraction << added) | QUIET;
    return join(DOUBLE, sign, exponentMaxOf(DOUBLE), wide);
  }
  if (exponent !== 0n) return join(DOUBLE, sign, exponent - biasOf(form) + biasOf(DOUBLE), fraction << added);
  if (fraction === 0n) return join(DOUBLE, sign, 0n, 0n);
  // A subnormal has its leading one inside the fraction; a double has room for it as a normal number.
  const leading = BigInt(fraction.toString(2).length - 1);
  const scale = 1n - biasOf(form) - form.fractionBits + leading;
  const wide = (fraction ^ (1n << leading)) << (DOUBLE.fractionBits - leading);
  return join(DOUBLE, sign, scale + biasOf(DOUBLE), wide);
}

/** The number of `form` that widens to exactly this double, if there is one. */
function narrow(form: FloatForm, double: bigint): bigint | undefined {
  const { sign, exponent, fraction } = split(DOUBLE, double);
  const dropped = DOUBLE.fractionBits - form.fractionBits;
  const scale = exponent - biasOf(DOUBLE);
  let bits: bigint;
  if (exponent === exponentMaxOf(DOUBLE)) {
    bits = join(form, sign, exponentMaxOf(form), fraction >> dropped);
  } else if (scale > biasOf(form)) {
    return undefined;
  } else if (scale > -biasOf(form)) {
    bits = join(form, sign, scale + biasOf(form), fraction >> dropped);
  } else {
    const shift = dropped + 1n - biasOf(form) - scale;
    bits = join(form, sign, 0n, exponent === 0n ? 0n : ((1n << DOUBLE.fractionBits) | fraction) >> shift);
  }
  return widen(form, bits) === double ? bits : undefined;
}
