/**
 * Modules of hundreds of kilobytes, which one transaction may hold, must not be checked entry by entry against each
 * other: what is looked at is counted here, since no test is timed.
 */
import { describe, expect, it } from 'vitest';
import type { Module, StructDefinition } from '../../../src/vm/binary/module.ts';
import { structOf } from '../../../src/vm/binary/signature-token.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { verifyDependencies } from '../../../src/vm/verify/dependencies.ts';
import { encodeMetadata } from '../../../src/vm/verify/module-metadata.ts';
import { verifyPublish } from '../../../src/vm/verify/publish.ts';
import { StepMeter } from '../../../src/vm/verify/step-meter.ts';
import { assembleModule } from '../assemble.ts';

const MANY = 200;
const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join('\n');

const ADDRESS = `0x${'00'.repeat(31)}42`;
const NONE = new Map<string, never>();

describe('checks of large modules', () => {
  it('read the friends of a module once, however many of its functions are called (15 ms for each before, with 12,000 friends)', () => {
    const owner = assembleModule(`module ${ADDRESS}::owner
      ${times(MANY, (at) => `friend ${ADDRESS}::f${at}`)}
      ${times(MANY, (at) => `public(friend) fun g${at}() { Ret }`)}`);
    let reads = 0;
    const watched: Module = Object.defineProperty({ ...owner }, 'friends', {
      get: () => {
        reads++;
        return owner.friends;
      },
    });
    const caller = assembleModule(`module ${ADDRESS}::f${MANY - 1}
      extern ${ADDRESS}::owner { ${times(MANY, (at) => `public(friend) fun g${at}()`)} }
      fun f() { ${times(MANY, (at) => `Call ${ADDRESS}::owner::g${at}`)}; Ret }`);
    expect(verifyDependencies(caller, () => watched)).toEqual({ ok: true });
    expect(reads).toBe(1);
    const stranger = {
      ...caller,
      identifiers: caller.identifiers.map((name) => (name === `f${MANY - 1}` ? 'x' : name)),
    };
    expect(verifyDependencies(stranger, () => watched)).toMatchObject({ ok: false });
  });

  it.each(['privateGenerics', 'dataStructFunctions'] as const)(
    'read the metadata of a module once for all calls of its functions (%s; 4 s for 220 kB before)',
    (kind) => {
      const metadata = { privateGenerics: NONE, gasFree: NONE, dataStructs: NONE, dataStructFunctions: NONE };
      const callee: Module = {
        ...assembleModule(`module ${ADDRESS}::callee
          public fun f<T>() { Ret }
          public fun g<T>() { Ret }`),
        metadata: [encodeMetadata({ ...metadata, [kind]: new Map([['0x42::callee::f', [0n]]]) })!],
      };
      const calling = (code: string): Module =>
        assembleModule(`module ${ADDRESS}::caller
          struct Own has copy, drop { x: u8 }
          extern ${ADDRESS}::callee { fun f<T>()
            fun g<T>() }
          fun f() { ${code} Ret }`);
      let lookups = 0;
      const stored = (): Module => {
        lookups++;
        return callee;
      };
      const call = (name: string, type: string): string => `Call ${ADDRESS}::callee::${name}<${type}>;`;
      const harmless = Array.from({ length: MANY }, () => call('g', 'vector<address>')).join('\n');
      expect(verifyPublish([calling(harmless)], stored)).toEqual({ ok: true });
      expect(lookups).toBeLessThan(10);
      // What is wrong after many calls of the same function is still found.
      expect(verifyPublish([calling(`${harmless} ${call('f', 'vector<u8>')}`)], stored)).toMatchObject({ ok: false });
      expect(
        verifyPublish([calling(`${harmless} ${call('f', kind === 'privateGenerics' ? 'Own' : 'u8')}`)], stored),
      ).toEqual({ ok: true });
    },
  );

  it('find the struct of a field without a search through all definitions', () => {
    const plain = assembleModule(`module ${ADDRESS}::m
      struct Wide has copy, drop { ${Array.from({ length: MANY }, (_, at) => `x${at}: Last`).join(', ')} }
      struct Last has copy, drop { x: u8 }`);
    const metadata = { privateGenerics: NONE, gasFree: NONE, dataStructFunctions: NONE };
    const names = ['0x42::m::Wide', '0x42::m::Last'].map((name) => [name, true] as const);
    let reads = 0;
    const [first, ...others] = plain.structDefinitions as [StructDefinition];
    const watched = Object.defineProperty({ ...first }, 'handle', {
      get: () => {
        reads++;
        return first.handle;
      },
    });
    const module: Module = {
      ...plain,
      structDefinitions: [watched, ...others],
      metadata: [encodeMetadata({ ...metadata, dataStructs: new Map(names) })!],
    };
    expect(first.fields).toContainEqual(expect.objectContaining({ type: structOf(1) }));
    expect(verifyPublish([module], () => undefined)).toEqual({ ok: true });
    expect(reads).toBeLessThan(MANY);
  });

  it('look each published module up once, and tell how many modules are named below', () => {
    const known = new Map<string, Module>();
    const chain = 20;
    const naming = (name: string, count: number): Module =>
      assembleModule(`module ${ADDRESS}::${name}
        ${times(count, (at) => `extern ${ADDRESS}::m${at} { fun f() }`)}
        public fun f() { ${times(count, (at) => `Call ${ADDRESS}::m${at}::f`)}
          Ret }`);
    for (let at = 0; at < chain; at++) known.set(`m${at}`, naming(`m${at}`, at));
    const asked: string[] = [];
    let links = 0;
    const verdict = verifyBundle(
      [naming('top', chain)],
      ({ name }) => {
        asked.push(name);
        return known.get(name);
      },
      (count) => {
        links += count;
      },
    );
    expect(verdict).toEqual({ ok: true });
    expect(asked).toHaveLength(new Set(asked).size);
    // Each module names itself, too.
    expect(links).toBe((chain * (chain + 1)) / 2);
  });
});

it('refuses a program one step above the bound', () => {
  const meter = new StepMeter(100);
  meter.charge(60);
  meter.charge(40);
  expect(meter.taken).toBe(100);
  expect(() => meter.charge(1)).toThrow('more than 100 steps');
});

it('tells every 50,000 steps how many there were', () => {
  const told: number[] = [];
  const meter = new StepMeter(Number.POSITIVE_INFINITY, (taken) => told.push(taken));
  for (const steps of [49_999, 1, 49_999, 1, 200_000, 49_999, 1]) meter.charge(steps);
  expect(told).toEqual([50_000, 100_000, 300_000, 350_000]);
});
