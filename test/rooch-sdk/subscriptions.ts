/** The client's subscriptions. */
import { expect } from 'vitest';
import type { MethodTests, World } from './world.ts';

export const SUBSCRIPTIONS: MethodTests = {
  subscribeEvent: (world) =>
    hears(world, (onMessage) =>
      world.client.subscribeEvent({ filter: { event_type: world.stir.eventType }, onMessage }),
    ),

  subscribeEventWithSSE: (world) =>
    hears(world, (onMessage) =>
      world.client.subscribeEventWithSSE({ filter: { event_type: world.stir.eventType }, onMessage }),
    ),

  subscribeTransaction: (world) => hears(world, (onMessage) => world.client.subscribeTransaction({ onMessage })),

  subscribeTransactionWithSSE: (world) =>
    // The SDK declares the items of the other stream.
    hears(world, (onMessage) => world.client.subscribeTransactionWithSSE({ onMessage })),
};

/** Makes something happen and waits for the subscriber to be told of it; after the subscription has ended, nothing is. */
async function hears(
  { engine, stir }: World,
  subscribe: (onMessage: (item: unknown) => void) => Promise<() => Promise<boolean>>,
): Promise<void> {
  const heard: bigint[] = [];
  let wake = (): void => {};
  const unsubscribe = await subscribe((item) => {
    heard.push(orderOf(item));
    wake();
  });
  await stir.act();
  const { order } = engine.head;
  while (!heard.includes(order)) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  expect(heard).toEqual([...heard].sort((left, right) => Number(left - right)));
  expect(await unsubscribe()).toBe(true);
  const count = heard.length;
  await stir.act();
  await stir.act();
  expect(heard).toHaveLength(count);
}

/** The order of the transaction that an item is, or whose event it is. */
function orderOf(item: unknown): bigint {
  const { transaction, indexer_event_id } = item as {
    readonly transaction?: { readonly sequence_info: { readonly tx_order: string } };
    readonly indexer_event_id?: { readonly tx_order: string };
  };
  return BigInt((transaction?.sequence_info ?? indexer_event_id)!.tx_order);
}
