/**
 * What a block leaves in memory: a large transaction is released once it is written, and a block that somebody keeps is
 * its bytes and nothing that was made from them on the way.
 */
import { expect, it, vi } from 'vitest';
import { spend } from '../../../src/bitcoin/mine.ts';
import { subsidyOf } from '../../../src/bitcoin/network.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { collectGarbage } from '../../garbage.ts';

const OUTPUTS = 200;
const made = vi.hoisted(() => ({ changes: [] as WeakRef<object>[], blocks: [] as WeakRef<object>[] }));

vi.mock('../../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../../src/base/config.ts')>()),
  COMMIT_SHARED_OPERATIONS_MAX: 500,
}));

vi.mock('../../../src/chain/state/apply.ts', async (original) => {
  const { applyChangeSet } = await original<typeof import('../../../src/chain/state/apply.ts')>();
  return {
    applyChangeSet: (...given: Parameters<typeof applyChangeSet>) => {
      const applied = applyChangeSet(...given);
      for (const [, { fields }] of applied.changeSet.changes) {
        if (fields.length > OUTPUTS) made.changes.push(new WeakRef(fields));
      }
      return applied;
    },
  };
});

vi.mock('../../../src/bitcoin/block.ts', async (original) => {
  const module = await original<typeof import('../../../src/bitcoin/block.ts')>();
  const decodeBlock: typeof module.decodeBlock = (bytes) => {
    const block = module.decodeBlock(bytes);
    made.blocks.push(new WeakRef(block));
    return block;
  };
  return { ...module, decodeBlock };
});

it('keeps neither the changes of a large transaction nor the decoded form of a block that its owner keeps', async () => {
  const to = DEV_ACCOUNTS[0]!.regtestAddress;
  const engine = await Engine.open({ reorganisationDepth: 0 });
  const first = await engine.dev.mine({ to });
  const outputs = Array.from({ length: OUTPUTS }, () => ({ to, value: subsidyOf(0) / BigInt(OUTPUTS + 1) }));
  const outpoint = { txid: first.transactions[0]!.txid, vout: 0 };
  const kept = await engine.dev.mine({ to, transactions: [spend([{ outpoint }], outputs)] });
  expect(made.changes.length).toBeGreaterThan(0);
  expect(made.blocks.length).toBeGreaterThan(1);
  // What a weak reference has just named lives until the present job is over.
  await expect
    .poll(() => {
      collectGarbage();
      return [...made.changes, ...made.blocks].filter((reference) => reference.deref() !== undefined);
    })
    .toEqual([]);
  expect(kept.bytes.length).toBeGreaterThan(0);
  await engine.close();
});
