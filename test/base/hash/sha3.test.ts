/** Hashes of all lengths are those of the host and of @noble/hashes, before and after the module is made. */
import crypto from 'node:crypto';
import { sha3_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';

const HASHES_BEFORE_MODULE = 4_096;

let sha3: (data: Uint8Array) => Uint8Array;
let places: Omit<typeof import('../../../src/base/hash/sha3.ts'), 'sha3'>;

beforeEach(async () => {
  vi.resetModules();
  ({ sha3, ...places } = await import('../../../src/base/hash/sha3.ts'));
});

afterEach(() => vi.unstubAllGlobals());

function makeModule(): void {
  for (let count = 0; count < HASHES_BEFORE_MODULE; count++) sha3(Uint8Array.of(count));
}

describe('SHA3-256', () => {
  it('is that of FIPS 202', () => {
    const known = 'a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a';
    expect(toHex(sha3(new Uint8Array(0)))).toBe(known);
    makeModule();
    expect(toHex(sha3(new Uint8Array(0)))).toBe(known);
  });

  it('is that of other libraries for every length from none to some blocks, whatever came before', () => {
    makeModule();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 700, maxLength: 700 }), (bytes) => {
        for (let length = 0; length <= bytes.length; length++) {
          const data = bytes.subarray(length % 7, length);
          const hash = sha3(data);
          expect(hash).toEqual(sha3_256(data));
          expect(toHex(hash)).toBe(crypto.createHash('sha3-256').update(data).digest('hex'));
        }
      }),
      { numRuns: 3 },
    );
  });

  it('gives memory of its own', () => {
    makeModule();
    const first = sha3(Uint8Array.of(1));
    const before = first.slice();
    sha3(Uint8Array.of(2));
    expect(first).toEqual(before);
    expect(first.buffer.byteLength).toBe(32);
  });

  it('is that of the host where there is no WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    makeModule();
    expect(sha3(Uint8Array.of(5))).toEqual(sha3_256(Uint8Array.of(5)));
  });
});

/** What the places hold, and what they should. */
class Model {
  readonly hashes = new Map<number, Uint8Array>();

  put(place: number, hash: Uint8Array): void {
    places.putHash(place, hash);
    this.hashes.set(place, hash);
  }

  digest(place: number, data: Uint8Array): void {
    places.digestInto(place, data);
    this.hashes.set(place, sha3_256(data));
  }

  pair(left: number, right: number, to: number): void {
    places.hashPair(left, right, to);
    const joined = Uint8Array.of(...this.hashes.get(left)!, ...this.hashes.get(right)!);
    this.hashes.set(to, sha3_256(joined));
  }

  check(): void {
    for (const [place, hash] of this.hashes) expect(places.hashIn(place)).toEqual(hash);
  }
}

describe('places of hashes', () => {
  const place = fc.nat({ max: 71 });
  const steps = fc.array(
    fc.oneof(
      fc.tuple(fc.constant('digest'), place, fc.uint8Array({ maxLength: 700 })),
      fc.tuple(fc.constant('pair'), place, place, place),
    ),
    { maxLength: 40 },
  );

  function run(model: Model, taken: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never): void {
    for (const [kind, ...given] of taken) {
      if (kind === 'digest') model.digest(...(given as [number, Uint8Array]));
      else model.pair(...(given as [number, number, number]));
    }
  }

  it('hold the digests that were put there and those of pairs, before and after the module is made', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const model = new Model();
        for (let index = 0; index < 72; index++) model.put(index, sha3_256(Uint8Array.of(index)));
        run(model, before);
        model.check();
        makeModule();
        model.check();
        run(model, after);
        model.check();
      }),
      { numRuns: 20 },
    );
  });

  it('do not mind what is hashed in between, and return memory of their own', () => {
    makeModule();
    const model = new Model();
    model.digest(70, Uint8Array.of(1));
    model.digest(71, Uint8Array.of(2));
    sha3(new Uint8Array(500).fill(3));
    const first = places.hashIn(71);
    model.pair(70, 71, 71);
    model.check();
    expect(first).toEqual(sha3_256(Uint8Array.of(2)));
  });

  it('are hashed by the host where there is no WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    makeModule();
    const model = new Model();
    model.digest(0, Uint8Array.of(1));
    model.digest(1, new Uint8Array(800));
    model.pair(0, 1, 0);
    model.check();
  });
});
