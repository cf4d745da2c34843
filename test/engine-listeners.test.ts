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
    const told: (readonly [bigint, boolean])[] = [];
    engine.on('head', ({ head, isReverted }) => told.push([head.order, isReverted]));
    const snapshot = engine.snapshot();
    await hand.commit();
    await engine.revert(snapshot);
    expect(told).toEqual([
      [1n, false],
      [0n, true],
    ]);
  });

  it('goes on when a listener throws', async () => {
    await using hand = await HandEngine.open();
    hand.engine.on('transaction', () => {
      throw new Error('of mine');
    });
    await expect(hand.commit()).resolves.toMatchObject({ head: { order: 1n } });
  });

  it('refuses an unknown kind, a missing listener, a wrong filter and a closed engine', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const refused = (run: () => unknown, text: string): void => expect(run).toThrow(text);
    refused(() => engine.on('block' as 'head', () => {}), "kind: expected 'transaction', 'event', 'head' or 'notice'");
    refused(() => engine.on('event', undefined as never), 'listener: expected a function');
    refused(() => engine.on('event', () => {}, { kind: 'colour' } as never), 'filter: expected');
    await engine.close();
    expect(() => engine.on('head', () => {})).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});
