/** A transaction that is sent while a Bitcoin block is ingested: it waits for one batch, not for the block. */

import { describe, expect, it } from 'vitest';
import { WRITER_GROUP_COMMITS_MAX } from '../../../src/base/config.ts';
import { type BitcoinTransaction, type OutPoint, parseBitcoinHash, spend } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { WRITER_MEMORY_GROUP_COMMITS_MAX } from '../../../src/pipeline/group-filler.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { Beside } from './beside.ts';

const directory = temporaryDirectories();
const to = DEV_ACCOUNTS[0]!.regtestAddress;

/** Transactions in a row, each spending the one before. */
function chainOf(first: OutPoint, count: number): BitcoinTransaction[] {
  const made: BitcoinTransaction[] = [];
  let outpoint = first;
  for (let index = 0; index < count; index++) {
    const transaction = spend([{ outpoint }], [{ to, value: BigInt(1_000_000 - index) }]);
    made.push(transaction);
    outpoint = { txid: transaction.txid, vout: 0 };
  }
  return made;
}

describe('a transaction beside a block', () => {
  it.each([
    ['in memory', WRITER_MEMORY_GROUP_COMMITS_MAX, () => undefined],
    ['on a disk', WRITER_GROUP_COMMITS_MAX, directory],
  ])('is in the next batch: %s', async (_where, batch, store) => {
    await using engine = await Engine.open({ store: store() });
    const base = await engine.dev.mine({ to });
    const beside = new Beside(engine, 2);
    const before = engine.head.order;
    await engine.dev.mine({
      to,
      transactions: chainOf({ txid: parseBitcoinHash(base.transactions[0]!.txid), vout: 0 }, 3 * batch),
    });
    const waits = await beside.waits();
    expect(waits.length).toBeGreaterThan(1);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(batch);
    expect(engine.head.order - before).toBe(BigInt(3 * batch + 2 + waits.length));
  });
});
