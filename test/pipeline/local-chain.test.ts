/** The local chain that engines without a store start from: built once for equal options, kept for the last few. */
import { expect, it } from 'vitest';
import { readHead } from '../../src/chain/ledger/head.ts';
import { localChain } from '../../src/pipeline/local-chain.ts';

it('is shared by equal options, until four others were asked for', async () => {
  const first = localChain({ chainId: 51n });
  expect(localChain({ chainId: 51n })).toBe(first);
  const others = [{ chainId: 52n }, { chainId: 51n, accountBalance: 5n }, { chainId: 51n, reorganisationDepth: 1 }].map(
    localChain,
  );
  expect(localChain({ chainId: 51n })).toBe(first);
  const last = localChain({ chainId: 51n, bitcoinNetwork: 'signet' });
  const heads = (await Promise.all([first, ...others, last])).map(({ store }) => readHead(store)!);
  expect(heads.map(({ chainId, order }) => [chainId, order])).toEqual([51n, 52n, 51n, 51n, 51n].map((id) => [id, 0n]));
  expect(new Set(heads.map(({ stateRoot }) => String(stateRoot))).size).toBe(5);
  expect(localChain({ chainId: 51n })).not.toBe(first);
  expect(localChain({ chainId: 51n, bitcoinNetwork: 'signet' })).toBe(last);
});

it('that cannot be made is not kept', async () => {
  const failing = localChain({ chainId: -1n });
  await expect(failing).rejects.toThrow();
  expect(localChain({ chainId: -1n })).not.toBe(failing);
});
