/** The feed: told in order, before submitters are, and unharmed by any listener. */
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/base/log.ts';
import type { Head } from '../../src/chain/ledger/head.ts';
import type { Commit } from '../../src/pipeline/commit.ts';
import { Feed, type FeedMessage } from '../../src/pipeline/feed.ts';

const message = (order: bigint): FeedMessage => ({ kind: 'reverted', head: { order } as Head, sharedOrder: order });

describe('the feed', () => {
  it('tells every listener everything, in order, until it leaves', () => {
    const feed = new Feed(() => {});
    const told: string[] = [];
    const name = (own: string) => (given: FeedMessage) =>
      told.push(`${own} ${given.kind === 'reverted' ? given.head.order : ''}`);
    const leave = feed.listen(name('first'));
    feed.listen(name('second'));
    feed.tell(message(1n));
    leave();
    leave();
    feed.tell(message(2n));
    expect(told).toEqual(['first 1', 'second 1', 'second 2']);
  });

  it('takes a listener twice, and lets each go by itself', () => {
    const feed = new Feed(() => {});
    let count = 0;
    const listener = (): void => {
      count++;
    };
    const leave = feed.listen(listener);
    feed.listen(listener);
    feed.tell(message(1n));
    leave();
    feed.tell(message(2n));
    expect(count).toBe(3);
  });

  it('reports a listener that throws, counts it, and goes on', () => {
    const entries: LogEntry[] = [];
    const feed = new Feed((entry) => entries.push(entry));
    let told = 0;
    feed.listen(() => {
      throw new Error('of mine');
    });
    feed.listen(() => {
      told++;
    });
    feed.tell({ kind: 'commits', commits: [] as Commit[] });
    feed.tell(message(1n));
    expect([told, feed.failures]).toEqual([2, 2]);
    expect(entries[1]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('of mine'),
      details: { failures: 2 },
    });
  });

  it('does not tell listeners that join while it is telling', () => {
    const feed = new Feed(() => {});
    let told = 0;
    feed.listen(() => {
      feed.listen(() => {
        told++;
      });
    });
    feed.tell(message(1n));
    expect(told).toBe(0);
  });
});
