import { readFileSync } from 'node:fs';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { NativeWorld } from './native-world.ts';
import { hex, text, withoutPlace } from './values.ts';

type Case = readonly [what: string, key: string, message: string, signature: string, valid: boolean];

const { bls12381 } = JSON.parse(
  readFileSync(new URL('../../vectors/wycheproof.json', import.meta.url), 'utf8'),
) as Record<'bls12381', readonly Case[]>;

const world = new NativeWorld(
  '0x2::bls12381',
  `native fun bls12381_min_sig_verify(&vector<u8>, &vector<u8>, &vector<u8>): bool
   native fun bls12381_min_pk_verify(&vector<u8>, &vector<u8>, &vector<u8>): bool`,
);
const verify = (scheme: 'sig' | 'pk', signature: string, key: string, message: Uint8Array) =>
  withoutPlace(world.call(`bls12381_min_${scheme}_verify`, hex(signature), hex(key), message));

function gasOf(...parts: readonly string[]): bigint {
  return 1000n + 30n * BigInt(parts.join('').length / 2);
}

// The tests of the reference.
const SHORT_SIGNATURE = {
  key: '8c66dc2c1ea9e53f0985c17b4e7af19912b6d3c40e0c5920a5a12509b4eb3619f5e07ec56ea77f0b30629ba1cc72d75b139460782a5f0e2f89fb4c42b4b8a5fae3d260102220e63d0754e7e1846deefd3988eade4ed37f1385437d19de1a1618',
  signature: '89dff2dc1e9428b9437d50b37f8160eca790110ea2a79b6c88a43a16953466f8e391ff65842b067a1c9441c7c2cebce0',
};
const SHORT_KEY = {
  key: 'b157f238403a5b980546fd19ca48f79a2613e3e3a91d14ee69908b8816e4c53665370b2fbd0db62cc4aa0e8caeedc9b5',
  signature:
    '8dec0b9a1a629cc96c57144ee8e7dd5c93acb465286f1214df3b8482c3f16e10db4277ead785f5d5bc77b4e51affd2580dead4d0d21cf20fc5e2b4bec2586c2bd6c73fee76c11f214871f77dada4c578034c3b978f1cccb82bdd78fe5ee67de1',
};
const G1_INFINITY = `c0${'00'.repeat(47)}`;
const G2_INFINITY = `c0${'00'.repeat(95)}`;
/** x = 4 is on the curve of G1, outside of the subgroup. */
const G1_OUTSIDE = `80${'00'.repeat(46)}04`;
const P = '1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab';

