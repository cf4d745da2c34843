import { readFileSync } from 'node:fs';
import type { BlsCurvePair } from '@noble/curves/abstract/bls.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { writeBn254G1, writeBn254G2 } from '../../../src/execution/native/bn254-point.ts';
import type { G1Point, G2Point } from '../../../src/execution/native/pairing.ts';
import { NativeWorld } from './native-world.ts';
import { byte, hex, withoutPlace } from './values.ts';

type Name = 'bls12381' | 'bn254';

const vectors = JSON.parse(readFileSync(new URL('../../vectors/groth16.json', import.meta.url), 'utf8')) as Record<
  Name,
  { readonly prepare: readonly (readonly string[])[]; readonly verify: readonly (readonly string[])[] }
>;

const world = new NativeWorld(
  '0x2::groth16',
  `struct PreparedVerifyingKey has copy, drop, store {
     gamma_abc: vector<u8>, alpha_beta: vector<u8>, gamma_neg: vector<u8>, delta_neg: vector<u8>
   }
   native fun prepare_verifying_key_internal(u8, &vector<u8>): PreparedVerifyingKey
   native fun verify_groth16_proof_internal(u8, &vector<u8>, &vector<u8>, &vector<u8>, &vector<u8>, &vector<u8>, &vector<u8>): bool`,
);
const prepare = (curve: number, key: string) =>
  withoutPlace(world.call('prepare_verifying_key_internal', byte(curve), hex(key)));
const verify = (curve: number, parts: readonly string[]) =>
  withoutPlace(world.call('verify_groth16_proof_internal', byte(curve), ...parts.map(hex)));
const shown = (parts: readonly string[]) => `{${parts.map((part) => `[${fromHex(part).join(', ')}]`).join(', ')}}`;

/** 30 a byte of the inputs, 2 an input, begun ones included, and 52. */
function verifyGas(inputs: string): bigint {
  const bytes = BigInt(inputs.length / 2);
  return 30n * bytes + 2n * ((bytes + 31n) / 32n) + 52n;
}

/** A number as 32 bytes, little endian. */
function scalar(value: bigint): string {
  return toHex(fromHex(value.toString(16).padStart(64, '0')).reverse());
}

interface Form {
  readonly name: Name;
  readonly number: number;
  readonly curve: BlsCurvePair;
  readonly g1: (point: G1Point) => string;
  readonly g2: (point: G2Point) => string;
}

const FORMS: readonly Form[] = [
  { name: 'bls12381', number: 0, curve: bls12_381, g1: (point) => point.toHex(true), g2: (point) => point.toHex(true) },
  {
    name: 'bn254',
    number: 1,
    curve: bn254,
    g1: (point) => toHex(writeBn254G1(point)),
    g2: (point) => toHex(writeBn254G2(point)),
  },
];

