/**
 * Inverses modulo a prime of 256 bits, in a fifth of the time of Euclid's algorithm with BigInts.
 *
 * The two numbers whose greatest common divisor is computed shrink by steps that look only at their lowest bits. A run
 * of steps is made on the lowest bits alone, and then applied to the whole numbers as one matrix. Numbers are limbs of
 * 25 bits, with the sign in the last: all products and sums stay below 2^53, where numbers are exact. Sources:
 * Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019); the forms of
 * doc/safegcd_implementation.md of libsecp256k1, which do not take constant time.
 * @module
 */

const LIMB_BITS = 25;
const LIMB = 2 ** LIMB_BITS;
const MASK = LIMB - 1;
/** 275 bits: numbers stay between minus twice the modulus and the modulus. */
const LIMBS = 11;

type Limbs = Float64Array;
type FiveLimbs = [Limbs, Limbs, Limbs, Limbs, Limbs];

/** Two limbs at a time, as many as a number holds. */
function putLimbs(limbs: Limbs, value: bigint): void {
  let rest = value;
  for (let index = 0; index < LIMBS - 1; index += 2, rest >>= 50n) {
    const two = Number(BigInt.asUintN(50, rest));
    const high = Math.floor(two / LIMB);
    limbs[index] = two - high * LIMB;
    limbs[index + 1] = high;
  }
  limbs[LIMBS - 1] = Number(rest);
}

/** The steps made so far, as a matrix times 2^25: f becomes u f + v g, g becomes q f + r g. */
let u = 1;
let v = 0;
let q = 0;
let r = 1;

/** Makes 25 steps on the lowest 32 bits of both numbers; returns, negated, about how much longer the second one is. */
function makeSteps(etaBefore: number, lowF: number, lowG: number): number {
  let eta = etaBefore;
  let f = lowF;
  let g = lowG;
  u = 1;
  v = 0;
  q = 0;
  r = 1;
  for (let left = LIMB_BITS; ; ) {
    const low = g | (-1 << left);
    const zeros = 31 - Math.clz32(low & -low);
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= zeros;
    left -= zeros;
    if (left === 0) return eta;
    if (eta < 0) {
      eta = -eta;
      let before = f;
      f = g;
      g = -before | 0;
      before = u;
      u = q;
      q = -before;
      before = v;
      v = r;
      r = -before;
    }
    // As many of the lowest bits of g become 0 as there are steps before f and g are swapped, six at most.
    const mask = (1 << Math.min(eta + 1, left, 6)) - 1;
    const multiple = Math.imul(Math.imul(f, g), Math.imul(f, f) - 2) & mask;
    g = (g + Math.imul(f, multiple)) | 0;
    q += u * multiple;
    r += v * multiple;
  }
}

/** A function that inverts modulo an odd prime below 2^256. It takes a number from 1 to below the prime. */
export function inverter(prime: bigint): (value: bigint) => bigint {
  const [modulus, f, g, first, second] = Array.from({ length: 5 }, () => new Float64Array(LIMBS)) as FiveLimbs;
  putLimbs(modulus, prime);
  /** The inverse of the modulus, modulo 2^25. */
  let low = 1;
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) low = Math.imul(low, 2 - Math.imul(modulus[0]!, low)) & MASK;
  const modulusInverse = low;
  return (value) => {
    f.set(modulus);
    putLimbs(g, value);
    first.fill(0);
    second.fill(0);
    second[0] = 1;
    for (let eta = -1; !isZero(g); ) {
      eta = makeSteps(eta, lowest(f), lowest(g));
      updateMultiples(first, second, modulus, modulusInverse);
      updateNumbers(f, g);
    }
    // Now f is 1 or -1.
    const multiple = numberOf(first);
    const rest = (f[LIMBS - 1]! < 0 ? -multiple : multiple) % prime;
    return rest < 0n ? rest + prime : rest;
  };
}

/** The lowest 32 bits. */
function lowest(limbs: Limbs): number {
  return limbs[0]! | (limbs[1]! << LIMB_BITS);
}

function isZero(limbs: Limbs): boolean {
  for (let index = 0; index < LIMBS; index++) if (limbs[index] !== 0) return false;
  return true;
}

function numberOf(limbs: Limbs): bigint {
  let value = BigInt(limbs[LIMBS - 1]!);
  for (let index = LIMBS - 3; index >= 0; index -= 2)
    value = (value << 50n) + BigInt(limbs[index]! + limbs[index + 1]! * LIMB);
  return value;
}

/** Applies the matrix to the two numbers, which become multiples of 2^25, and divides them by that. */
function updateNumbers(f: Limbs, g: Limbs): void {
  let carryF = (u * f[0]! + v * g[0]!) / LIMB;
  let carryG = (q * f[0]! + r * g[0]!) / LIMB;
  for (let index = 1; index < LIMBS; index++) {
    const ownF = f[index]!;
    const ownG = g[index]!;
    const nextF = u * ownF + v * ownG + carryF;
    const nextG = q * ownF + r * ownG + carryG;
    carryF = Math.floor(nextF / LIMB);
    carryG = Math.floor(nextG / LIMB);
    f[index - 1] = nextF - carryF * LIMB;
    g[index - 1] = nextG - carryG * LIMB;
  }
  f[LIMBS - 1] = carryF;
  g[LIMBS - 1] = carryG;
}

/**
 * The same for the factors by which the two numbers are multiples of the value, modulo the modulus: multiples of the
 * modulus are added to make them divisible by 2^25. Source: update_de of the document above, which also shows the
 * bounds.
 */
function updateMultiples(d: Limbs, e: Limbs, modulus: Limbs, modulusInverse: number): void {
  const isNegativeD = d[LIMBS - 1]! < 0;
  const isNegativeE = e[LIMBS - 1]! < 0;
  let timesD = (isNegativeD ? u : 0) + (isNegativeE ? v : 0);
  let timesE = (isNegativeD ? q : 0) + (isNegativeE ? r : 0);
  const firstD = u * d[0]! + v * e[0]!;
  const firstE = q * d[0]! + r * e[0]!;
  timesD -= (Math.imul(modulusInverse, lowBits(firstD)) + timesD) & MASK;
  timesE -= (Math.imul(modulusInverse, lowBits(firstE)) + timesE) & MASK;
  let carryD = (firstD + modulus[0]! * timesD) / LIMB;
  let carryE = (firstE + modulus[0]! * timesE) / LIMB;
  for (let index = 1; index < LIMBS; index++) {
    const ownD = d[index]!;
    const ownE = e[index]!;
    const nextD = u * ownD + v * ownE + modulus[index]! * timesD + carryD;
    const nextE = q * ownD + r * ownE + modulus[index]! * timesE + carryE;
    carryD = Math.floor(nextD / LIMB);
    carryE = Math.floor(nextE / LIMB);
    d[index - 1] = nextD - carryD * LIMB;
    e[index - 1] = nextE - carryE * LIMB;
  }
  d[LIMBS - 1] = carryD;
  e[LIMBS - 1] = carryE;
}

function lowBits(value: number): number {
  return value - Math.floor(value / LIMB) * LIMB;
}
