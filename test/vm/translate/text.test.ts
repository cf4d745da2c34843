import { afterEach, describe, expect, it, vi } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { randomNumbers, seed } from '../../effort.ts';
import { assembleModule } from '../assemble.ts';
import { randomProgram } from '../machine/random-program.ts';
import { SMALL_SCHEDULE, World } from '../machine/world.ts';

/** Every word that translated code and generated classes and operations are made of. */
const WORDS = new Set(
  `use strict return function const let if else for switch case throw new class constructor break continue this
   true false undefined null typeof get set copy equals assign size comparedSize write read push pop grow swap append shared unshare slice
   items length owner dirty references value target vector index view bytes uleb128 copy bool u8 u16 u32 u64 u128 u256
   run enter left refill chargeSegment chargeWithin settle loadConstant arithmetic abort depth fault interpret BigInt asUintN Number Struct
   FieldReference ElementReference Uint8Array Uint16Array Uint32Array BigUint64Array`.split(/\s+/),
);

afterEach(() => {
  vi.unstubAllGlobals();
});

/** How deep the parentheses of a text nest. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Chains of operations, each on the result of the one before, without a statement in between. */
const CHAINS: Readonly<Record<string, string>> = {
  Not: 'LdTrue; chain(Not;) StLoc c',
  And: 'CopyLoc c; chain(CopyLoc c; And;) StLoc c',
  BitAnd: 'CopyLoc a; chain(CopyLoc a; BitAnd;) StLoc a',
  'BitOr of sums': 'CopyLoc a; chain(CopyLoc a; LdU64 1; Add; BitOr;) StLoc a',
  Shr: 'CopyLoc a; chain(LdU8 1; Shr;) StLoc a',
  Eq: 'LdTrue; chain(CopyLoc c; Eq;) StLoc c',
};

describe('the text of translated code', () => {
  it.each(Object.entries(CHAINS))('has no long expression for a long chain of %s', (_name, chain) => {
    const texts: string[] = [];
    const Original = Function;
    vi.stubGlobal('Function', function Recorder(...parts: string[]) {
      texts.push(parts.at(-1)!);
      return Original(...parts);
    });
    const body = chain.replace(/chain\((.*)\)/, (_whole, links: string) => links.repeat(2_000));
    const text = `module 0x1::m public fun f(a: u64, c: bool) { ${body}; Ret }`;
    new World([text], { schedule: SMALL_SCHEDULE }).agree('m::f', [5n, true]);
    expect(texts.length).toBeGreaterThan(0);
    expect(Math.max(...texts.map(nesting))).toBeLessThan(200);
  });

  it('is made of integers, operators and generated names only', () => {
    const texts: string[] = [];
    const Original = Function;
    vi.stubGlobal('Function', function Recorder(...parts: string[]) {
      texts.push(parts.at(-1)!);
      return Original(...parts);
    });
    for (let number = 0; number < 30; number++) {
      const world = new World([randomProgram(randomNumbers(seed + number)).text]);
      for (let round = 0; round < 20; round++) world.run('translate', 'program::main', [], 50_000n);
      world.run('switch', 'program::main', [], 50_000n);
      world.run('mixed', 'program::main', [], 50_000n);
    }
    expect(texts.length).toBeGreaterThan(100);
    for (const text of texts) {
      for (const word of text.replace(/\b0x[0-9a-f]+n/g, '0').match(/[A-Za-z_$][\w$]*/g) ?? []) {
        const isGenerated = /^([ltcfI]\d+|[BL]\d+(I\d+)?|[gceBUkprwovabsnitx])$/.test(word);
        expect(isGenerated || WORDS.has(word), `${word} in ${text.slice(0, 300)}`).toBe(true);
      }
      expect(text).not.toMatch(/[`'\\]|\/\/|<!--/);
    }
  });
});

describe('a host that forbids code from text', () => {
  it('has its calls interpreted', async () => {
    vi.resetModules();
    vi.stubGlobal('Function', () => {
      throw new EvalError('code generation from strings is disallowed');
    });
    const fresh = await import('../machine/world.ts');
    const { Machine } = await import('../../../src/vm/machine.ts');
    const { NativeTable } = await import('../../../src/vm/native.ts');
    const { GasMeter } = await import('../../../src/vm/gas/meter.ts');
    const { INITIAL_GAS_SCHEDULE } = await import('../../../src/vm/gas/schedule.ts');
    const module = assembleModule(
      `module 0x1::m
       struct P has copy, drop { a: u64, v: vector<u8> }
       public fun f(n: u64): P {
         let i: u64
         LdU64 0; StLoc i
         head: CopyLoc i; CopyLoc n; Lt; BrFalse end
         CopyLoc i; LdU64 1; Add; StLoc i; Branch head
         end: MoveLoc i; LdConst vector<u8> 0x020102; Pack P; Ret
       }`,
    );
    const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE });
    const id = { address: addressOf(1), name: 'm' };
    const call = { module: id, function: 'f', typeArguments: [], arguments: [{ value: 500n }] };
    const setting = { source: { load: () => module }, gas: new GasMeter(10n ** 9n), host: undefined };
    for (let round = 0; round < 100; round++) {
      expect(fresh.summarise(machine.call(call, setting))).toBe('{500, [1, 2]}');
    }
  });
});