describe.each(FORMS)('natives of 0x2::groth16, $name', ({ name, number, curve, g1, g2 }) => {
  const { prepare: keys, verify: proofs } = vectors[name];
  const G1 = curve.G1.Point;
  const G2 = curve.G2.Point;
  const [proof] = proofs;
  const isBls = name === 'bls12381';
  const [g1Bytes, g2Bytes] = isBls ? [48, 96] : [32, 64];

  it('prepare the keys that the library prepares', () => {
    for (const [key, ...parts] of keys) expect(prepare(number, key!)).toEqual({ result: shown(parts), gas: 52n });
  });

  it('verify the proofs that the library verifies, and no others', () => {
    for (const parts of proofs) {
      expect(verify(number, parts)).toEqual({ result: 'true', gas: verifyGas(parts[4]!) });
      const inputs = fromHex(parts[4]!);
      inputs[0]! ^= 1;
      const others = parts.with(4, toHex(inputs));
      expect(verify(number, others)).toEqual({ result: 'false', gas: verifyGas(parts[4]!) });
    }
  });

  it('take the trivial proof', () => {
    const one = `01${'00'.repeat(12 * (isBls ? 48 : 32) - 1)}`;
    const [zero, zero2] = [g1(G1.ZERO), g2(G2.ZERO)];
    const parts = [zero.repeat(3), one, zero2, zero2, '00'.repeat(64), zero + zero2 + zero];
    expect(verify(number, parts).result).toBe('true');
    expect(verify(number, parts.with(5, g1(G1.BASE) + g2(G2.BASE) + zero)).result).toBe('false');
  });

  it('verify proofs made with the trapdoor, for every number of inputs', () => {
    const { Fr } = curve.fields;
    const [alpha, beta, gamma, delta, a, b] = [11n, 13n, 17n, 19n, 23n, 29n];
    for (const count of [0, 1, 2, 8]) {
      const abc = Array.from({ length: count + 1 }, (_, index) => BigInt(31 + index));
      const inputs = Array.from({ length: count }, (_, index) => Fr.neg(BigInt(7 * index)));
      const sum = inputs.reduce((total, input, index) => Fr.add(total, Fr.mul(input, abc[index + 1]!)), abc[0]!);
      // e(A, B) = e(alpha, beta) e(sum, gamma) e(C, delta)
      const c = Fr.div(Fr.sub(Fr.sub(a! * b!, alpha! * beta!), Fr.mul(sum, gamma!)), delta!);
      const key = [
        g1(G1.BASE.multiply(alpha!)),
        g2(G2.BASE.multiply(beta!)),
        g2(G2.BASE.multiply(gamma!)),
        g2(G2.BASE.multiply(delta!)),
        scalar(BigInt(count + 1)).slice(0, 16),
        ...abc.map((value) => g1(G1.BASE.multiply(value))),
      ].join('');
      const prepared = bytesOf(prepare(number, key).result);
      const points = g1(G1.BASE.multiply(a!)) + g2(G2.BASE.multiply(b!)) + g1(G1.BASE.multiply(c));
      const digits = inputs.map(scalar).join('');
      expect(verify(number, [...prepared, digits, points])).toEqual({ result: 'true', gas: verifyGas(digits) });
      if (count === 0) continue;
      expect(verify(number, [...prepared, scalar(1n) + digits.slice(64), points]).result).toBe('false');
      // Numbers must be below the order of the group.
      const above = scalar(inputs[0]! + Fr.ORDER) + digits.slice(64);
      expect(verify(number, [...prepared, above, points]).result).toBe('false');
    }
  });

  it('abort for too many inputs, even for other malformed arguments, and not for inputs of other lengths', () => {
    const empty = ['', '', '', ''];
    const digits = '00'.repeat(257);
    expect(verify(number, [...empty, digits, ''])).toEqual({ result: 'ABORTED 2', gas: verifyGas(digits) });
    expect(verify(number, [...empty, '00'.repeat(256), '']).result).toBe('false');
    expect(verify(number, proof!.with(4, '1234'))).toEqual({ result: 'false', gas: 114n });
    expect(verify(number, proof!.with(4, '')).result).toBe('false');
  });

  it('verify nothing with malformed parts', () => {
    for (const part of [0, 1, 2, 3, 5]) {
      const bytes = fromHex(proof![part]!);
      expect(verify(number, proof!.with(part, '')).result).toBe('false');
      expect(verify(number, proof!.with(part, toHex(bytes.subarray(0, -1)))).result).toBe('false');
      expect(verify(number, proof!.with(part, toHex(bytes.map(() => 0xff)))).result).toBe('false');
      // On BN254 the reference's library reads what it needs, but only whole points of the key.
      const isRead = !isBls && part !== 0;
      expect(verify(number, proof!.with(part, `${proof![part]!}00`)).result).toBe(String(isRead));
    }
  });

  it('prepare nothing of malformed keys', () => {
    const [key] = keys[0]!;
    const bytes = fromHex(key!);
    const head = g1Bytes + 3 * g2Bytes;
    const changed = (at: number, value: number) => toHex(bytes.with(at, value));
    const refused = { result: 'ABORTED 1', gas: 52n };
    expect(prepare(number, '')).toEqual(refused);
    expect(prepare(number, key!.slice(0, -2))).toEqual(refused);
    expect(prepare(number, toHex(bytes.subarray(0, head + 7)))).toEqual(refused);
    for (const start of [0, g1Bytes, g1Bytes + g2Bytes, g1Bytes + 2 * g2Bytes, head + 8]) {
      const end = start === 0 || start === head + 8 ? start + g1Bytes : start + g2Bytes;
      expect(
        prepare(
          number,
          toHex(
            Uint8Array.from([
              ...bytes.subarray(0, start),
              ...new Uint8Array(end - start).fill(0xff),
              ...bytes.subarray(end),
            ]),
          ),
        ),
      ).toEqual(refused);
    }
    // A count that the points do not make up; one point more; a count of none.
    const count = bytes[head]!;
    expect(prepare(number, changed(head, count + 1))).toEqual(refused);
    expect(prepare(number, changed(head + 7, 1))).toEqual(refused);
    const fewer = prepare(number, changed(head, count - 1));
    const none = prepare(number, toHex(bytes.with(head, 0).subarray(0, head + 8)));
    if (isBls) {
      expect(fewer).toEqual(refused);
      expect(none).toEqual(refused);
    } else {
      expect(bytesOf(fewer.result)[0]).toHaveLength((count - 1) * g1Bytes * 2);
      expect(bytesOf(none.result)[0]).toBe('');
    }
  });

  it('prepare keys of up to 256 points', () => {
    const [key] = keys[0]!;
    const head = 2 * (g1Bytes + 3 * g2Bytes);
    const point = g1(G1.ZERO);
    const keyOf = (count: number) => key!.slice(0, head) + scalar(BigInt(count)).slice(0, 16) + point.repeat(count);
    expect(bytesOf(prepare(number, keyOf(256)).result)[0]).toBe(point.repeat(256));
    expect(prepare(number, keyOf(257)).result).toBe('ABORTED 1');
  });
});

