/** Who has the thread when many ask: by order, on a clock that advances only with work. */
import { describe, expect, it } from 'vitest';
import { EXPENSIVE_BEHIND_MS, TURNS_MS } from '../../../src/base/config.ts';
import { Turns } from '../../../src/server/rpc/turns.ts';

/** A thread whose clock advances only by the work done on it, and whose rounds come when asked for. */
class Thread {
  time = 0;
  readonly #tasks: (() => void)[] = [];
  roundsAsked = 0;
  readonly turns: Turns = new Turns({
    now: () => this.time,
    afterRound: (task) => {
      this.roundsAsked++;
      this.#tasks.push(task);
    },
  });
  readonly served: string[] = [];

  /** Requests of `ms` milliseconds, one after the other as they are asked. */
  ask(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) void this.turns.run(connection, () => this.#serve(name, ms));
  }

  /** The same, but nobody knows beforehand that they take so little. */
  askExpensive(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) void this.turns.runExpensive(connection, () => this.#serve(name, ms));
  }

  /** Work that nobody waits for. */
  askLater(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) this.turns.later(connection, () => this.#serve(name, ms));
  }

  #serve(name: string, ms: number): void {
    this.served.push(name);
    this.time += ms;
  }

  /** Rounds of the event loop; `between` stands for what sockets bring in. */
  async rounds(count: number, between: (round: number) => void = () => {}): Promise<void> {
    for (let round = 0; round < count; round++) {
      // What a turn does at once, it does in microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      this.#tasks.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      between(round);
    }
  }
}

describe('turns of the thread', () => {
  it('are taken at once when nobody waits', async () => {
    const thread = new Thread();
    thread.ask('a', {}, TURNS_MS / 4, 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(thread.served).toEqual(['a', 'a', 'a']);
  });

  it('for work that nobody waits for are taken one in a round, and keep no request waiting', async () => {
    const thread = new Thread();
    const [busy, other, client] = [{}, {}, {}];
    thread.askLater('busy', busy, TURNS_MS / 8, 4);
    thread.askLater('other', other, TURNS_MS / 8);
    expect(thread.served).toEqual([]);
    thread.ask('at once', client, TURNS_MS / 8);
    expect(thread.served).toEqual(['at once']);
    await thread.rounds(3, (round) => {
      if (round === 1) thread.ask('at once', client, TURNS_MS / 8);
    });
    expect(thread.served).toEqual(['at once', 'busy', 'other', 'at once', 'busy']);
    // A request that has to wait is served in the same round, and before it if its connection has used less.
    thread.ask('long', {}, TURNS_MS);
    thread.ask('waits', {}, TURNS_MS / 8);
    await thread.rounds(1);
    expect(thread.served.slice(5)).toEqual(['long', 'waits', 'busy']);
    await thread.rounds(1);
    expect(thread.served.at(-1)).toBe('busy');
  });

  it('end at the first wait: whoever waits for something holds up nobody', async () => {
    const thread = new Thread();
    const [first, second] = [{}, {}];
    let goOn = (): void => {};
    const waits = thread.turns.run(first, () => new Promise<void>((resolve) => (goOn = resolve)));
    thread.ask('second', second, 0);
    expect(thread.served).toEqual(['second']);
    goOn();
    await waits;
  });

  it('give what the request gives, at once and later, and what it fails with', async () => {
    const thread = new Thread();
    const connection = {};
    expect(thread.turns.run(connection, () => 1)).toBe(1);
    await expect(thread.turns.run(connection, async () => 1)).resolves.toBe(1);
    thread.ask('expensive', connection, TURNS_MS);
    const thrown = (): never => {
      throw new Error('thrown');
    };
    const later = [() => 2, async () => 3, () => Promise.reject(4), thrown, () => 5];
    const settled = Promise.allSettled(later.map((work) => thread.turns.run<number>(connection, work)));
    await thread.rounds(2);
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 3 },
      { status: 'rejected', reason: 4 },
      { status: 'rejected', reason: new Error('thrown') },
      { status: 'fulfilled', value: 5 },
    ]);
  });

  it('ask for no round of the event loop until there have been enough of them', () => {
    const thread = new Thread();
    thread.ask('a', {}, TURNS_MS / 4, 3);
    expect(thread.roundsAsked).toBe(0);
    thread.ask('a', {}, TURNS_MS / 4);
    expect(thread.roundsAsked).toBe(1);
  });

  it('return to the event loop between expensive ones: a hundred requests in one read are a hundred rounds', async () => {
    const thread = new Thread();
    const flood = {};
    thread.ask('flood', flood, 1_000, 100);
    const lengths: number[] = [];
    await thread.rounds(100, () => lengths.push(thread.served.length));
    expect(lengths).toEqual(Array.from({ length: 100 }, (_, round) => Math.min(round + 2, 100)));
  });

  it('go to whoever had least: a client that asks for little waits for one expensive request at most', async () => {
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
    // Asked after the turn of each tenth round, served with the next one: before any of the floods that wait.
    const between = places.map((at, index) => at - (places[index - 1] ?? -1) - 1);
    expect(Math.max(...between)).toBeLessThanOrEqual(11);
  });

  it('go round among equals', async () => {
    const thread = new Thread();
    const [a, b, c] = [{}, {}, {}];
    thread.ask('a', a, 5, 3);
    thread.ask('b', b, 5, 3);
    thread.ask('c', c, 5, 3);
    await thread.rounds(9);
    expect(thread.served).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('are not saved up: a latecomer begins where the others are', async () => {
    const thread = new Thread();
    const [early, late] = [{}, {}];
    thread.ask('early', early, 100, 30);
    await thread.rounds(10);
    thread.ask('late', late, 100, 10);
    const before = thread.served.length;
    await thread.rounds(10);
    const served = thread.served.slice(before);
    expect(served.filter((name) => name === 'early').length).toBeGreaterThanOrEqual(4);
    expect(served.filter((name) => name === 'late').length).toBeGreaterThanOrEqual(5);
  });

  it('count what a connection had outside them', async () => {
    const thread = new Thread();
    const [large, small] = [{}, {}];
    thread.turns.spend(large, 500);
    thread.ask('large', large, 1, 2);
    thread.ask('small', small, 1, 2);
    await thread.rounds(4);
    expect(thread.served).toEqual(['small', 'small', 'large', 'large']);
  });
});

describe('expensive turns', () => {
  it('wait until the event loop has been round, and whoever takes little goes first', async () => {
    const thread = new Thread();
    thread.askExpensive('view', {}, 1_000);
    expect(thread.served).toEqual([]);
    thread.ask('balance', {}, 0.01);
    expect(thread.served).toEqual(['balance']);
    await thread.rounds(1);
    expect(thread.served).toEqual(['balance', 'view']);
  });

  it('come one at a time, each behind all who take little, on new connections or known ones', async () => {
    const thread = new Thread();
    const client = {};
    for (let flood = 0; flood < 20; flood++) thread.askExpensive('view', {}, 2_000, 5);
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

  it('go round among those who ask for them', async () => {
    const thread = new Thread();
    const [a, b] = [{}, {}];
    thread.askExpensive('a', a, 100, 3);
    thread.askExpensive('b', b, 100, 3);
    await thread.rounds(6);
    expect(thread.served).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('are begun at once on a connection whose last ones took little', async () => {
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
