/**
 * What the tests have a worker of a page do with stores that stay. It answers `{ id, use, given }` with `{ id, value }` or
 * `{ id, error }`, and says each commit of `write` once it is acknowledged.
 * @module
 */
import { Engine, EngineError } from 'movelet';
import { type Operation, openDirectory, type Store, storeCompliance } from 'movelet/store';

/** The content after commit number `count`: that number under one key, and twenty rows that are replaced in turn. */
function batchOf(count: number): Operation[] {
  const value = new Uint8Array(600).fill(count).map((byte, index) => byte ^ index);
  return [
    { type: 'put', key: Uint8Array.of(1), value: new TextEncoder().encode(String(count)) },
    { type: 'put', key: Uint8Array.of(2, count % 20), value },
    { type: 'delete', key: Uint8Array.of(2, (count + 10) % 20) },
  ];
}

const countOf = (store: Store): number =>
  Number(new TextDecoder().decode(store.get(Uint8Array.of(1)) ?? Uint8Array.of(48)));

const uses = {
  /** The failures of the suite, by the names of its tests. */
  async comply(runs: number): Promise<Record<string, string>> {
    const tests: [string, () => Promise<void>][] = [];
    let stores = 0;
    storeCompliance({
      test: (name, run) => tests.push([name, run]),
      open: () => openDirectory(`suite/${stores++}`),
      runs,
    });
    const failures: Record<string, string> = { tests: String(tests.length) };
    for (const [name, run] of tests) await run().catch((error: unknown) => (failures[name] = String(error)));
    return failures;
  },

  /** Writes until the worker ends. */
  async write(name: string): Promise<void> {
    const store = await openDirectory(name);
    for (let count = countOf(store) + 1; ; count++) {
      await store.batch(batchOf(count));
      postMessage({ acknowledged: count });
    }
  },

  /** How many commits a store has, after asserting that it holds what they left. */
  async count(name: string): Promise<number> {
    const store = await openDirectory(name);
    const count = countOf(store);
    const rows = new Map<string, string>();
    for (let number = Math.max(1, count - 40); number <= count; number++) {
      for (const { key, ...rest } of batchOf(number)) {
        if ('value' in rest) rows.set(String(key), String(rest.value));
        else rows.delete(String(key));
      }
    }
    const found = (await store.range({ limit: 100 })).map(({ key, value }) => [String(key), String(value)]);
    await store.close();
    const expected = [...rows].sort(([left], [right]) => Number(left.slice(2)) - Number(right.slice(2)));
    if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`not what ${count} commits leave`);
    return count;
  },

  /** Transfers on a chain that stays: its order before and after. */
  async transfer(name: string): Promise<string[]> {
    const engine = await Engine.open({ store: name });
    const before = engine.status().head.order;
    const [alice, bob] = engine.accounts;
    const call = { function: '0x3::transfer::transfer_coin' as const, typeArguments: ['0x3::gas_coin::RGas'] };
    await engine.executeAs(alice!, { ...call, arguments: [bob!.address, 5n] });
    const balance = engine.balance(bob!);
    const after = engine.status().head.order;
    await engine.close();
    return [before, after, balance].map(String);
  },

  /** Holds a store, and does not close it. */
  async hold(name: string): Promise<void> {
    await openDirectory(name);
  },
};

/** What a worker's scope has, which the types of Node do not know. */
declare const postMessage: (message: unknown) => void;

interface Question {
  readonly id: number;
  readonly use: keyof typeof uses;
  readonly given: readonly never[];
}

async function answer({ id, use, given }: Question): Promise<void> {
  try {
    postMessage({ id, value: await (uses[use] as (...values: readonly unknown[]) => Promise<unknown>)(...given) });
  } catch (error) {
    postMessage({ id, error: error instanceof EngineError ? `${error.code}: ${error.message}` : String(error) });
  }
}

/** Answers from now on. A call: what a bundler takes of this package is only what is used. */
export function answerAll(): void {
  Object.assign(globalThis, { onmessage: ({ data }: { readonly data: Question }) => void answer(data) });
}
