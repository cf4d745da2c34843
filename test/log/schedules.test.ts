/**
 * Random histories of writers that race, logs that fail, and readers that come and go, judged by what clients saw: what was
 * acknowledged is in the log once and where it was said, no reader ever showed a root that is not the log's, a read that
 * names an order is never older, and in the end all have the same chain.
 */
import { describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, type Engine, EngineError } from '../../src/index.ts';
import { openDirectoryLog, summaryOf } from '../../src/log/index.ts';
import { RandomRows } from '../../src/store/compliance/case.ts';
import { isLong } from '../effort.ts';
import { payment } from '../payment.ts';
import { Cluster, logStatus, reached } from './cluster.ts';
import { type Fault, FaultyLog } from './faulty-log.ts';

const SCHEDULES = isLong ? 200 : 4;
const STEPS = 30;
const bob = DEV_ACCOUNTS[1]!.address;

/** What a client was told, or saw. */
interface Seen {
  readonly order: bigint;
  readonly word: string;
}

class History {
  readonly #cluster = new Cluster();
  readonly #random: RandomRows;
  #writers: Engine[] = [];
  #readers: Engine[] = [];
  readonly acknowledged: Seen[] = [];
  readonly roots: Seen[] = [];
  /** The outcomes of payments that were seen. */
  readonly ends = new Set<string>();
  #isCalm = false;

  constructor(seed: number) {
    this.#random = new RandomRows(seed);
  }

  async play(): Promise<void> {
    await this.#openWriter();
    await this.#openReader();
    for (let step = 0; step < STEPS; step++) {
      await this.#random.pick([
        () => this.#pay(),
        () => this.#pay(),
        () => this.#pay(),
        () => this.#openWriter(),
        () => this.#openReader(),
        () => this.#closeReader(),
        () => this.#look(),
      ])();
    }
    this.#isCalm = true;
    await this.#judge();
  }

  async close(): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
  }

  #fault(): Fault {
    if (this.#isCalm || this.#random.below(3) > 0) return 'none';
    return this.#random.pick<Fault>(['refused', 'lost before', 'lost after']);
  }

  async #openWriter(): Promise<void> {
    const log = new FaultyLog(await this.#cluster.log(), {
      append: () => this.#fault(),
      head: () => !this.#isCalm && this.#random.below(4) === 0,
    });
    // Some give up at the first failure, and others try again.
    const logOutageMsMax = this.#random.pick([0, 10_000]);
    this.#writers.push(await this.#cluster.open({ commitLog: log, logOutageMsMax }));
  }

  async #openReader(): Promise<void> {
    this.#readers.push(await this.#cluster.reader());
  }

  async #closeReader(): Promise<void> {
    await this.#readers.shift()?.close();
  }

  /** Some payments at once, at any writer, the newest or one that does not yet know it is superseded. */
  async #pay(): Promise<void> {
    const writer = this.#random.pick(this.#writers);
    const [alice] = writer.accounts;
    const call = payment(bob);
    const payments = Array.from({ length: 1 + this.#random.below(4) }, () => writer.executeAs(alice!.address, call));
    for (const payment of await Promise.allSettled(payments)) {
      if (payment.status === 'rejected') {
        expect(payment.reason).toBeInstanceOf(EngineError);
        this.ends.add(String((payment.reason as EngineError).code));
        continue;
      }
      const { order, hash } = payment.value;
      this.ends.add('acknowledged');
      this.acknowledged.push({ order, word: String(hash) });
      const reader = this.#readers.at(-1);
      if (reader === undefined) continue;
      await reached(reader, order);
      expect(reader.head.order, 'a read that names an order').toBeGreaterThanOrEqual(order);
    }
  }

  async #look(): Promise<void> {
    for (const { head } of this.#readers) this.roots.push({ order: head.order, word: String(head.stateRoot) });
  }

  async #judge(): Promise<void> {
    const last = await this.#cluster.writer();
    await this.#openReader();
    const { order, stateRoot } = last.head;
    for (const reader of this.#readers) {
      await reached(reader, order);
      await logStatus(reader, ({ state }) => state === 'following');
      expect(String(reader.head.stateRoot)).toBe(String(stateRoot));
    }
    await this.#look();
    const log = await openDirectoryLog(`${this.#cluster.directory}/log`);
    const held = new Map<string, bigint>();
    const roots = new Map<bigint, string>();
    for await (const record of log.read(1n)) {
      const { txHash, stateRoot: root } = summaryOf(record.bytes);
      const hash = `0x${Buffer.from(txHash).toString('hex')}`;
      expect(held.has(hash), `${hash} twice`).toBe(false);
      held.set(hash, record.order);
      roots.set(record.order, `0x${Buffer.from(root).toString('hex')}`);
    }
    await log.close();
    expect(BigInt(held.size)).toBe(order);
    for (const { order: said, word } of this.acknowledged) expect(held.get(word), word).toBe(said);
    for (const { order: at, word } of this.roots) if (at > 0n) expect(word, `order ${at}`).toBe(roots.get(at));
  }
}

describe('a random history of a shared log', () => {
  const ends = new Set<string>();

  async function play(seed: number): Promise<void> {
    const history = new History(seed);
    try {
      await history.play();
    } finally {
      await history.close();
    }
    for (const end of history.ends) ends.add(end);
  }

  it.each(Array.from({ length: SCHEDULES }, (_, seed) => seed + 1))('loses nothing and never forks: seed %i', play);

  it('reaches every outcome that a payment can have', async () => {
    // What a seed reaches depends on which of its writers is first.
    for (let seed = SCHEDULES + 1; ends.size < 4; seed++) await play(seed);
    expect([...ends].sort()).toEqual(['acknowledged', 'fenced', 'log-failed', 'log-unknown']);
  });
});
