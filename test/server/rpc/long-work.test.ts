/**
 * Transactions that would hold the thread, on another one: the same chain to the byte, and requests are answered meanwhile.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS, Engine, type LogEntry } from '../../../src/index.ts';
import { createRpc } from '../../../src/server/index.ts';
import { WorkerThreads } from '../../../src/server/rpc/worker-threads.ts';
import { collected } from '../../collected.ts';
import { begunThreads } from '../../engine/workers/begun-threads.ts';
import { payment } from '../../payment.ts';
import { assembleFor } from '../../pipeline/contract.ts';

const zeros = (length: number): string =>
  `LdConst vector<u8> 0x${length < 128 ? '' : '80'}${(length < 128 ? length : 1).toString(16).padStart(2, '0')}${'00'.repeat(length)}`;

/** Half a second of one native, which nothing interrupts. */
const HELD = `LdConst vector<u8> 0x04${(2_000_000).toString(16).padStart(8, '0')}; ${zeros(64)}; ${zeros(128)}; ${zeros(16)}
  LdConst vector<u8> 0x0101; Call 0x2::evm::blake2f; Pop`;

const CONTRACT = `module 0xa11ce::long
  struct E has copy, drop { n: u64 }
  struct S has key, store { n: u64 }
  entry fun held() { ${HELD}; Ret }
  entry fun stop() { LdU64 7; Abort }
  entry fun spin() { again: Branch again }
  entry fun say() { let n: u64
    LdU64 5; StLoc n; ImmBorrowLoc n; Call 0x1::debug::print<u64>
    LdU64 1; Pack E; Call 0x2::event::emit<E>; LdU64 2; Pack E; Call 0x2::event::emit<E>; Ret }
  entry fun make() {
    LdU64 1; Pack S; Call 0x2::object::new<S>; Call 0x2::object::to_shared<S>
    LdU64 2; Pack S; Call 0x2::object::new<S>; Call 0x2::object::to_frozen<S>; Ret }`;

const COIN = '0x3::gas_coin::RGas';

/** What every transaction came to, in the order in which they were sent. */
async function story(engine: Engine): Promise<unknown> {
  const [alice, bob] = engine.accounts;
  const own = (name: string) => ({ function: `${alice}::long::${name}` });
  const told: unknown[] = [];
  const tell = async (sent: ReturnType<Engine['execute']>): Promise<void> => {
    const receipt = await sent.catch((error: unknown) => error);
    if (receipt instanceof Error)
      told.push({ message: receipt.message, details: (receipt as { details?: unknown }).details });
    else told.push(JSON.stringify(receipt), JSON.stringify((receipt as { prints?: unknown }).prints));
  };
  await tell(engine.publish(String(alice), [assembleFor(DEV_ACCOUNTS[0]!, CONTRACT)]));
  await tell(engine.publish(String(alice), [new Uint8Array(40)]));
  for (const name of ['say', 'make', 'stop', 'spin']) await tell(engine.execute(alice!.signTransaction(own(name))));
  const pay = payment(bob!.address, 3n);
  const signed = alice!.signTransaction(pay);
  await tell(engine.execute(signed));
  await tell(engine.execute(signed));
  // Several at once share a group if none is long.
  await Promise.all(
    [1, 2, 3].map(() => tell(engine.executeAs(bob!.address, { ...pay, arguments: [alice!.address, 1n] }))),
  );
  return told;
}

async function rowsOf(engine: Engine): Promise<Uint8Array> {
  return Buffer.concat(await collected(engine.dump()));
}

/** An engine whose transactions are given up after some milliseconds, and the thread that it was lent. */
function lend(engine: Engine, threads: WorkerThreads, msMax: number): { ran: number } {
  const count = { ran: 0 };
  const { longWork } = engine.inside.core;
  const lendOwn = longWork.lend.bind(longWork);
  vi.spyOn(longWork, 'lend').mockImplementationOnce((run) =>
    lendOwn((...asked) => {
      count.ran++;
      return run(...asked);
    }, msMax),
  );
  threads.lendTo(engine);
  return count;
}

const said: LogEntry[] = [];
const threads = new WorkerThreads({ workers: undefined, log: () => {} });
afterAll(() => threads.close());

