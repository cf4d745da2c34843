/** Listeners of an engine: told before submitters are, of what can already be read, and of going back. */
import { describe, expect, it } from 'vitest';
import { HandEngine } from './journeys/hand.ts';

const events = ['Other', 'Moved', 'Moved'].map((name) => ({ type: `0x42::game::${name}`, data: Uint8Array.of(7) }));

describe('engine.on', () => {
  it('tells of a transaction when it can be read and before its submitter is told', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const told: string[] = [];
    engine.on('transaction', ({ order, hash }) => {
      told.push(`listener ${order}`);
      expect(engine.head.order).toBe(order);
      expect(engine.transactions.get(hash)?.order).toBe(order);
    });
    await hand.commit().then(() => told.push('submitter'));
    expect(told).toEqual(['listener 1', 'submitter']);
  });

  it('tells of the events that match a filter, until it is stopped', async () => {
    await using hand = await HandEngine.open();
    const told: (readonly [bigint, number])[] = [];
    const stop = hand.engine.on('event', ({ position }) => told.push([position.order, position.index]), {
      kind: 'type',
      type: '0x42::game::Moved',
    });
    await hand.commit({ events });
    stop();
    await hand.commit({ events });
    expect(told).toEqual([
      [1n, 1],
      [1n, 2],
    ]);
  });

  it('tells of the head, even when it goes back', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const told: (readonly [bigint, boolean, bigint])[] = [];
    engine.on('head', ({ head, isReverted, sharedOrder }) => told.push([head.order, isReverted, sharedOrder]));
    const snapshot = engine.snapshot();
    await hand.commit();
    await engine.revert(snapshot);
    expect(told).toEqual([
      [1n, false, 0n],
      [0n, true, 0n],
    ]);
  });

  it('says how much of the chain remains when it switches to another branch', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const commits = async (count: number) => {
      for (let serial = 0; serial < count; serial++) await hand.commit();
    };
    await commits(5);
    const base = engine.snapshot();
    await commits(3);
    const eight = engine.snapshot();
    await engine.revert(base);
    await commits(2);
    const seven = engine.snapshot();
    const told: (readonly [bigint, bigint])[] = [];
    engine.on('head', ({ head, sharedOrder }) => told.push([head.order, sharedOrder]));
    for (const snapshot of [eight, eight, seven, base, seven]) await engine.revert(snapshot);
    await engine.reset();
    expect(told).toEqual([
      [8n, 5n],
      [8n, 8n],
      [7n, 5n],
      [5n, 5n],
      [7n, 5n],
      [0n, 0n],
    ]);
  });

  const failing: readonly (readonly [string, () => unknown])[] = [
    [
      'throws',
      () => {
        throw new Error('of mine');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of mine'))],
  ];

  it.each(failing)('goes on when a listener %s, which the log is told', async (_, listener) => {
    const logged: string[] = [];
    await using hand = await HandEngine.open({ log: ({ message }) => logged.push(message) });
    hand.engine.on('transaction', listener as () => void);
    await expect(hand.commit()).resolves.toMatchObject({ head: { order: 1n } });
    // By the next event, Node would have ended the process.
    await new Promise(setImmediate);
    expect(logged).toEqual(['a listener of the feed threw: of mine; the chain goes on']);
  });

  it.each(failing)(
    'is an uncaught exception, and the chain goes on, where a listener %s and there is no log',
    async (_, listener) => {
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      const uncaught: unknown[] = [];
      process.on('uncaughtException', (error) => uncaught.push(error));
      try {
        await using hand = await HandEngine.open();
        hand.engine.on('transaction', listener as () => void);
        await expect(hand.commit()).resolves.toMatchObject({ head: { order: 1n } });
        await new Promise(setImmediate);
        expect(uncaught).toEqual([new Error('of mine')]);
      } finally {
        process.removeAllListeners('uncaughtException');
        for (const other of others) process.on('uncaughtException', other);
      }
    },
  );

  it('still tells a listener that throws about the rest of the same batch', async () => {
    await using hand = await HandEngine.open({ log: () => undefined });
    const told: bigint[] = [];
    hand.engine.on('transaction', ({ order }) => {
      told.push(order);
      throw new Error('of mine');
    });
    await Promise.all([hand.commit(), hand.commit(), hand.commit()]);
    expect(told).toEqual([1n, 2n, 3n]);
  });

  it('tells a stopped listener nothing more, whoever stops it, also within a batch', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const told: string[] = [];
    const stops = [
      engine.on('transaction', ({ order }) => {
        told.push(`transaction ${order}`);
        stops[0]!();
      }),
      engine.on('event', ({ position }) => {
        told.push(`event ${position.order} ${position.index}`);
        for (const stop of stops) stop();
      }),
      engine.on('head', () => told.push('head')),
    ];
    await Promise.all([hand.commit({ events }), hand.commit({ events })]);
    expect(told).toEqual(['transaction 1', 'event 1 0']);
  });

  it('calls a listener once for each time it was added, and one added by a listener from the next commit on', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const told: string[] = [];
    const listener = ({ order }: { readonly order: bigint }): void => void told.push(`${order}`);
    const stop = engine.on('transaction', listener);
    engine.on('transaction', listener);
    await hand.commit();
    stop();
    stop();
    const added = engine.on('transaction', () => {
      added();
      engine.on('transaction', ({ order }) => told.push(`late ${order}`));
    });
    await hand.commit();
    await hand.commit();
    expect(told).toEqual(['1', '1', '2', '3', 'late 3']);
  });

  it('goes on when the log throws, whoever waits for it', async () => {
    const log = (): never => {
      throw new Error('of the log');
    };
    await using hand = await HandEngine.open({ log });
    hand.engine.on('transaction', () => {
      throw new Error('of mine');
    });
    await expect(hand.commit()).resolves.toMatchObject({ head: { order: 1n } });
    await using fork = hand.engine.fork({ log });
    fork.on('head', () => {
      throw new Error('of mine');
    });
    await expect(fork.dev.mint('0x42', 1n)).resolves.toMatchObject({ order: 2n });
  });

  it('tells once that the engine was closed, after its last commit', async () => {
    const hand = await HandEngine.open();
    const { engine } = hand;
    const told: string[] = [];
    engine.on('head', ({ head }) => told.push(`head ${head.order}`));
    engine.on('closed', () => {
      told.push('closed');
      // Nothing is left to tell a further listener.
      expect(() => engine.on('closed', () => {})).toThrow(expect.objectContaining({ code: 'closed' }));
      void engine.close();
    });
    const stop = engine.on('closed', () => told.push('a stopped listener'));
    stop();
    void hand.commit();
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    expect(told).toEqual(['head 1', 'closed']);
  });

  it('refuses a filter for events that take none, and a closed engine', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    for (const kind of ['head', 'notice', 'closed']) {
      const filtered = () => engine.on(kind as 'event', () => {}, { kind: 'sender', sender: '0x1' });
      expect(filtered).toThrow(`filter: expected none for '${kind}', which is told whole`);
    }
    await engine.close();
    expect(() => engine.on('head', () => {})).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});
