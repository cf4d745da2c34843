/** The feed lets listeners go. What they are told, and that none harms the chain: engine-listeners.test.ts. */
import { expect, it } from 'vitest';
import type { Head } from '../../src/chain/ledger/head.ts';
import { Feed, type FeedMessage } from '../../src/pipeline/feed.ts';

const message = (order: bigint): FeedMessage => ({ kind: 'reverted', head: { order } as Head, sharedOrder: order });

it('every listener is told everything in order until it is removed, once for each time it was added', () => {
  const feed = new Feed(() => {});
  const told: string[] = [];
  const name = (own: string) => (given: FeedMessage) =>
    told.push(`${own} ${given.kind === 'reverted' ? given.head.order : ''}`);
  const leave = feed.listen(name('first'));
  feed.listen(name('second'));
  feed.tell(message(1n));
  leave();
  leave();
  const twice = name('twice');
  const leaveOnce = feed.listen(twice);
  feed.listen(twice);
  leaveOnce();
  feed.tell(message(2n));
  expect(told).toEqual(['first 1', 'second 1', 'second 2', 'twice 2']);
});
