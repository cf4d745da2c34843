/**
 * One wrong call of each kind for every function that a program can call, by the name that `test/public-surface.ts` has
 * for it.
 * @module
 */
import type { Table, World } from './attempts.ts';
import { bitcoinDoorCalls } from './bitcoin.ts';
import { commitLogCalls } from './commit-log.ts';
import { engineCalls } from './engine.ts';
import { proofCalls } from './proof.ts';
import { rpcCalls, valueCalls } from './rpc.ts';
import { storeCalls } from './store.ts';
import { testingCalls } from './testing.ts';
import { transactionCalls } from './transaction.ts';
import { followerCalls, transportCalls } from './transport.ts';
import { typesCalls } from './types.ts';

/** Functions without a row, with the reason. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  'Codec#write': 'takes a writer, which no door gives: `encode` calls it',
  'Codec#read': 'takes a reader, which no door gives: `decode` calls it',
  expect: 'of Vitest, with the matchers beside its own',
  test: 'of Vitest, with fixtures',
};

export function wrongCalls(world: World): Table {
  return {
    ...engineCalls(world),
    ...valueCalls(),
    ...proofCalls(world),
    ...rpcCalls(world),
    ...transportCalls(world),
    ...followerCalls(world),
    ...typesCalls(),
    ...bitcoinDoorCalls(world),
    ...storeCalls(world),
    ...commitLogCalls(world),
    ...transactionCalls(),
    ...testingCalls(world),
  };
}
