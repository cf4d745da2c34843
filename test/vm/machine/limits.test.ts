import { describe, expect, it } from 'vitest';
import { isStackExhausted } from '../../../src/vm/failure.ts';
import { ENGINES, SMALL_SCHEDULE, World } from './world.ts';

/** A function that calls itself `n` times, with `extra` more locals and `kept` operands below each call. */
function recursion(name: string, extra: number, kept: number): string {
  const locals = Array.from({ length: extra }, (_, index) => `let x${index}: u64;`).join(' ');
  const uses = Array.from({ length: extra }, (_, index) => `LdU64 ${index}; StLoc x${index};`).join(' ');
  const below = 'LdU64 1;'.repeat(kept);
  const sum = 'Add;'.repeat(kept);
  return `
    public fun ${name}(n: u64): u64 {
      ${locals}
      ${uses}
      CopyLoc n; LdU64 0; Eq; BrTrue end
      ${below}
      MoveLoc n; LdU64 1; Sub; Call ${name}
      ${sum} LdU64 0; Add; Ret
      end: LdU64 0; Ret
    }`;
}

describe('the call stack', () => {
  const world = new World([
    `module 0x1::m
     ${recursion('plain', 0, 0)}
     public fun forever(n: u64): u64 { MoveLoc n; Call forever; Ret }
     public fun ping(n: u64): u64 { CopyLoc n; LdU64 0; Eq; BrTrue end; MoveLoc n; LdU64 1; Sub; Call pong; Ret; end: MoveLoc n; Ret }
     fun pong(n: u64): u64 { MoveLoc n; Call ping; Ret }`,
  ]);

  it('lets 1024 frames wait', () => {
    expect(world.agree('m::plain', [1024n]).result).toBe('0');
    expect(world.agree('m::ping', [512n]).result).toBe('0');
  });

  it('fails at the call that would be one more', () => {
    expect(world.agree('m::plain', [1025n]).result).toBe('CALL_STACK_OVERFLOW at m:0:7');
    expect(world.agree('m::ping', [513n]).result).toBe('CALL_STACK_OVERFLOW at m:2:7');
    expect(world.agree('m::forever', [0n]).result).toBe('CALL_STACK_OVERFLOW at m:1:1');
  });
});

describe('the operand stack', () => {
  const below = (count: number): string =>
    `${'LdU64 1;'.repeat(count)} LdU64 1; Call push; ${'Add;'.repeat(count)} Ret`;
  const world = new World([
    `module 0x1::m
     ${recursion('one', 0, 1)}
     ${recursion('three', 0, 3)}
     fun push(n: u64): u64 { MoveLoc n; LdU64 1; Pop; Ret }
     public fun full(): u64 { ${below(1022)} }
     public fun fuller(): u64 { ${below(1023)} }
     public fun most(): u64 { ${'LdU64 1;'.repeat(1024)}${'Add;'.repeat(1023)} Ret }
     fun pair(): u64, u64 { LdU64 1; LdU64 1; Ret }
     public fun pairs(): u64 { ${'LdU64 1;'.repeat(1022)} Call pair; ${'Add;'.repeat(1023)} Ret }`,
  ]);

  it('holds 1024 values over all frames', () => {
    expect(world.agree('m::one', [500n]).result).toBe('500');
    expect(world.agree('m::full').result).toBe('1023');
    expect(world.agree('m::most').result).toBe('1024');
    expect(world.agree('m::pairs').result).toBe('1024');
  });

  it('fails at the push that would be one more', () => {
    expect(world.agree('m::fuller').result).toBe('EXECUTION_STACK_OVERFLOW at m:2:1');
    expect(world.agree('m::three', [1000n]).result).toMatch(/^EXECUTION_STACK_OVERFLOW at m:1:\d+$/);
    for (let n = 335; n < 350; n++) world.agree('m::three', [BigInt(n)]);
    for (let n = 1018; n <= 1026; n++) world.agree('m::one', [BigInt(n)]);
  });
});

