import { describe, expect, it } from 'vitest';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { World } from './world.ts';

/** Widths by type. The expectations below are computed with plain bigints, by the rules of execution.md 3.3. */
const KINDS = { u8: 8, u16: 16, u32: 32, u64: 64, u128: 128, u256: 256 } as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

const ARITHMETIC = ['Add', 'Sub', 'Mul', 'Div', 'Mod', 'BitOr', 'BitAnd', 'Xor'] as const;
const COMPARISONS = ['Lt', 'Gt', 'Le', 'Ge', 'Eq', 'Neq'] as const;

function module(): string {
  const functions = kinds.flatMap((kind) => [
    ...ARITHMETIC.map(
      (op) => `public fun ${op}_${kind}(a: ${kind}, b: ${kind}): ${kind} { CopyLoc a; MoveLoc b; ${op}; Ret }`,
    ),
    ...COMPARISONS.map(
      (op) => `public fun ${op}_${kind}(a: ${kind}, b: ${kind}): bool { MoveLoc a; CopyLoc b; ${op}; Ret }`,
    ),
    ...['Shl', 'Shr'].map(
      (op) => `public fun ${op}_${kind}(a: ${kind}, b: u8): ${kind} { MoveLoc a; MoveLoc b; ${op}; Ret }`,
    ),
    ...kinds.map(
      (to) => `public fun cast_${kind}_${to}(a: ${kind}): ${to} { MoveLoc a; Cast${to.toUpperCase()}; Ret }`,
    ),
  ]);
  return `module 0x1::integer\n${functions.join('\n')}`;
}

function edges(bits: number): bigint[] {
  const max = (1n << BigInt(bits)) - 1n;
  const half = 1n << BigInt(bits / 2);
  const values = new Set([0n, 1n, 2n, 3n, 7n, half - 1n, half, half + 1n, max >> 1n, (max >> 1n) + 1n, max - 1n, max]);
  for (const edge of [31n, 32n, 53n, 63n, 64n, 127n, 128n]) {
    for (const near of [-1n, 0n, 1n]) if ((1n << edge) + near <= max) values.add((1n << edge) + near);
  }
  return [...values];
}

function toValue(kind: Kind, value: bigint): unknown {
  return KINDS[kind] <= 32 ? Number(value) : value;
}

function calculate(op: string, a: bigint, b: bigint): bigint | undefined {
  switch (op) {
    case 'Add':
      return a + b;
    case 'Sub':
      return a - b;
    case 'Mul':
      return a * b;
    case 'Div':
      return b === 0n ? undefined : a / b;
    case 'Mod':
      return b === 0n ? undefined : a % b;
    case 'BitOr':
      return a | b;
    case 'BitAnd':
      return a & b;
    default:
      return a ^ b;
  }
}

const COMPARE: Record<string, (a: bigint, b: bigint) => boolean> = {
  Lt: (a, b) => a < b,
  Gt: (a, b) => a > b,
  Le: (a, b) => a <= b,
  Ge: (a, b) => a >= b,
  Eq: (a, b) => a === b,
  Neq: (a, b) => a !== b,
};

