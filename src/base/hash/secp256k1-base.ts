/**
 * Multiples of the base point of secp256k1: most of the work of public keys, signatures and taproot addresses.
 *
 * The host's library computes one in 0.2 ms, the first one too; @noble/curves takes twice that, and 20 ms for the
 * first, since it builds a table and its code is not compiled yet.
 *
 * If the host does not know the curve (Electron's library does not), a process begins with a small table, which suits
 * short runs best, and builds the large one after many uses. Measured: 35 ms instead of 58 for the first four
 * signatures, and 0.66 ms instead of 0.57 for each one after them until then.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { hostBaseMultiple } from './node-crypto.ts';

export type CurvePoint = InstanceType<typeof secp256k1.Point>;

/** Multiplies the base point by a number from 1 to below the order. */
type Multiply = (scalar: bigint) => CurvePoint;

/** Bits of a scalar that one table lookup covers. */
const WINDOW_AT_FIRST = 4;
const WINDOW = 6;

/** From this many multiples on, the large table has paid for itself. */
const MULTIPLES_BEFORE_LARGE_TABLE = 200;

/** Multiplies by tables, which works on every host. */
export function multiplyByTable(): Multiply {
  let made = 0;
  return (scalar) => {
    if (made === 0) secp256k1.Point.BASE.precompute(WINDOW_AT_FIRST);
    if (++made === MULTIPLES_BEFORE_LARGE_TABLE) secp256k1.Point.BASE.precompute(WINDOW);
    return secp256k1.Point.BASE.multiply(scalar);
  };
}

function multiplyByHost(): Multiply | undefined {
  const multiple = hostBaseMultiple();
  if (multiple === undefined) return undefined;
  return (scalar) => {
    const point = multiple(numberToBytesBE(scalar, 32));
    return secp256k1.Point.fromAffine({
      x: bytesToNumberBE(point.subarray(1, 33)),
      y: bytesToNumberBE(point.subarray(33)),
    });
  };
}

let multiply: Multiply | undefined;

/** The multiple of the base point by a number from 1 to below the order. */
export function multipleOfBase(scalar: bigint): CurvePoint {
  multiply ??= multiplyByHost() ?? multiplyByTable();
  return multiply(scalar);
}
