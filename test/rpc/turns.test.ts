/** Who has the thread when many ask: by order, on a clock that goes on only when somebody works. */
import { describe, expect, it } from 'vitest';
import { TURNS_MS } from '../../src/config.ts';
import { Turns } from '../../src/rpc/turns.ts';

/** A thread whose clock stands still but for what is done on it, and whose rounds come when they are asked for. */
class Thread {
  time = 0;
  readonly #tasks: (() => void)[] = [];
  readonly turns: Turns = new Turns({ now: () => this.time, afterRound: (task) => this.#tasks.push(task) });
  readonly served: string[] = [];

  /** Requests of `ms` milliseconds, one after the other as they are asked. */
  ask(name: string, connection: object, ms: number, count = 1): void {
    for (let index = 0; index < count; index++) void this.#serve(name, connection, ms);
  }

  async #serve(name: string, connection: object, ms: number): Promise<void> {
    const turn = await this.turns.take(connection);
    this.served.push(name);
    this.time += ms;
    turn.end();
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
  it('are taken at once where nobody waits', async () => {
    const thread = new Thread();
    thread.ask('a', {}, TURNS_MS / 4, 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(thread.served).toEqual(['a', 'a', 'a']);
  });

  it('end when the event loop has been round, though a request still waits for something', async () => {
    const thread = new Thread();
    const [first, second] = [{}, {}];
    await thread.turns.take(first);
    thread.ask('second', second, 0);
    expect(thread.served).toEqual([]);
    await thread.rounds(1);
    expect(thread.served).toEqual(['second']);
  });

  it('return to the event loop between dear ones: a hundred requests in one read are a hundred rounds', async () => {
    const thread = new Thread();
    const flood = {};
    thread.ask('flood', flood, 1_000, 100);
    const lengths: number[] = [];
    await thread.rounds(100, () => lengths.push(thread.served.length));
    expect(lengths).toEqual(Array.from({ length: 100 }, (_, round) => Math.min(round + 2, 100)));
  });

  it('go to who had least: whoever asks for little waits for one dear request at most', async () => {
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

  it('are not saved up: who comes late begins where the others are', async () => {
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

  it('count what a connection had outside of them', async () => {
    const thread = new Thread();
    const [large, small] = [{}, {}];
    thread.turns.spend(large, 500);
    thread.ask('large', large, 1, 2);
    thread.ask('small', small, 1, 2);
    await thread.rounds(4);
    expect(thread.served).toEqual(['small', 'small', 'large', 'large']);
  });
});