describe('transactions on another thread', () => {
  const clock = () => 1_700_000_000_000n;
  /** What comes of it on the thread of the engine. */
  let here: { readonly told: unknown; readonly rows: Uint8Array };

  beforeAll(async () => {
    await using engine = await Engine.open({ clock });
    here = { told: await story(engine), rows: await rowsOf(engine) };
  });

  it('make the same chain, to the byte', async () => {
    await using there = await Engine.open({ clock, log: (entry) => said.push(entry) });
    const count = lend(there, threads, 0);
    expect(await story(there)).toEqual(here.told);
    expect(await rowsOf(there)).toEqual(here.rows);
    expect(count.ran).toBeGreaterThan(8);
    expect(said.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it.each([
    ['with threads for views', { workers: 'auto' }],
    ['where nobody asked for threads', {}],
  ] as const)('let requests be answered while one runs, %s', async (_, options) => {
    await using engine = await Engine.open({ clock });
    const [alice, bob] = engine.accounts;
    await engine.publish(String(alice), [assembleFor(DEV_ACCOUNTS[0]!, CONTRACT)]);
    const rpc = createRpc(engine, options);
    const ask = () => rpc.request('chain_getBalance', [String(bob), COIN]);
    const answers: string[] = [];
    const count = async (): Promise<number> => {
      let isDone = false;
      const held = engine.execute(alice!.signTransaction({ function: `${alice}::long::held` })).finally(() => {
        isDone = true;
      });
      let answered = 0;
      for (; !isDone; answered++) {
        answers.push((await ask()).balance);
        await new Promise(setImmediate);
      }
      expect((await held).status.kind).toBe('executed');
      return answered;
    };
    // Where it holds the thread, few requests find a moment before and after it.
    expect(await count()).toBeGreaterThan(50);
    expect(new Set(answers).size).toBe(1);
    await rpc.close();
  });

  it('are executed by the writer if no thread takes them, and the log says so', async () => {
    const entries: LogEntry[] = [];
    await using there = await Engine.open({ clock, log: (entry) => entries.push(entry) });
    there.inside.core.longWork.lend(() => Promise.reject(new Error('no thread today')), 0);
    expect(await story(there)).toEqual(here.told);
    expect(await rowsOf(there)).toEqual(here.rows);
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('no thread today') }),
    );
  });

  /** 200,000 empty arguments took up to 0.4 s, on the writer's thread, before they were refused for free. */
  it('are decoded there if that alone would take long', async () => {
    await using engine = await Engine.open({ clock });
    const count = lend(engine, threads, 50);
    const refused = expect.objectContaining({ code: 'malformed-bytes' });
    await expect(engine.execute(new Uint8Array(100_000))).rejects.toEqual(refused);
    expect(count.ran).toBe(0);
    await expect(engine.execute(new Uint8Array(100_001))).rejects.toEqual(refused);
    expect(count.ran).toBe(1);
  });

  it('run on the thread that was lent last, until it is taken back', async () => {
    await using engine = await Engine.open({ clock });
    const [alice, bob] = engine.accounts;
    const asked: string[] = [];
    const lendAs = (name: string): (() => void) =>
      engine.inside.core.longWork.lend(async () => {
        asked.push(name);
        return undefined;
      }, 0);
    const pay = async (): Promise<string[]> => {
      const transfer = payment(bob!.address);
      expect((await engine.executeAs(alice!.address, transfer)).status.kind).toBe('executed');
      return asked.splice(0);
    };
    const takeFirstBack = lendAs('first');
    const takeSecondBack = lendAs('second');
    expect(await pay()).toEqual(['second']);
    takeSecondBack();
    takeSecondBack();
    expect(await pay()).toEqual(['first']);
    takeFirstBack();
    expect(await pay()).toEqual([]);
  });

  it('start no thread where none is wanted, nor after the adapter is closed', async () => {
    const entries: LogEntry[] = [];
    await using engine = await Engine.open({ clock, log: (entry) => entries.push(entry) });
    const [alice] = engine.accounts;
    await engine.publish(String(alice), [assembleFor(DEV_ACCOUNTS[0]!, CONTRACT)]);
    const refused = createRpc(engine, { workers: 0 });
    const closed = createRpc(engine);
    await closed.close();
    const begun = begunThreads();
    expect((await engine.execute(alice!.signTransaction({ function: `${alice}::long::held` }))).status.kind).toBe(
      'executed',
    );
    expect(begun).toEqual([]);
    // Nor did the engine ask the one that had ended.
    expect(entries.filter(({ level }) => level === 'warning')).toEqual([]);
    await refused.close();
  });
});
