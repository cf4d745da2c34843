import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fixtures } from '../../src/engine/fixtures.ts';
import { Engine, GAS_COIN_TYPE } from '../../src/index.ts';
import { fixture } from '../../src/testing/testing.ts';

const SOMEBODY = '0x42';
let engine: Engine;

beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

const fund = (chain: Engine, amount: bigint) => chain.dev.mint(SOMEBODY, amount);
const balance = (chain: Engine) => chain.balances.get(SOMEBODY, GAS_COIN_TYPE).balance;

describe('a fixture', () => {
  it('is prepared once, also for those who ask at the same time, and each has a fork of its own', async () => {
    let runs = 0;
    const take = () =>
      fixture(engine, 'once', (chain) => {
        runs++;
        return fund(chain, 5n);
      });
    const [one, other] = await Promise.all([take(), take()]);
    await fund(one, 1n);
    expect([balance(one), balance(other), balance(await take())]).toEqual([6n, 5n, 5n]);
    expect(runs).toBe(1);
    expect(engine.head.order).toBe(0n);
  });

  it('is a different one under another key, and on a chain that has gone on', async () => {
    const chain = engine.fork();
    const take = (key: string) => fixture(chain, key, (own) => fund(own, BigInt(key.length)));
    expect([balance(await take('a')), balance(await take('bb'))]).toEqual([1n, 2n]);
    await fund(chain, 10n);
    expect(balance(await take('a'))).toBe(11n);
  });

  it('is reused by another fork with the same transactions, and within a fixture', async () => {
    const runs: string[] = [];
    const take = async () => {
      const coins = await fixture(engine.fork(), 'coins', (chain) => {
        runs.push('coins');
        return fund(chain, 1n);
      });
      return fixture(coins, 'more', (chain) => {
        runs.push('more');
        return fund(chain, 2n);
      });
    };
    expect([balance(await take()), balance(await take())]).toEqual([3n, 3n]);
    expect(runs).toEqual(['coins', 'more']);
  });

  it('is not shared with a fork that has other options', async () => {
    const other = engine.fork({ clock: () => 1_000n });
    let runs = 0;
    for (const chain of [engine, other]) await fixture(chain, 'options', () => runs++);
    expect(runs).toBe(2);
    await other.close();
  });

  it('that could not be prepared is prepared again', async () => {
    let runs = 0;
    const take = () =>
      fixture(engine, 'fails', () => {
        if (++runs === 1) throw new Error('not today');
      });
    await expect(take()).rejects.toThrow('not today');
    await expect(take()).resolves.toBeInstanceOf(Engine);
  });

  it('that asks for itself is refused, since it would wait for ever', async () => {
    const itself = (chain: Engine): Promise<Engine> => fixture(chain, 'itself', itself);
    await expect(fixture(engine, 'itself', itself)).rejects.toThrow('key: expected another key');
  });

  it('that is asked for on a fork, or by a fixture within it, is refused as well', async () => {
    const onFork = async (chain: Engine): Promise<Engine> => {
      await fund(chain.fork(), 1n);
      return fixture(chain.fork(), 'on a fork', onFork);
    };
    await expect(fixture(engine, 'on a fork', onFork)).rejects.toThrow('key: expected another key');
    // At once, too: before the first one is known.
    const atOnce = (chain: Engine): Promise<Engine> => fixture(chain.fork(), 'at once', atOnce);
    await expect(fixture(engine, 'at once', atOnce)).rejects.toThrow('key: expected another key');
    const one = (chain: Engine): Promise<Engine> => fixture(chain, 'other', (inner) => fixture(inner, 'one', one));
    await expect(fixture(engine, 'one', one)).rejects.toThrow('key: expected another key');
  });

  it('may be asked for again on a chain that was forked while it was being prepared', async () => {
    let kept: Engine | undefined;
    const first = await fixture(engine, 'forks', (chain) => {
      kept = chain.fork();
    });
    const second = await fixture(kept!, 'forks', () => {});
    expect(second.head.order).toBe(first.head.order);
  });

  it('ends with its engine, also while it is being prepared', async () => {
    const closes = await Engine.open();
    await expect(fixture(closes, 'closes its engine', () => closes.close())).rejects.toMatchObject({
      code: 'closed',
      message: 'the fixture "closes its engine" was closed while it was being prepared',
    });
    const waits = await Engine.open();
    const taken = fixture(waits, 'never ends by itself', async (chain) => {
      for (;;) await fund(chain, 1n);
    });
    const refused = expect(taken).rejects.toMatchObject({ code: 'closed' });
    await waits.close();
    await refused;
  });

  it('that closed its own chain is prepared again', async () => {
    let runs = 0;
    const take = () => fixture(engine, 'closes itself', (chain) => (runs++ === 0 ? chain.close() : undefined));
    await expect(take()).rejects.toThrow('the fixture "closes itself" was closed while it was being prepared');
    await expect(take()).resolves.toBeInstanceOf(Engine);
  });

  it('outlives the fork on which it was asked for, and ends with the engine', async () => {
    const root = await Engine.open();
    const first = root.fork();
    const kept = await fixture(first, 'kept', (chain) => fund(chain, 1n));
    await first.close();
    let runs = 0;
    const second = await fixture(root, 'kept', () => runs++);
    expect([balance(kept), balance(second), runs]).toEqual([1n, 1n, 0]);
    await root.close();
    await expect(fixture(root, 'kept', () => {})).rejects.toMatchObject({ code: 'closed' });
  });

  it('fails with what preparing it threw, also if its chain cannot be closed then', async () => {
    const reason = new Error('it is not prepared');
    const fixtures = new Fixtures();
    const chain = engine.fork();
    const failing = async (): Promise<never> => {
      throw new Error('it is not closed');
    };
    const unclosable = new Proxy(chain, {
      get: (_, name) => (name === 'close' ? failing : Reflect.get(chain, name)),
    });
    const prepare = () => {
      throw reason;
    };
    await expect(fixtures.take(engine, 'key', prepare, () => unclosable)).rejects.toBe(reason);
    await chain.close();
  });

  it('that is asked for while its engine closes ends with it, or is refused', async () => {
    const closes = await Engine.open();
    await fixture(closes, 'takes a while to close', () => {});
    const chains: Engine[] = [];
    const taken: Promise<Engine>[] = [];
    let isClosed = false;
    const closing = closes.close().then(() => {
      isClosed = true;
    });
    for (let at = 0; !isClosed; at++) {
      taken.push(fixture(closes, `${at}`, (chain) => chains.push(chain)));
      await Promise.resolve();
    }
    await closing;
    const outcomes = await Promise.allSettled(taken);
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
    expect(chains.length).toBeGreaterThan(0);
    for (const chain of chains) expect(() => chain.inside.state).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});
