/** Who has the thread when many ask: by order, on a clock that advances only with work. */
import { describe, expect, it } from 'vitest';
import { EXPENSIVE_BEHIND_MS, TURNS_MS } from '../../../src/base/config.ts';
import { FairQueue } from '../../../src/server/rpc/fair-queue.ts';

/** A thread whose clock advances only by the work done on it, and whose rounds come when asked for. */
class Thread {
  time = 0;
  readonly #tasks: (() => void)[] = [];
  readonly queue: FairQueue = new FairQueue({
    now: () => this.time,
    afterRound: (task) => void this.#tasks.push(task),
  });
  readonly served: string[] = [];

  get roundsAsked(): number {
    return this.#tasks.length;
  }

  /** Requests of `ms` milliseconds, one after the other as they are asked. */
  ask(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) void this.queue.run(connection, () => this.#serve(name, ms));
  }

  /** The same, but nobody knows beforehand that they take so little. */
  askExpensive(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) void this.queue.runExpensive(connection, () => this.#serve(name, ms));
  }

  /** Work that nobody waits for. */
  askLater(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) this.queue.later(connection, () => this.#serve(name, ms));
  }

  #serve(name: string, ms: number): void {
    this.served.push(name);
    this.time += ms;
  }

  /** Rounds of the event loop; `between` stands for what sockets bring in. */
  async rounds(count: number, between: (round: number) => void = () => {}): Promise<void> {
    for (let round = 0; round < count; round++) {
      // What a request does at once, it does in microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      this.#tasks.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      between(round);
    }
  }
}

describe('requests', () => {
  it('are served at once when nobody waits, and ask for a round of the event loop once they have taken long', () => {
    const thread = new Thread();
    thread.ask('a', {}, TURNS_MS / 4, 3);
    expect(thread.served).toEqual(['a', 'a', 'a']);
    expect(thread.roundsAsked).toBe(0);
    thread.ask('a', {}, TURNS_MS / 4);
    expect(thread.roundsAsked).toBe(1);
  });

  it('that wait for something hold up no others', async () => {
    const thread = new Thread();
    let goOn = (): void => {};
    const waits = thread.queue.run({}, () => new Promise<void>((resolve) => (goOn = resolve)));
    thread.ask('second', {}, 0);
    expect(thread.served).toEqual(['second']);
    goOn();
    await waits;
  });

  it('give what they give, at once and later, and what they fail with', async () => {
    const thread = new Thread();
    const connection = {};
    expect(thread.queue.run(connection, () => 1)).toBe(1);
    await expect(thread.queue.run(connection, async () => 1)).resolves.toBe(1);
    thread.ask('expensive', connection, TURNS_MS);
    const thrown = (): never => {
      throw new Error('thrown');
    };
    const later = [() => 2, async () => 3, () => Promise.reject(4), thrown, () => 5];
    const settled = Promise.allSettled(later.map((work) => thread.queue.run<number>(connection, work)));
    await thread.rounds(2);
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 3 },
      { status: 'rejected', reason: 4 },
      { status: 'rejected', reason: new Error('thrown') },
      { status: 'fulfilled', value: 5 },
    ]);
  });

  it('are served one in a round if they take long: a hundred in one read are a hundred rounds', async () => {
    const thread = new Thread();
    thread.ask('flood', {}, 1_000, 100);
    const lengths: number[] = [];
    await thread.rounds(100, () => lengths.push(thread.served.length));
    expect(lengths).toEqual(Array.from({ length: 100 }, (_, round) => Math.min(round + 2, 100)));
  });

  it('of a client that asks for little wait for one that takes long at most', async () => {
    const thread = new Thread();
    const client = {};
    const floods = Array.from({ length: 50 }, () => ({}));
    for (const flood of floods) thread.ask('flood', flood, 2_000, 20);
    // Each of them is new once.
    await thread.rounds(floods.length);
    thread.served.length = 0;
    await thread.rounds(200, (round) => {
      if (round % 10 === 9) thread.ask('client', client, 1);
    });
    const places = thread.served.flatMap((name, at) => (name === 'client' ? [at] : []));
    expect(places).toHaveLength(19);
    // Asked after each tenth round, served in the next one: before any of the floods that wait.
    const between = places.map((at, index) => at - (places[index - 1] ?? -1) - 1);
    expect(Math.max(...between)).toBeLessThanOrEqual(11);
  });

  it.each(['ask', 'askExpensive'] as const)('of equals go round: %s', async (ask) => {
    const thread = new Thread();
    for (const name of ['a', 'b', 'c']) thread[ask](name, {}, 100, 3);
    await thread.rounds(9);
    expect(thread.served).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('of a latecomer begin where the others are: no time is saved up', async () => {
    const thread = new Thread();
    thread.ask('early', {}, 100, 30);
    await thread.rounds(10);
    thread.ask('late', {}, 100, 10);
    const before = thread.served.length;
    await thread.rounds(10);
    const served = thread.served.slice(before);
    expect(served.filter((name) => name === 'early').length).toBeGreaterThanOrEqual(4);
    expect(served.filter((name) => name === 'late').length).toBeGreaterThanOrEqual(5);
  });

  it('come later for time that their connection used besides', async () => {
    const thread = new Thread();
    const [large, small] = [{}, {}];
    thread.queue.spend(large, 500);
    thread.ask('large', large, 1, 2);
    thread.ask('small', small, 1, 2);
    await thread.rounds(4);
    expect(thread.served).toEqual(['small', 'small', 'large', 'large']);
  });
});