describe.each([
  ['sig', SHORT_SIGNATURE],
  ['pk', SHORT_KEY],
] as const)('0x2::bls12381, min %s', (scheme, { key, signature }) => {
  const Signature = scheme === 'sig' ? bls12_381.G1.Point : bls12_381.G2.Point;
  const Key = scheme === 'sig' ? bls12_381.G2.Point : bls12_381.G1.Point;
  const infinityOf = (point: string) => (point.length === 96 ? G1_INFINITY : G2_INFINITY);

  it('verifies what the reference verifies', () => {
    const message = toHex(new TextEncoder().encode('hello, narwhal'));
    expect(verify(scheme, signature, key, hex(message))).toEqual({
      result: 'true',
      gas: gasOf(signature, key, message),
    });
    expect(verify(scheme, signature, key, text('hello, rooch')).result).toBe('false');
    expect(verify(scheme, signature, key.slice(0, -4), hex(message))).toEqual({
      result: 'ABORTED 2',
      gas: gasOf(signature, key.slice(0, -4), message),
    });
    expect(verify(scheme, signature.slice(0, -4), key.slice(0, -4), hex(message)).result).toBe('ABORTED 1');
  });

  it('reads uncompressed points', () => {
    const [long, longKey] = [Signature.fromHex(signature).toHex(false), Key.fromHex(key).toHex(false)];
    expect(verify(scheme, long, longKey, text('hello, narwhal')).result).toBe('true');
    expect(verify(scheme, signature, longKey, text('hello, narwhal')).result).toBe('true');
    // The y of a point off the curve, flags that only compressed points have, and coordinates that are no coordinates.
    const flip = (digits: string, at: number, mask: number) => {
      const bytes = fromHex(digits);
      bytes[at]! ^= mask;
      return toHex(bytes);
    };
    for (const wrong of [
      flip(long, long.length / 2 - 1, 1),
      flip(long, 0, 0x20),
      flip(long, 0, 0x40),
      flip(long, 0, 0x80),
    ]) {
      expect(verify(scheme, wrong, key, text('')).result).toBe('ABORTED 1');
    }
    const y = BigInt(`0x${long.slice(-96)}`) + BigInt(`0x${P}`);
    expect(verify(scheme, long.slice(0, -96) + y.toString(16).padStart(96, '0'), key, text('')).result).toBe(
      'ABORTED 1',
    );
    expect(verify(scheme, signature, flip(longKey, longKey.length / 2 - 1, 1), text('')).result).toBe('ABORTED 2');
  });

  it('reads infinity in the one form that each length has, and verifies nothing with it', () => {
    const infinity = infinityOf(signature);
    expect(verify(scheme, infinity, key, text('hello, narwhal')).result).toBe('false');
    expect(verify(scheme, `40${'00'.repeat(signature.length - 1)}`, key, text('hello, narwhal')).result).toBe('false');
    for (const wrong of [
      `e${infinity.slice(1)}`,
      `${infinity.slice(0, -1)}1`,
      `00${'00'.repeat(signature.length - 1)}`,
    ]) {
      expect(verify(scheme, wrong, key, text('hello, narwhal')).result).toBe('ABORTED 1');
    }
    expect(verify(scheme, infinity, infinityOf(key), text('hello, narwhal')).result).toBe('ABORTED 2');
    expect(verify(scheme, signature, '', text('')).result).toBe('ABORTED 2');
    expect(verify(scheme, '', key, text('')).result).toBe('ABORTED 1');
  });
});

describe('0x2::bls12381, points outside of the subgroup', () => {
  // x = 0 gives points of order 3 in G1, which the library of the reference does not accept as points; see its e1.c.
  const ORDER_3 = `80${'00'.repeat(47)}`;
  /** The first point of G2's curve with a small x; a point of the subgroup has none. */
  const outside = (): string => {
    for (let x = 1; ; x++) {
      const digits = `80${'00'.repeat(94)}${x.toString(16).padStart(2, '0')}`;
      if (verify('pk', digits, SHORT_KEY.key, text('')).result !== 'ABORTED 1') return digits;
    }
  };

  it('are signatures, but wrong ones, and no keys', () => {
    expect(verify('sig', G1_OUTSIDE, SHORT_SIGNATURE.key, text('')).result).toBe('false');
    expect(verify('sig', ORDER_3, SHORT_SIGNATURE.key, text('')).result).toBe('ABORTED 1');
    expect(verify('sig', `00${'00'.repeat(94)}02`, SHORT_SIGNATURE.key, text('')).result).toBe('ABORTED 1');
    expect(verify('pk', SHORT_KEY.signature, G1_OUTSIDE, text('')).result).toBe('ABORTED 2');
    expect(verify('pk', SHORT_KEY.signature, ORDER_3, text('')).result).toBe('ABORTED 2');
    const point = outside();
    expect(verify('pk', point, SHORT_KEY.key, text('')).result).toBe('false');
    expect(verify('sig', SHORT_SIGNATURE.signature, point, text('')).result).toBe('ABORTED 2');
  });
});

describe('0x2::bls12381, Wycheproof', () => {
  /** Malformed points abort, in what order is tested above. */
  const results: Readonly<Record<string, readonly string[]>> = {
    true: ['true'],
    false: ['false', 'ABORTED 1', 'ABORTED 2'],
  };

  it.each(bls12381)('%s', (what, key, message, signature, valid) => {
    const { result, gas } = verify('pk', signature, key, hex(message));
    expect(results[String(valid)]).toContain(result);
    expect(gas).toBe(gasOf(signature, key, message));
    if (/truncated|trailing|encoding|flag|on the/i.test(what) && !valid) {
      expect(result).toBe(/G1|PK|public key/.test(what) ? 'ABORTED 2' : 'ABORTED 1');
    }
  });
});
