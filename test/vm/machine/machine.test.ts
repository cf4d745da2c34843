import { describe, expect, it } from 'vitest';
import { addressOf, formatAddressShort } from '../../../src/move/address.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE, listPrices, readGasSchedule } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { type NativeFunction, NativeTable } from '../../../src/vm/native.ts';
import { StatusCode } from '../../../src/vm/status.ts';
import { Cell, type Reference } from '../../../src/vm/value/reference.ts';
import type { Owner, StructInstance } from '../../../src/vm/value/struct.ts';
import { type ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { assembleModule, assembleScript } from '../assemble.ts';
import { BUDGET, ENGINES, SMALL_SCHEDULE, summarise, World } from './world.ts';

const AT_ONE = { address: addressOf(1), name: 'm' };

describe('arguments and returns', () => {
  const world = new World([
    `module 0x1::m
     struct S has copy, drop { a: u8, b: vector<bool> }
     struct K<phantom T> has drop { x: u64 }
     fun everything(a: bool, b: u8, c: u16, d: u32, e: u64, f: u128, g: u256, h: address, i: vector<u8>, j: S): S {
       MoveLoc j; Ret
     }
     fun references(a: &u64, b: &mut u64, c: &S, d: &mut vector<u8>): u64, vector<u8> {
       CopyLoc a; ReadRef; CopyLoc b; ReadRef; Add; CopyLoc b; WriteRef
       LdU8 9; CopyLoc d; LdU64 0; VecMutBorrow u8; WriteRef
       MoveLoc b; ReadRef; MoveLoc d; ReadRef; Ret
     }
     fun back(a: &u64, c: &S): &u64, &u8, &S { MoveLoc a; CopyLoc c; ImmBorrowField S.a; MoveLoc c; Ret }
     fun who(s: &signer): bool { MoveLoc s; Pop; LdTrue; Ret }
     fun hidden(): u64 { LdU64 1; Ret }
     entry fun open() { Ret }
     fun generic<T: copy, U>(k: u64): u64 { MoveLoc k; Ret }`,
  ]);
  const hex = (text: string): { bytes: Uint8Array } => ({ bytes: Uint8Array.from(Buffer.from(text, 'hex')) });
  const run = (name: string, ...given: string[]): string =>
    world.agreeOn((engine, budget) => world.runArguments(engine, name, given.map(hex), budget), name).result;

  it('decodes BCS by the types of the parameters', () => {
    const bytes = ['01', '02', '0300', '04000000', '0500000000000000', '06'.padEnd(32, '0'), '07'.padEnd(64, '0')];
    expect(run('m::everything', ...bytes, '08'.padStart(64, '0'), '020102', '0903010001')).toBe(
      '{9, [true, false, true]}',
    );
  });

  it('lends what a reference parameter is given', () => {
    expect(run('m::references', '0100000000000000', '0200000000000000', '0100', '020505')).toBe('3, [9, 5]');
    expect(run('m::back', '0700000000000000', '0300')).toBe('7, 3, {3, []}');
    expect(run('m::who', '05'.padStart(64, '0'))).toBe('true');
  });

  it.each([
    ['02', 'a bool of 2'],
    ['', 'nothing'],
    ['0100', 'a byte too many'],
  ])('refuses %j, %s', (bytes) => {
    const world2 = new World(['module 0x1::m fun f(a: bool) { Ret }']);
    const summary = world2.agreeOn((engine) => world2.runArguments(engine, 'm::f', [hex(bytes)]), 'f');
    expect(summary).toEqual({ result: 'FAILED_TO_DESERIALIZE_ARGUMENT at nowhere', gasUsed: 0n });
  });

  it('refuses the wrong number of arguments, functions and type arguments', () => {
    expect(run('m::hidden', '00')).toBe('NUMBER_OF_ARGUMENTS_MISMATCH at nowhere');
    expect(run('m::absent')).toBe('FUNCTION_RESOLUTION_FAILURE at nowhere');
    expect(run('m::generic<u8>', '00')).toBe('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH at nowhere');
    expect(run('m::generic<0x1::m::K<u8>;u8>', '00')).toBe('CONSTRAINT_NOT_SATISFIED at nowhere');
    expect(run('m::generic<0x1::m::S;0x1::m::None>', '00')).toBe('TYPE_RESOLUTION_FAILURE at nowhere');
    expect(run('m::generic<0x1::none::S;u8>', '00')).toBe('LINKER_ERROR at nowhere');
    expect(run('m::generic<0x1::m::S;0x1::m::K<signer>>', '0900000000000000')).toBe('9');
  });

  it('lets only entry functions be called if that is asked for', () => {
    const call = { module: AT_ONE, typeArguments: [], arguments: [], requireEntry: true };
    const setting = { source: world.source, gas: new GasMeter(BUDGET), host: undefined };
    const machine = world.machine('translate');
    expect(summarise(machine.call({ ...call, function: 'open' }, setting))).toBe('');
    expect(summarise(machine.call({ ...call, function: 'hidden' }, setting))).toBe(
      'EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION at nowhere',
    );
  });

  it('runs scripts', () => {
    const script = assembleScript(`
      extern 0x1::m { fun open() }
      script<T: drop>(x: u64) { Call 0x1::m::open; LdU64 5; MoveLoc x; Div; Pop; Ret }`);
    for (const engine of ENGINES) {
      const outcome = (x: bigint): string => {
        const call = { script, typeArguments: [{ kind: 'u8' } as const], arguments: [{ value: x }] };
        const setting = { source: world.source, gas: new GasMeter(BUDGET), host: undefined };
        return summarise(world.machine(engine).callScript(call, setting));
      };
      expect(outcome(1n)).toBe('');
      expect(outcome(0n)).toBe('ARITHMETIC_ERROR at script:0:3');
    }
  });
});

interface Log {
  readonly seen: string[];
}

const NATIVES: Readonly<Record<string, NativeFunction<Log>>> = {
  note: (context, signature, value: unknown) => {
    context.host.seen.push(`${signature.typeArguments[0]!.kind} ${String(value)}`);
    context.charge(10);
  },
  sum: (_context, _signature, bytes: ByteVector) => bytes.view().reduce((sum, byte) => sum + BigInt(byte), 0n),
  split: (_context, _signature, value: bigint) => [value / 2n, value % 2n === 1n],
  wrap: (_context, { returns }, value: bigint) => returns[0]!.make(value, new ByteVector(Uint8Array.of(1, 2))),
  refuse: (context) => {
    context.charge(7);
    return context.abort(33);
  },
  fail: (context) => context.fail(StatusCode.VM_EXTENSION_ERROR, 'broken', 4n),
  costly: (context, _signature, units: bigint) => {
    context.charge(Number(units));
    return context.gasLeft;
  },
  bump: (_context, _signature, target: Reference) => {
    target.set((target.get() as bigint) + 1n);
    return new Cell(target.get());
  },
  extend: (_context, _signature, target: ArrayVector, value: bigint) => target.push(value),
};

describe('natives', () => {
  const natives = new NativeTable<Log>().add(AT_ONE, NATIVES);
  const log: Log = { seen: [] };
  const world = new World<Log>(
    [
      `module 0x1::m
       struct W has copy, drop { n: u64, v: vector<u8> }
       native fun note<T>(T)
       native fun sum(vector<u8>): u64
       native fun split(u64): u64, bool
       native fun wrap(u64): W
       native fun refuse(): u64
       native fun fail(u64): u64
       native fun costly(u64): u64
       native fun bump(&mut u64): &u64
       native fun extend(&mut vector<u128>, u128)
       native fun missing(): u64
       public fun noted() { LdU64 5; Call note<u64>; LdTrue; Call note<bool>; Ret }
       public fun values(): u64, u64, bool, W, W {
         LdConst vector<u8> 0x03010203; Call sum; LdU64 9; Call split; LdU64 1; Call wrap; LdU64 2; Call wrap; Ret
       }
       public fun references(): u64, u64, vector<u128> {
         let n: u64; let v: vector<u128>
         LdU64 1; StLoc n; MutBorrowLoc n; Call bump; ReadRef; MoveLoc n
         VecPack u128 0; StLoc v; MutBorrowLoc v; LdU128 7; Call extend; MoveLoc v; Ret
       }
       public fun refused(): u64 { LdU64 1; Call refuse; LdU64 2; LdU64 3; Add; Pop; Add; Ret }
       public fun failed(): u64 { LdU64 1; Call fail; Ret }
       public fun absent(): u64 { LdU64 1; Call missing; Add; Ret }
       public fun paid(): u64 { LdU64 20; Call costly; LdU64 30; Call costly; Pop; Ret }
       fun full(): u64 { ${'LdU64 1;'.repeat(1022)} LdU64 1; Call split; Pop; ${'Add;'.repeat(1022)} Ret }
       public fun brought(): u64 { LdU64 1; Call full; Add; Ret }`,
    ],
    { natives, schedule: SMALL_SCHEDULE, host: () => log },
  );

  it('are called with their values and return theirs', () => {
    world.run('translate', 'm::noted', []);
    expect(log.seen.splice(0)).toEqual(['u64 5', 'bool true']);
    expect(world.agree('m::noted', [], true).result).toBe('');
    expect(world.agree('m::values', [], true).result).toBe('6, 4, true, {1, [1, 2]}, {2, [1, 2]}');
    expect(world.agree('m::references', [], true).result).toBe('2, 2, [7]');
    log.seen.length = 0;
  });

  it('fail at their own place', () => {
    expect(world.agree('m::refused', [], true).result).toBe('ABORTED 33 at m:4:0');
    expect(world.agree('m::failed', [], true).result).toBe('VM_EXTENSION_ERROR 4 at m:5:0');
    expect(world.agree('m::absent', [], true).result).toBe('MISSING_DEPENDENCY at m:9:0');
  });

  it('fail when what they return does not fit the operand stack', () => {
    expect(world.agree('m::full').result).toBe('1022');
    expect(world.agree('m::brought').result).toBe('EXECUTION_STACK_OVERFLOW at m:2:0');
  });

  it('see the gas that is left', () => {
    const { result, gasUsed } = world.agree('m::paid');
    // After the first native: its 20 units are gone, the second's 30 and the last instructions' are not.
    expect(BigInt(result)).toBeGreaterThan(BUDGET - gasUsed + 30n);
    expect(world.run('translate', 'm::paid', [], gasUsed - 1n).result).toBe('OUT_OF_GAS at nowhere');
  });

  it('cannot be called from outside', () => {
    expect(world.agree('m::refuse').result).toBe('PC_OVERFLOW at m:4:0');
  });
});

describe('gas', () => {
  const world = new World(['module 0x1::m public fun one(): u64 { LdU64 1; Ret }']);

  it('costs nothing while metering is off', () => {
    for (const engine of ENGINES) {
      const gas = new GasMeter(0n, false);
      const call = { module: AT_ONE, function: 'one', typeArguments: [], arguments: [] };
      expect(summarise(world.machine(engine).call(call, { source: world.source, gas, host: undefined }))).toBe('1');
      expect(gas.left).toBe(0n);
    }
  });

  it('is drawn from one meter by several calls, up to u64', () => {
    const gas = new GasMeter(2n ** 64n - 1n);
    const call = { module: AT_ONE, function: 'one', typeArguments: [], arguments: [] };
    for (const engine of ENGINES) world.machine(engine).call(call, { source: world.source, gas, host: undefined });
    expect(gas.left).toBe(2n ** 64n - 1n - BigInt(ENGINES.length) * 440n);
    expect(gas.charge(gas.left + 1n)).toBe(false);
    expect(gas.left).toBe(0n);
  });

  it('reads its schedule from the entries of the chain', () => {
    const { instruction, size } = INITIAL_GAS_SCHEDULE;
    const entries = new Map([...listPrices('instruction', instruction), ...listPrices('storage', size)]);
    expect(readGasSchedule(entries)).toEqual(INITIAL_GAS_SCHEDULE);
    expect(entries.get('instruction.mod_')).toBe(588n);
    expect(entries.get('storage.per_u256_packed')).toBe(32n);
    entries.delete('instruction.nop');
    expect(() => readGasSchedule(entries)).toThrow('instruction.nop');
    expect(() => readGasSchedule(entries.set('instruction.nop', 2n ** 33n))).toThrow(
      '2^32'.replace('2^32', '4294967296'),
    );
  });

  it('is exact for prices that do not fit a small integer', () => {
    const high = { ...INITIAL_GAS_SCHEDULE.instruction, ld_u64: 2 ** 31 + 5, copy_loc_per_abs_val_unit: 2 ** 30 };
    const text = `module 0x1::m public fun one(): u64, vector<u8> {
      let v: vector<u8>
      LdConst vector<u8> 0x03010203; StLoc v; LdU64 1; LdU64 2; Add; CopyLoc v; LdU64 1; Pop; Ret }`;
    const costly = new World([text], { schedule: { ...INITIAL_GAS_SCHEDULE, instruction: high } });
    const { gasUsed } = costly.agree('m::one');
    const flat = 2389 + 4 * 128 + 441 + 3 * (2 ** 31 + 5) + 588 + 294 + 43 * 2 ** 30 + 147 + 220;
    expect(gasUsed).toBe(BigInt(flat));
    for (let budget = gasUsed - 2n; budget >= 0n; budget -= 2n ** 29n + 12345n) {
      expect(costly.run('translate', 'm::one', [], budget)).toEqual(costly.run('interpret', 'm::one', [], budget));
    }
  });
});

describe('values that a host lends', () => {
  const bytes = Uint8Array.from(Buffer.from('05000000000000000201020101', 'hex'));
  /** A value that was read from somewhere, and whether it was written to. */
  interface Lent extends Owner {
    value?: StructInstance;
  }
  const held: { lent: Lent | undefined } = { lent: undefined };
  const natives = new NativeTable<typeof held>().add(AT_ONE, {
    lend: (context, { returns }) => {
      if (context.host.lent === undefined) {
        const lent: Lent = { dirty: false };
        lent.value = returns[0]!.item.decode(bytes, lent) as StructInstance;
        context.host.lent = lent;
      }
      return context.host.lent.value;
    },
  });
  const world = new World<typeof held>(
    [
      `module 0x1::m
       struct Inner has copy, drop, store { flag: bool }
       struct Outer has drop, store { n: u64, v: vector<u8>, w: vector<Inner> }
       native fun lend(): &mut Outer
       public fun read(): u64, vector<u8>, u64 {
         Call lend; MutBorrowField Outer.n; ReadRef
         Call lend; MutBorrowField Outer.v; ReadRef
         Call lend; MutBorrowField Outer.w; FreezeRef; VecLen Inner; Ret
       }
       public fun same() { LdU64 5; Call lend; MutBorrowField Outer.n; WriteRef; Ret }
       public fun push() { Call lend; MutBorrowField Outer.v; LdU8 1; VecPushBack u8; Ret }
       public fun pop() { Call lend; MutBorrowField Outer.v; VecPopBack u8; Pop; Ret }
       public fun swap() { Call lend; MutBorrowField Outer.v; LdU64 0; LdU64 0; VecSwap u8; Ret }
       public fun element() { LdU8 1; Call lend; MutBorrowField Outer.v; LdU64 0; VecMutBorrow u8; WriteRef; Ret }
       public fun inside() {
         LdTrue; Call lend; MutBorrowField Outer.w; LdU64 0; VecMutBorrow Inner; MutBorrowField Inner.flag; WriteRef; Ret
       }
       fun store(r: &mut bool) { LdFalse; MoveLoc r; WriteRef; Ret }
       public fun passed() {
         Call lend; MutBorrowField Outer.w; LdU64 0; VecMutBorrow Inner; MutBorrowField Inner.flag; Call store; Ret
       }
       public fun whole() { LdFalse; Pack Inner; Call lend; MutBorrowField Outer.w; LdU64 0; VecMutBorrow Inner; WriteRef; Ret }
       public fun replaced() {
         LdTrue; Pack Inner; VecPack Inner 1; Call lend; MutBorrowField Outer.w; WriteRef; Ret
       }
       public fun copied() {
         let v: vector<u8>
         Call lend; MutBorrowField Outer.v; ReadRef; StLoc v; MutBorrowLoc v; LdU8 1; VecPushBack u8; Ret
       }
       // Two paths to one place: what is behind an immutable reference changes.
       public fun aliased(): u64 {
         let r: &u64
         Call lend; FreezeRef; ImmBorrowField Outer.n; StLoc r
         LdU64 42; Call lend; MutBorrowField Outer.n; WriteRef
         MoveLoc r; ReadRef; Ret
       }`,
    ],
    { natives, host: () => held },
  );
  const dirtied = (name: string): boolean[] =>
    ENGINES.map((engine) => {
      held.lent = undefined;
      world.run(engine, 'm::same', [], 0n);
      expect(held.lent).toBeUndefined();
      world.run(engine, 'm::read', []);
      world.run(engine, `m::${name}`, []);
      return held.lent!.dirty;
    });
  const all = (isDirty: boolean): boolean[] => ENGINES.map(() => isDirty);

  it('are not dirty while they are read or copied', () => {
    expect(dirtied('read')).toEqual(all(false));
    expect(dirtied('copied')).toEqual(all(false));
  });

  it.each(['same', 'push', 'pop', 'swap', 'element', 'inside', 'passed', 'whole', 'replaced', 'aliased'])(
    'are dirty after a write through a reference (%s)',
    (name) => {
      expect(dirtied(name)).toEqual(all(true));
    },
  );

  it('show through an older reference what a newer one wrote', () => {
    for (const engine of ENGINES) {
      held.lent = undefined;
      expect(world.run(engine, 'm::aliased', []).result).toBe('42');
    }
  });
});

describe('counted references', () => {
  interface Pointers {
    pointer: StructInstance | undefined;
    seen: number[];
  }
  const host: Pointers = { pointer: undefined, seen: [] };
  const natives = new NativeTable<Pointers>().add(AT_ONE, {
    lend: (context, { returns }) => {
      context.host.pointer ??= returns[0]!.item.make(7n);
      return context.host.pointer;
    },
    look: (context) => {
      context.host.seen.push(context.host.pointer!.references);
    },
    through: (context, _signature, _reference: StructInstance) => {
      context.host.seen.push(context.host.pointer!.references);
    },
    back: (_context, _signature, reference: StructInstance) => reference,
  });
  const world = new World<Pointers>(
    [
      `module 0x1::m
       struct O has copy, drop { id: u64 }
       native fun lend(): &mut O
       native fun look()
       native fun through(&O)
       native fun back(&mut O): &mut O
       fun hold(o: &O) { Call look; Ret }
       fun pass(o: &mut O): &mut O { MoveLoc o; Ret }
       fun id(o: &O): u64 { MoveLoc o; ImmBorrowField O.id; ReadRef; Ret }
       public fun lives() {
         let a: &mut O; let b: &mut O
         Call lend; StLoc a; Call look
         CopyLoc a; StLoc b; Call look
         MoveLoc b; Call pass; StLoc b; Call look
         MoveLoc b; Pop; Call look
         CopyLoc a; FreezeRef; Call hold; Call look
         CopyLoc a; FreezeRef; Call id; Pop; Call look
         CopyLoc a; FreezeRef; Call through; Call look
         CopyLoc a; Call back; StLoc b; Call look
         Call lend; StLoc b; Call look
         CopyLoc a; ReadRef; Pop; Call look
         CopyLoc a; FreezeRef; MoveLoc b; FreezeRef; Eq; Pop; Call look
         LdU64 9; Pack O; CopyLoc a; WriteRef; Call look
         LdU64 9; CopyLoc a; MutBorrowField O.id; WriteRef; Call look
         MoveLoc a; Pop; Call look
         Ret
       }
       fun drops() { let a: &mut O; Call lend; StLoc a; Call look; Ret }
       public fun returns() { Call drops; Call look; Ret }
       public fun handed_out(): &O { Call lend; FreezeRef; Ret }
       public fun local(): u64 { let o: O; let r: &O; LdU64 1; Pack O; StLoc o; ImmBorrowLoc o; StLoc r; LdU64 1; Ret }`,
    ],
    {
      natives,
      host: () => host,
      countsReferences: (module, name) => formatAddressShort(module.address) === '0x1' && name === 'O',
    },
  );

  it('live until they are consumed or overwritten, their frame returns or the call ends', () => {
    for (const engine of ENGINES) {
      Object.assign(host, { pointer: undefined, seen: [] });
      expect(world.run(engine, 'm::lives', []).result).toBe('');
      expect(host.seen).toEqual([1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 2, 1, 1, 1, 0]);
      host.seen = [];
      world.run(engine, 'm::returns', []);
      expect(host.seen).toEqual([1, 0]);
      expect(world.run(engine, 'm::handed_out', []).result).toMatch(/^\{/);
      expect(host.pointer?.references).toBe(0);
      expect(world.run(engine, 'm::local', []).result).toBe('1');
    }
  });
});

describe('replacing modules', () => {
  const base = (n: number): string =>
    `module 0x1::base struct S has drop { x: u64 } public fun n(): u64 { LdU64 ${n}; Ret }`;
  const middle = (plus: number): string => `module 0x1::middle
    extern 0x1::base { fun n(): u64 }
    public fun n(): u64 { Call 0x1::base::n; LdU64 ${plus}; Add; Ret }`;
  const top = `module 0x1::top
    extern 0x1::middle { fun n(): u64 }
    public fun n(): u64 { Call 0x1::middle::n; Ret }`;
  const other = 'module 0x1::other public fun n<T>(): u64 { LdU64 5; Ret }';

  it('forgets what depends on them, and nothing else', () => {
    const world = new World([base(1), middle(10), top, other]);
    expect(world.agree('top::n').result).toBe('11');
    expect(world.agree('other::n<u8>').result).toBe('5');
    const machine = world.machine('translate');
    expect(machine.drop([{ address: addressOf(1), name: 'middle' }])).toBe(2);
    expect(world.agree('top::n').result).toBe('11');
    expect(machine.drop([{ address: addressOf(1), name: 'base' }])).toBe(3);
    expect(machine.drop([{ address: addressOf(1), name: 'base' }])).toBe(0);
    expect(machine.drop([{ address: addressOf(1), name: 'other' }])).toBe(1);
    world.publish(base(2));
    expect(world.agree('top::n').result).toBe('12');
    world.publish(middle(20));
    expect(world.agree('top::n').result).toBe('22');
  });

  it('leaves the machine that was forked as it was', () => {
    const world = new World([base(1), middle(10), top]);
    expect(world.agree('top::n').result).toBe('11');
    const machine = world.machine('translate');
    const fork = machine.fork();
    const call = { module: { address: addressOf(1), name: 'top' }, function: 'n', typeArguments: [], arguments: [] };
    const run = (on: typeof machine, source: typeof world.source): string =>
      summarise(on.call(call, { source, gas: new GasMeter(BUDGET), host: undefined }));
    const changed = new World([base(3), middle(10), top]);
    fork.drop([{ address: addressOf(1), name: 'base' }]);
    expect(run(fork, changed.source)).toBe('13');
    expect(run(machine, world.source)).toBe('11');
    expect(run(fork, changed.source)).toBe('13');
  });
});

describe('irreducible control flow', () => {
  // Version 6 forbids it. What version 5 forbids is not the same, so the translator must not rely on either.
  it('runs', () => {
    const world = new World([]);
    world.publishUnverified(
      assembleModule(`version 5
       module 0x1::m
       public fun enter(n: u64): u64 {
         let s: u64
         LdU64 0; StLoc s
         CopyLoc n; LdU64 5; Gt; BrTrue second
         first:
         CopyLoc s; LdU64 1; Add; StLoc s
         second:
         CopyLoc s; LdU64 10; Add; StLoc s
         CopyLoc n; LdU64 0; Eq; BrTrue end
         MoveLoc n; LdU64 1; Sub; StLoc n
         Branch first
         end:
         MoveLoc s; Ret
       }`),
    );
    expect(world.agree('m::enter', [3n]).result).toBe('44');
    expect(world.agree('m::enter', [7n]).result).toBe('87');
  });
});

describe('a machine', () => {
  it('refuses limits out of range', () => {
    const natives = new NativeTable();
    const create = (callDepthMax: number): Machine =>
      Machine.create({ natives, schedule: INITIAL_GAS_SCHEDULE, limits: { callDepthMax } });
    expect(() => create(0)).toThrow('callDepthMax');
    expect(() => create(1.5)).toThrow('callDepthMax');
  });

  it('keeps natives by name once', () => {
    const natives = new NativeTable().add(AT_ONE, { f: () => undefined });
    expect(() => natives.add(AT_ONE, { f: () => undefined })).toThrow('::m::f');
  });
});