describe('natives of 0x2::groth16', () => {
  it('abort for an unknown curve', () => {
    expect(prepare(2, '')).toEqual({ result: 'ABORTED 0', gas: 1000n });
    expect(verify(255, ['', '', '', '', '00'.repeat(300), ''])).toEqual({ result: 'ABORTED 0', gas: 1000n });
  });

  it('do not accept points outside of the subgroup', () => {
    // x = 4 is on the curve of BLS12-381's G1, outside of the subgroup.
    const [parts] = vectors.bls12381.verify;
    const outside = `80${'00'.repeat(46)}04`;
    expect(verify(0, parts!.with(5, outside + parts![5]!.slice(96))).result).toBe('false');
    const [key] = vectors.bls12381.prepare[0]!;
    expect(prepare(0, outside + key!.slice(96)).result).toBe('ABORTED 1');
    // Every x of BN254's G2 in eight of nine or so is outside; 64 bytes, little endian.
    const [bnKey] = vectors.bn254.prepare[0]!;
    let refused = 0;
    for (let x = 1; x < 10; x++) {
      const point = `${x.toString(16).padStart(2, '0')}${'00'.repeat(63)}`;
      if (prepare(1, bnKey!.slice(0, 64) + point + bnKey!.slice(64 + 128)).result === 'ABORTED 1') refused++;
    }
    expect(refused).toBe(9);
  });

  it('read infinity of BN254 by its flag, whatever x is, and no point with both flags', () => {
    const [parts] = vectors.bn254.verify;
    const withFirst = (point: string) => verify(1, parts!.with(0, point + parts![0]!.slice(64))).result;
    const [key] = vectors.bn254.prepare[0]!;
    const first = (point: string) => prepare(1, point + key!.slice(64)).result;
    const one = `01${'00'.repeat(383)}`;
    const five = `05${'00'.repeat(30)}`;
    expect(withFirst(`${five}40`)).toBe('false');
    expect(bytesOf(first(`${five}40`))[1]).toBe(one);
    expect(first(`${five}c0`)).toBe('ABORTED 1');
    expect(first(`47fd7cd8168c203c8dca7168916a81975d588181b64550b829a031e1724e64${'70'}`)).toBe('ABORTED 1');
  });
});

/** The fields of a prepared key as it is shown. */
function bytesOf(result: string): string[] {
  const fields = JSON.parse(`[${result.slice(1, -1)}]`) as number[][];
  return fields.map((field) => toHex(Uint8Array.from(field)));
}
