/**
 * What the tests have a page do with the package, as its users import it. It runs in Node, too, where its answers and
 * times are those to compare with. Each use returns plain JSON.
 * @module
 */
import { Engine, record, replay } from 'movelet';
import { compileSources } from 'movelet/compile';
import { createRpc } from 'movelet/rpc';

const COUNTER = `module me::counter {
  use moveos_std::object::{Self, Object};
  struct Counter has key { value: u64 }
  fun init() { object::to_shared(object::new_named_object(Counter { value: 0 })); }
  public entry fun add(counter: &mut Object<Counter>, amount: u64) {
    let counter = object::borrow_mut(counter);
    counter.value = counter.value + amount;
  }
  public fun value(): u64 { object::borrow(object::borrow_object<Counter>(object::named_object_id<Counter>())).value }
}`;

async function using<T>(engine: Engine, use: (engine: Engine) => Promise<T>): Promise<T> {
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** The calls of `transfers`. */
const transferOf = (to: string, amount: bigint) => ({
  function: '0x3::transfer::transfer_coin' as const,
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [to, amount],
});

const rootsOf = ({ head }: Engine): string =>
  JSON.stringify([String(head.order), head.stateRoot, head.accumulator.root]);

/** Unsigned transfers, one after the other: their roots, and how long they took. */
export async function transfers(count: number): Promise<{ roots: string; ms: number }> {
  return using(await Engine.open(), async (engine) => {
    const [alice, bob] = engine.accounts;
    const begun = performance.now();
    for (let index = 0; index < count; index++) {
      await engine.executeAs(alice!, transferOf(bob!.address, BigInt(index + 1)));
    }
    return { roots: rootsOf(engine), ms: performance.now() - begun };
  });
}

/** Compiles, publishes, calls and views a contract; the value that the view gives. */
export async function contract(): Promise<{ value: string; code: string }> {
  return using(await Engine.open(), async (engine) => {
    const [alice] = engine.accounts;
    const { address } = alice!;
    await engine.publish(alice!, compileSources({ 'counter.move': COUNTER }, { addresses: { me: address } }));
    const counter = `${address}::counter::Counter`;
    const receipt = await engine.execute(
      alice!.signTransaction({ function: `${address}::counter::add`, arguments: [counter, 7n] }),
    );
    if (receipt.status.kind !== 'executed') throw new Error(`expected a call, got ${JSON.stringify(receipt.status)}`);
    const [value] = engine.view({ function: `${address}::counter::value` });
    return { value: String(value), code: engine.status().code };
  });
}

/** A run with every kind of input, recorded: its file as numbers, and where it ends. */
export async function recorded(): Promise<{ file: number[]; roots: string }> {
  return using(await Engine.open(), async (engine) => {
    const recording = record(engine);
    const [alice, bob] = engine.accounts;
    await engine.publish(alice!, compileSources({ 'counter.move': COUNTER }, { addresses: { me: alice!.address } }));
    for (let round = 0; round < 5; round++) {
      await engine.execute(alice!.signTransaction(transferOf(bob!.address, 5n)));
      await engine.dev.mine({ to: bob! });
      await engine.dev.time.advance(60_000n);
      await engine.dev.mint('0x42', 1_000n);
    }
    return { file: [...(await recording.bytes())], roots: rootsOf(engine) };
  });
}

export async function replayed(file: readonly number[]): Promise<string> {
  return using(await replay(Uint8Array.from(file)), async (engine) => rootsOf(engine));
}

/** The head of a chain with options of its own, whose genesis is computed. */
export async function otherGenesis(): Promise<string> {
  return using(await Engine.open({ accountBalance: 12_345n, chainId: 4n }), async (engine) => rootsOf(engine));
}

export async function chainId(): Promise<unknown> {
  return using(await Engine.open(), async (engine) => {
    const rpc = createRpc(engine);
    return JSON.parse((await rpc.handle('{"jsonrpc":"2.0","id":1,"method":"chain_getChainID","params":[]}'))!).result;
  });
}

/** From an open page, or process, to the receipt of a first signed transaction, without the time to load the code. */
export async function firstReceipt(): Promise<number> {
  const begun = performance.now();
  await using(await Engine.open(), async (engine) => {
    const [alice, bob] = engine.accounts;
    await engine.execute(alice!.signTransaction(transferOf(bob!.address, 5n)));
  });
  return performance.now() - begun;
}