describe('what depends on types', () => {
  const nested = (depth: number, inner: string): string => `${'vector<'.repeat(depth)}${inner}${'>'.repeat(depth)}`;
  const structs = Array.from({ length: 128 }, (_, index) =>
    index === 0 ? 'struct S0 has drop { x: u8 }' : `struct S${index} has drop { x: S${index - 1} }`,
  );
  const packs = Array.from({ length: 128 }, (_, index) => `Pack S${index};`);
  const doubling = Array.from({ length: 7 }, (_, index) =>
    index === 6
      ? 'fun d6<T>(): u64 { LdU64 6; Ret }'
      : `public fun d${index}<T>(): u64 { LdU64 1; Pop; Call d${index + 1}<Two<T, T>>; Ret }`,
  );
  const world = new World(
    [
      `module 0x1::m
       ${structs.join('\n')}
       struct Box<T> has drop { value: T }
       struct Two<A, B> has drop { a: A, b: B }
       public fun deep(): u64 { LdU8 1; ${packs.slice(0, 127).join('')} Pop; LdU64 1; Ret }
       public fun deeper(): u64 { LdU8 1; ${packs.join('')} Pop; LdU64 1; Ret }
       public fun vectors(): u64 { VecPack ${nested(127, 'u8')} 0; Pop; LdU64 1; Ret }
       public fun more_vectors(): u64 { VecPack ${nested(128, 'u8')} 0; Pop; LdU64 1; Ret }
       public fun boxes(): u64 { VecPack ${nested(63, 'Box<u8>')} 0; Pop; LdU64 1; Ret }
       public fun more_boxes(): u64 { VecPack ${nested(64, 'Box<u8>')} 0; Pop; LdU64 1; Ret }
       ${doubling.join('\n')}
       public fun empty<T: drop>(): u64 { LdU64 1; VecPack Two<T, T> 0; Pop; Ret }
       public fun returned(): ${nested(128, 'u8')} { VecPack ${nested(127, 'u8')} 0; Ret }`,
    ],
    { schedule: SMALL_SCHEDULE },
  );

  // The rules of execution.md 3.4: 128 levels, where the value that is packed is the first.
  it('packs values of up to 128 levels', () => {
    expect(world.agree('m::deep', [], true).result).toBe('1');
    expect(world.agree('m::deeper', [], true).result).toBe('VM_MAX_VALUE_DEPTH_REACHED at m:1:128');
    expect(world.agree('m::vectors', [], true).result).toBe('1');
    expect(world.agree('m::more_vectors', [], true).result).toBe('VM_MAX_VALUE_DEPTH_REACHED at m:3:0');
  });

  it('counts the depth of a type argument twice, as the reference does', () => {
    expect(world.agree('m::boxes', [], true).result).toBe('1');
    expect(world.agree('m::more_boxes', [], true).result).toBe('VM_MAX_VALUE_DEPTH_REACHED at m:5:0');
  });

  // Their number must not decide whether the JavaScript stack has room: engines differ in how much they have.
  it('is measured for twelve thousand structs in each other', () => {
    const structs = ['struct S0 has copy, drop { x: u64 }'];
    for (let level = 1; level <= 12_000; level++) structs.push(`struct S${level} has copy, drop { a: S${level - 1} }`);
    const deep = new World([`module 0x1::m ${structs.join('\n')} public fun f() { VecPack S12000 0; Pop; Ret }`]);
    expect(deep.agree('m::f').result).toBe('VM_MAX_VALUE_DEPTH_REACHED at m:0:0');
  });

  it('calls with up to 128 nodes of type arguments', () => {
    // 63 nodes are in force in d5, 127 would be passed on.
    expect(world.agree('m::d0<u8>', [], true).result).toBe('TOO_MANY_TYPE_NODES at m:11:2');
    expect(world.agree('m::d1<u8>').result).toBe('6');
    expect(world.agree('m::d1<0x1::m::S0>').result).toBe('6');
  });

  it('returns no value whose type has no layout', () => {
    expect(world.agree('m::returned').result).toBe('VERIFICATION_ERROR at nowhere');
  });

  it('reports type arguments inside a frame as an invariant violation', () => {
    let type = 'u8';
    for (let level = 0; level < 6; level++) type = `0x1::m::Two<${type}, ${type}>`;
    expect(world.agree(`m::empty<${type}>`, [], true).result).toBe('VERIFICATION_ERROR at m:13:1');
    expect(world.agree('m::empty<u8>', [], true).result).toBe('1');
  });
});

