/** Contracts for benches: an entry function that changes many objects, and a package of many modules. */
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import type { Account } from '../src/query/account.ts';
import { assembleFor } from '../test/pipeline/contract.ts';
import { type BenchLine, line } from './line.ts';
import { least, processorTime } from './measure.ts';
import { executed, MAX_GAS_AMOUNT } from './transfers.ts';

const OBJECTS = 20;
const MODULES = 10;
const FUNCTIONS_OF_A_MODULE = 8;

const COUNTERS = `module 0xa11ce::counters
  struct Counter has key { n: u64 }
  public entry fun make(count: u64) {
    again: CopyLoc count; LdU64 0; Eq; BrTrue done
    LdU64 0; Pack Counter; Call 0x2::object::new<Counter>; Call 0x2::object::to_shared<Counter>
    MoveLoc count; LdU64 1; Sub; StLoc count; Branch again
    done: Ret
  }
  public entry fun add(ids: vector<0x2::object::ObjectID>) {
    let index: u64
    let place: &mut u64
    LdU64 0; StLoc index
    again: CopyLoc index; ImmBorrowLoc ids; VecLen 0x2::object::ObjectID; Lt; BrFalse done
    ImmBorrowLoc ids; CopyLoc index; VecImmBorrow 0x2::object::ObjectID; ReadRef
    Call 0x2::object::borrow_mut_object_shared<Counter>; Call 0x2::object::borrow_mut<Counter>
    MutBorrowField Counter.n; StLoc place
    CopyLoc place; ReadRef; LdU64 1; Add; MoveLoc place; WriteRef
    MoveLoc index; LdU64 1; Add; StLoc index; Branch again
    done: Ret
  }`;

function moduleOf(index: number): string {
  const functions = Array.from(
    { length: FUNCTIONS_OF_A_MODULE },
    (_, number) => `  public fun sum${number}(limit: u64): u64 {
    let sum: u64
    LdU64 ${number}; StLoc sum
    again: CopyLoc limit; LdU64 0; Gt; BrFalse done
    MoveLoc sum; CopyLoc limit; Add; StLoc sum
    MoveLoc limit; LdU64 1; Sub; StLoc limit; Branch again
    done: MoveLoc sum; Ret
  }`,
  );
  return `module 0xa11ce::part${index}
  struct Part has key, store { a: u64, b: vector<u8>, c: address }
${functions.join('\n')}`;
}

/** Calls of one function that changes many shared objects, one round at a time. */
export async function objectCalls(engine: Engine): Promise<(count: number) => Promise<void>> {
  const [account] = engine.accounts as [Account];
  executed(await engine.publish(account.address, [assembleFor(DEV_ACCOUNTS[0]!, COUNTERS)]));
  const made = executed(
    await engine.executeAs(account.address, { function: `${account}::counters::make`, arguments: [BigInt(OBJECTS)] }),
  );
  const ids = made.changes.filter(({ type }) => type.endsWith('::Counter')).map(({ id }) => String(id));
  if (ids.length !== OBJECTS) throw new Error(`expected ${OBJECTS} objects, got ${ids.length}`);
  const call = { function: `${account}::counters::add`, arguments: [ids] };
  return async (count) => {
    const calls = Array.from({ length: count }, () =>
      engine.executeAs(account.address, call, { maxGasAmount: MAX_GAS_AMOUNT }),
    );
    for (const receipt of await Promise.all(calls)) executed(receipt);
  };
}

/** Publishes the package of many modules, each time on a new fork. */
export function publisher(engine: Engine): (count: number) => Promise<void> {
  const modules = Array.from({ length: MODULES }, (_, index) => assembleFor(DEV_ACCOUNTS[1]!, moduleOf(index)));
  const { address } = engine.accounts[1]!;
  return async (count) => {
    for (let round = 0; round < count; round++) {
      await using fork = engine.fork();
      executed(await fork.publish(address, modules));
    }
  };
}

export interface ContractBench {
  readonly line: BenchLine;
  /** A few more of them, for a profile. */
  readonly again: () => Promise<void>;
}

export async function contractBenches(short: boolean, oneTransfer: number): Promise<ContractBench[]> {
  const engine = await Engine.open();
  const rounds = short ? 2 : 6;
  const baseline = { name: 'an unsigned transfer', value: oneTransfer };
  const benches: ContractBench[] = [];
  const add = async (name: string, again: (count: number) => Promise<void>, count: number): Promise<void> => {
    await again(4 * count);
    const value = (await least(rounds, () => processorTime(() => again(count)))) / count;
    benches.push({ line: line(name, value, 'us', baseline), again: () => again(4 * count) });
  };
  await add(`an entry function that changes ${OBJECTS} objects`, await objectCalls(engine), short ? 50 : 200);
  await add(`publish of a package of ${MODULES} modules`, publisher(engine), short ? 3 : 10);
  return benches;
}
