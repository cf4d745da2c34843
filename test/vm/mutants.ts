/**
 * Mutated modules: what they are made of, and the machines that run those that the verifier lets pass.
 * @module
 */
import { EngineError } from '../../src/base/error.ts';
import { GENESIS_GAS_ENTRIES } from '../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../src/execution/native/table.ts';
import type { SessionHost } from '../../src/execution/runtime/session-host.ts';
import { addressOf } from '../../src/move/address.ts';
import { dependenciesOf, type Module, type ModuleId, moduleKey, selfIdOf } from '../../src/vm/binary/module.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { GasMeter } from '../../src/vm/gas/meter.ts';
import { Machine } from '../../src/vm/machine.ts';
import { vectorOf } from '../../src/vm/value/generic-operations.ts';
import { Cell } from '../../src/vm/value/reference.ts';
import type { Type } from '../../src/vm/value/type.ts';
import { type RandomNumber, randomNumbers } from '../effort.ts';
import { frameworkModule, withExterns } from '../execution/runtime/externs.ts';
import { assembleModuleBytes } from './assemble.ts';
import { releasedPackages } from './corpus.ts';
import { randomProgram } from './machine/random-program.ts';
import { SMALL_SCHEDULE, summarise } from './machine/world.ts';
import { mutateBytes, mutateModule } from './mutate.ts';

/** Small enough that thousands of runs take seconds, varied enough to reach every pass. */
const SEED_MODULE = withExterns(`module 0x5e::seed
  friend 0x5e::other
  struct Pair<A, B> has copy, drop, store { left: A, right: B }
  struct Plain has copy, drop, store { count: u64, list: vector<u64> }
  struct Resource has key { plain: Plain, text: 0x1::string::String, far: 0x1::option::Option<u8> }
  public fun sum(list: &vector<u64>): u64 {
    let total: u64 let at: u64
    LdU64 0; StLoc total; LdU64 0; StLoc at
    head: CopyLoc at; CopyLoc list; VecLen u64; Lt; BrFalse done
    CopyLoc total; CopyLoc list; CopyLoc at; VecImmBorrow u64; ReadRef; Add; StLoc total
    MoveLoc at; LdU64 1; Add; StLoc at
    Branch head
    done: MoveLoc list; Pop; MoveLoc total; Ret
  }
  public fun swap<A: copy drop, B: copy drop>(pair: Pair<A, B>): Pair<B, A> {
    let left: A let right: B
    MoveLoc pair; Unpack Pair<A, B>; StLoc right; StLoc left
    MoveLoc right; MoveLoc left; Pack Pair<B, A>; Ret
  }
  public fun grow(plain: &mut Plain, by: u64) {
    let count: &mut u64
    CopyLoc plain; MutBorrowField Plain.count; StLoc count
    CopyLoc count; ReadRef; MoveLoc by; Add; MoveLoc count; WriteRef
    MoveLoc plain; MutBorrowField Plain.list; LdU64 7; VecPushBack u64
    Ret
  }
  entry fun main(owner: &signer) {
    let plain: Plain
    LdU64 1; VecPack u64 0; Pack Plain; StLoc plain
    MutBorrowLoc plain; LdU64 5; Call grow
    ImmBorrowLoc plain; ImmBorrowField Plain.list; Call sum; LdU64 7; Eq; BrTrue fine
    MoveLoc owner; Pop; LdU64 1; Abort
    fine: MoveLoc owner; Pop; LdConst vector<u8> 0x020102; Pop; Ret
  }
  public fun pairs(): u64 {
    let pair: Pair<u8, bool>
    LdU8 1; LdTrue; Pack Pair<u8, bool>; Call swap<u8, bool>; ImmBorrowField Pair<bool, u8>.right
    Pop; LdU64 0; Ret
  }
  public fun texts(bytes: vector<u8>): u64 {
    let text: 0x1::string::String let some: 0x1::option::Option<u64>
    MoveLoc bytes; Call 0x1::string::utf8; StLoc text
    ImmBorrowLoc text; Call 0x1::string::length; Call 0x1::option::some<u64>; StLoc some
    MutBorrowLoc some; Call 0x1::option::extract<u64>; Ret
  }`);

/** Larger modules take most of the time and reach no more of the passes. */
const MODULE_BYTES_MAX = 1500;
/** Mutants that are made of one random program, and that share machines. */
const MUTANTS_A_PROGRAM = 50;

interface Seed {
  readonly bytes: Uint8Array;
  readonly module: Module;
}

const seedOf = (bytes: Uint8Array): Seed => ({ bytes, module: readModule(bytes) });

/** Modules to mutate: two in three are random programs, the others from the framework and, if there, the reference. */
export class MutantSource {
  readonly #seeds: readonly Seed[];
  readonly #own = seedOf(assembleModuleBytes(SEED_MODULE));
  #program: { readonly number: number; readonly seed: Seed } | undefined;