describe('what a machine keeps', () => {
  it('is bounded, and forgotten functions and types run as before', () => {
    const world = new World(
      [
        `module 0x1::m
         struct Two<A, B> has copy, drop { a: A, b: B }
         fun make<A, B>(a: A, b: B): Two<A, B> { MoveLoc a; MoveLoc b; Pack Two<A, B>; Ret }
         fun swap<A, B>(t: Two<A, B>): Two<B, A> { let a: A; let b: B; MoveLoc t; Unpack Two<A, B>; StLoc b; StLoc a; MoveLoc b; MoveLoc a; Call make<B, A>; Ret }
         fun down(n: u64): u64 { CopyLoc n; LdU64 0; Eq; BrTrue end; MoveLoc n; LdU64 1; Sub; Call down; LdU64 1; Add; Ret; end: MoveLoc n; Ret }
         public fun f<A: copy, drop, B: copy, drop>(a: A, b: B): Two<B, Two<A, B>>, bool, u64 {
           CopyLoc b; CopyLoc a; CopyLoc b; Call make<A, B>; Call make<B, Two<A, B>>
           CopyLoc a; CopyLoc b; Call make<A, B>; Call swap<A, B>; MoveLoc b; MoveLoc a; Call make<B, A>; Eq
           LdU64 9; Call down; Ret
         }`,
      ],
      { limits: { specialisationsMax: 6, structTypesMax: 5 } },
    );
    const values: readonly (readonly [string, unknown])[] = [
      ['u8', 1],
      ['u64', 2n],
      ['bool', true],
      ['u256', 3n],
    ];
    for (let round = 0; round < 3; round++) {
      for (const [a, first] of values) {
        for (const [b, second] of values) {
          const { result } = world.agree(`m::f<${a};${b}>`, [first, second]);
          expect(result).toBe(`{${second}, {${first}, ${second}}}, true, 9`);
        }
      }
    }
  });
});

describe('the JavaScript stack', () => {
  const world = new World([`module 0x1::m ${recursion('wide', 250, 0)}`]);

  it('gives the same result and gas on the interpreter when it runs out', () => {
    const deep = world.run('interpret', 'm::wide', [1024n]);
    expect(deep.result).toBe('0');
    const translated = world.run('translate', 'm::wide', [1024n]);
    if (translated.result !== 'stackExhausted') expect(translated).toEqual(deep);
  });

  it('is told apart from outcomes when a call starts near its end', () => {
    const small = world.run('interpret', 'm::wide', [20n]);
    let exhausted = 0;
    let returned = 0;
    const sink = (depth: number): void => {
      try {
        sink(depth + 1);
      } catch (thrown) {
        if (!isStackExhausted(thrown)) throw thrown;
      }
      if (depth % 7 !== 0 || returned > 3) return;
      let summary: { result: string } | undefined;
      try {
        summary = world.run('translate', 'm::wide', [20n]);
      } catch (thrown) {
        // So near the end that not even the machine's own first steps have room.
        if (!isStackExhausted(thrown)) throw thrown;
        return;
      }
      if (summary.result === 'stackExhausted') exhausted++;
      else {
        expect(summary).toEqual(small);
        returned++;
      }
    };
    sink(0);
    expect(exhausted).toBeGreaterThan(0);
    expect(returned).toBeGreaterThan(0);
    for (const engine of ENGINES) expect(world.run(engine, 'm::wide', [20n])).toEqual(small);
  });
});