describe('work that nobody waits for', () => {
  it('is done one in a round, and keeps no request waiting', async () => {
    const thread = new Thread();
    thread.askLater('busy', {}, TURNS_MS / 8, 4);
    thread.askLater('other', {}, TURNS_MS / 8);
    expect(thread.served).toEqual([]);
    const client = {};
    thread.ask('at once', client, TURNS_MS / 8);
    expect(thread.served).toEqual(['at once']);
    await thread.rounds(3, (round) => {
      if (round === 1) thread.ask('at once', client, TURNS_MS / 8);
    });
    expect(thread.served).toEqual(['at once', 'busy', 'other', 'at once', 'busy']);
    // A request that has to wait is served in the same round, and before it if its connection has used less.
    thread.ask('long', {}, TURNS_MS);
    thread.ask('waits', {}, TURNS_MS / 8);
    await thread.rounds(2);
    expect(thread.served.slice(5)).toEqual(['long', 'waits', 'busy', 'busy']);
  });
});

describe('expensive requests', () => {
  it('wait until the event loop has been round, one at a time, each behind all who take little', async () => {
    const thread = new Thread();
    const client = {};
    for (let flood = 0; flood < 20; flood++) thread.askExpensive('view', {}, 2_000, 5);
    expect(thread.served).toEqual([]);
    await thread.rounds(100, (round) => {
      thread.ask('known', client, 0.01);
      thread.ask('new', {}, 0.01);
      // A view of a new connection is no reason to wait for it: nothing is known of it.
      if (round % 7 === 0) thread.askExpensive('view', {}, 2_000);
    });
    for (const [at, name] of thread.served.entries()) {
      if (name === 'view') expect(thread.served[at + 1], String(at)).not.toBe('view');
    }
    expect(thread.served.filter((name) => name === 'known')).toHaveLength(100);
    expect(thread.served.filter((name) => name === 'new')).toHaveLength(100);
  });

  it('of new connections come after a client whose first request took long', async () => {
    const thread = new Thread();
    const client = {};
    thread.ask('client', client, 500);
    for (let flood = 0; flood < 10; flood++) thread.askExpensive('view', {}, 2_000);
    thread.ask('client', client, 0.01);
    await thread.rounds(1);
    expect(thread.served.slice(0, 2)).toEqual(['client', 'client']);
  });

  it('start at once on a connection whose last ones took little time', async () => {
    const thread = new Thread();
    const [client, flood] = [{}, {}];
    thread.askExpensive('view', client, 0.05, 10);
    await thread.rounds(10);
    thread.askExpensive('view', client, 0.05, 3);
    expect(thread.served).toHaveLength(13);
    thread.askExpensive('flood', flood, 1_000);
    await thread.rounds(1);
    thread.askExpensive('flood', flood, 1_000);
    expect(thread.served).toHaveLength(14);
  });

  it('are not put off for ever by those who take little', async () => {
    const thread = new Thread();
    const many = Array.from({ length: 10 }, () => ({}));
    thread.askExpensive('view', {}, 100);
    let rounds = 0;
    await thread.rounds(200, () => {
      if (!thread.served.includes('view')) rounds++;
      for (const one of many) thread.ask('balance', one, EXPENSIVE_BEHIND_MS / 10);
    });
    expect(rounds).toBeLessThan(150);
  });
});
