import { expect, it } from 'vitest';
import { State } from '../../../src/chain/state/state.ts';
import { blockStoreOf, pendingStoreOf } from '../../../src/execution/bitcoin-move/known-block.ts';
import { followedNetwork } from '../../../src/execution/bitcoin-move/object-id.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';

it('reads from a state without the objects of Bitcoin that there are no blocks, and refuses to name a network', () => {
  const tree = new Tree(() => undefined, new NodeCache({ nodesMax: 0 }));
  const none = new State(tree, EMPTY_ROOT, 0n);
  expect([blockStoreOf(none), pendingStoreOf(none)]).toEqual([undefined, undefined]);
  expect(() => followedNetwork(none)).toThrow('the chain has no Bitcoin network object');
});