  constructor(framework: readonly Uint8Array[], hasReference: boolean) {
    const released = hasReference ? releasedPackages(27).flatMap(({ modules }) => modules) : [];
    this.#seeds = [...framework, ...released].filter((bytes) => bytes.length < MODULE_BYTES_MAX).map(seedOf);
  }

  /** Mutant `number`: with changed bytes, or with changed tables; `undefined` for what version 5 cannot hold. */
  mutant(number: number): { readonly bytes: Uint8Array; readonly isWritten: boolean } | undefined {
    const random = randomNumbers(number);
    const { bytes, module } = this.#pick(number, random);
    if (random(2) === 0) return { bytes: mutateBytes(bytes, random), isWritten: false };
    try {
      return { bytes: writeModule(mutateModule(module, random)), isWritten: true };
    } catch (error) {
      if (error instanceof EngineError && error.code === 'invalid-argument') return undefined;
      throw error;
    }
  }

  #pick(number: number, random: RandomNumber): Seed {
    const kind = random(12);
    if (kind === 0) return this.#own;
    if (kind < 4) return this.#seeds[random(this.#seeds.length)]!;
    const program = Math.floor(number / MUTANTS_A_PROGRAM);
    if (this.#program?.number !== program) {
      const choices = randomNumbers(program);
      this.#program = {
        number: program,
        seed: seedOf(assembleModuleBytes(randomProgram((bound) => choices(bound)).text)),
      };
    }
    return this.#program.seed;
  }
}

const GAS = 5000n;
const ENGINES = [
  { engine: 'interpret' },
  { engine: 'translate', translateAfter: 0 },
  { engine: 'translate', translateAfter: 1 },
] as const;

/** Runs modules on an interpreter, on translated code, and on a machine that switches from one to the other. */
export class MutantRunner {
  #machines: readonly Machine<SessionHost>[] = [];
  #uses = 0;

  /** Whether a verified module may run: it has no natives of its own, and those that it can reach ask for no session. */
  canRun(module: Module): boolean {
    return (
      module.functionDefinitions.every(({ code }) => code !== undefined) &&
      dependenciesOf(module).every((id) => moduleKey({ ...id, name: '' }) === STD && lookup(id) !== undefined)
    );
  }

  /** Calls every function of a module on every engine. Returns what differed, or how many functions ran. */
  run(module: Module): string | number {
    const self = selfIdOf(module);
    const source = { load: (id: ModuleId) => (moduleKey(id) === moduleKey(self) ? module : lookup(id)) };
    const machines = this.#fresh().map((machine) => {
      const fork = machine.fork();
      fork.drop([self]);
      return fork;
    });
    for (const { handle } of module.functionDefinitions) {
      const { name, typeParameters } = module.functionHandles[handle]!;
      const target = {
        module: self,
        function: module.identifiers[name]!,
        typeArguments: typeParameters.map(() => ({ kind: 'u64' }) as const),
      };
      const outcomes = machines.map((machine) => {
        const gas = new GasMeter(GAS);
        const parameters = machine.parameterTypes(target, source);
        const given = 'status' in parameters ? [] : parameters.map((type) => ({ value: someValue(type) }));
        const setting = { source, gas, host: NO_SESSION };
        return `${summarise(machine.call({ ...target, arguments: given }, setting))} ${gas.left}`;
      });
      if (new Set(outcomes).size > 1) return `${target.function}: ${outcomes.join(' | ')}`;
    }
    return module.functionDefinitions.length;
  }

  /** Machines that know the modules of 0x1, made anew before they hold too many types. */
  #fresh(): readonly Machine<SessionHost>[] {
    if (this.#uses++ % MUTANTS_A_PROGRAM === 0) {
      this.#machines = ENGINES.map((options) =>
        Machine.create({ natives: NATIVES, schedule: SMALL_SCHEDULE, ...options }),
      );
    }
    return this.#machines;
  }
}

const STD = moduleKey({ address: addressOf(1), name: '' });
const NATIVES = nativeTable(new Map(GENESIS_GAS_ENTRIES));
/** The natives of 0x1 ask for none. */
const NO_SESSION = undefined as unknown as SessionHost;

export const lookup = ({ address, name }: ModuleId): Module | undefined =>
  frameworkModule(`0x${address[31]!.toString(16)}::${name}`);

/** A small value of a type. */
function someValue(type: Type): unknown {
  switch (type.kind) {
    case 'bool':
      return true;
    case 'u8':
    case 'u16':
    case 'u32':
      return 2;
    case 'u64':
    case 'u128':
    case 'u256':
      return 3n;
    case 'address':
      return addressOf(4);
    case 'signer':
      return new type.structClass(addressOf(5));
    case 'vector':
      return vectorOf(type.item, [someValue(type.item), someValue(type.item)]);
    case 'struct':
      return type.make(...type.fields.map((field) => someValue(field)));
    default:
      return type.item.isContainer ? someValue(type.item) : new Cell(someValue(type.item));
  }
}