const names = [...module().matchAll(/fun (\w+)\(/g)].map((match) => match[1]!);
const failure = (name: string): string => `ARITHMETIC_ERROR at integer:${names.indexOf(name)}:`;

/** Right operands that are constants in the code; translated code knows them. */
function literalModule(kind: Kind): string {
  const functions = [
    ...distances(kind).flatMap((distance) =>
      ['Shl', 'Shr'].map(
        (op) => `public fun ${op}_${distance}(a: ${kind}): ${kind} { MoveLoc a; LdU8 ${distance}; ${op}; Ret }`,
      ),
    ),
    ...['Div', 'Mod'].flatMap((op) =>
      [0, 1, 7].map(
        (right) =>
          `public fun ${op}_${right}(a: ${kind}): ${kind} { MoveLoc a; Ld${kind.toUpperCase()} ${right}; ${op}; Ret }`,
      ),
    ),
  ];
  return `module 0x1::literal_${kind}\n${functions.join('\n')}`;
}

function distances(kind: Kind): number[] {
  const bits = KINDS[kind];
  return [...new Set([0, 1, 7, bits / 2, bits - 1, Math.min(bits, 255), 255])];
}

describe('integers', () => {
  const world = new World([module()], { schedule: INITIAL_GAS_SCHEDULE });
  /** What both machines give for many calls, checked at once: one `expect` costs more than the calls that it checks. */
  class Calls {
    readonly #given: string[] = [];
    readonly #expected: string[] = [];

    add(name: string, parameters: unknown[], expected: string): void {
      const call = `${name}(${parameters.join(', ')})`;
      const interpreted = world.run('interpret', `integer::${name}`, parameters);
      const translated = world.run('translate', `integer::${name}`, parameters);
      this.#given.push(`${call}: ${interpreted.result}`, `translated: ${translated.result}, ${translated.gasUsed} gas`);
      this.#expected.push(`${call}: ${expected}`, `translated: ${expected}, ${interpreted.gasUsed} gas`);
    }

    check(): void {
      expect(this.#given).toEqual(this.#expected);
    }
  }

  it.each(kinds)('calculates %s at its edges', (kind) => {
    const max = (1n << BigInt(KINDS[kind])) - 1n;
    for (const op of ARITHMETIC) {
      const calls = new Calls();
      const name = `${op}_${kind}`;
      for (const a of edges(KINDS[kind])) {
        for (const b of edges(KINDS[kind])) {
          const value = calculate(op, a, b);
          const fits = value !== undefined && value >= 0n && value <= max;
          const expected = fits ? String(value) : `${failure(name)}2`;
          calls.add(name, [toValue(kind, a), toValue(kind, b)], expected);
        }
      }
      calls.check();
    }
  });

  it.each(kinds)('compares %s at its edges', (kind) => {
    for (const op of COMPARISONS) {
      const calls = new Calls();
      for (const a of edges(KINDS[kind])) {
        for (const b of edges(KINDS[kind])) {
          calls.add(`${op}_${kind}`, [toValue(kind, a), toValue(kind, b)], String(COMPARE[op]!(a, b)));
        }
      }
      calls.check();
    }
  });

  it.each(kinds)('shifts %s by every distance', (kind) => {
    const bits = KINDS[kind];
    for (const a of edges(bits)) {
      const calls = new Calls();
      for (let distance = 0; distance < 256; distance++) {
        const left = distance < bits ? String(BigInt.asUintN(bits, a << BigInt(distance))) : undefined;
        const right = distance < bits ? String(a >> BigInt(distance)) : undefined;
        const value = toValue(kind, a);
        calls.add(`Shl_${kind}`, [value, distance], left ?? `${failure(`Shl_${kind}`)}2`);
        calls.add(`Shr_${kind}`, [value, distance], right ?? `${failure(`Shr_${kind}`)}2`);
      }
      calls.check();
    }
  });

  it.each(kinds)('casts %s to every type', (from) => {
    const calls = new Calls();
    for (const to of kinds) {
      const name = `cast_${from}_${to}`;
      for (const a of edges(KINDS[from])) {
        const fits = a < 1n << BigInt(KINDS[to]);
        calls.add(name, [toValue(from, a)], fits ? String(a) : `${failure(name)}1`);
      }
    }
    calls.check();
  });

  it.each(kinds)('knows %s operands that are constants in the code', (kind) => {
    const bits = KINDS[kind];
    const literals = new World([literalModule(kind)]);
    const agree = (name: string, a: bigint): string =>
      literals.agree(`literal_${kind}::${name}`, [toValue(kind, a)]).result.replace(/ at .*/, '');
    for (const a of edges(bits)) {
      for (const distance of distances(kind)) {
        const left = String(BigInt.asUintN(bits, a << BigInt(distance)));
        const right = String(a >> BigInt(distance));
        expect(agree(`Shl_${distance}`, a)).toBe(distance < bits ? left : 'ARITHMETIC_ERROR');
        expect(agree(`Shr_${distance}`, a)).toBe(distance < bits ? right : 'ARITHMETIC_ERROR');
      }
      for (const op of ['Div', 'Mod']) {
        for (const right of [0n, 1n, 7n]) {
          expect(agree(`${op}_${right}`, a)).toBe(String(calculate(op, a, right) ?? 'ARITHMETIC_ERROR'));
        }
      }
    }
  });

  it('keeps 64 bits where the host keeps them in a register', () => {
    const steps = [13, 63, 7, 32, 1].map(
      (distance, index) =>
        `CopyLoc x; CopyLoc x; LdU8 ${distance}; ${index % 2 === 0 ? 'Shl' : 'Shr'}; ${['Xor', 'BitOr', 'Xor', 'Xor', 'BitAnd'][index]}; CopyLoc i; Xor; StLoc x`,
    );
    const hot = new World([
      `module 0x1::hot
       public fun run(x: u64, n: u64): u64 {
         let i: u64
         LdU64 0; StLoc i
         next:
         CopyLoc i; CopyLoc n; Ge; BrTrue end
         ${steps.join('\n')}
         MoveLoc i; LdU64 1; Add; StLoc i
         Branch next
         end:
         MoveLoc x; Ret
       }`,
    ]);
    const turns = 30_000n;
    const expected = (start: bigint): bigint => {
      let x = start;
      for (let i = 0n; i < turns; i++) {
        x = x ^ BigInt.asUintN(64, x << 13n) ^ i;
        x = (x | (x >> 63n)) ^ i;
        x = x ^ BigInt.asUintN(64, x << 7n) ^ i;
        x = x ^ (x >> 32n) ^ i;
        x = (x & BigInt.asUintN(64, x << 1n)) ^ i;
      }
      return x;
    };
    for (const start of [0n, 1n, 0x8000_0000_0000_0000n, 0xffff_ffff_ffff_ffffn, 88172645463325252n]) {
      expect(hot.run('translate', 'hot::run', [start, turns]).result).toBe(String(expected(start)));
    }
    expect(hot.agree('hot::run', [1n, 100n]).gasUsed).toBeGreaterThan(0n);
  });
});
