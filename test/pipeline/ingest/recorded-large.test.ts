/**
 * The large tester files through the engine, in long runs: a block with the outputs that it spends, figures of
 * bitcoin.md 11.3 that the model has too, and, for one, the stakes that Babylon's own indexer found in it.
 */

import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { babylonStake } from '../../../src/bitcoin/babylon.ts';
import { encodeBlock, formatBitcoinHash } from '../../../src/bitcoin/index.ts';
import { ROOT_OBJECT_ID } from '../../../src/chain/object/object-id.ts';
import { Engine } from '../../../src/index.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { RECORDED } from '../../bitcoin/recorded-blocks.ts';
import { readTesterFile, type StakingRecord, testerBytes } from '../../bitcoin/tester.ts';
import { isLong } from '../../effort.ts';
import { eventCounts, modelOf, seed } from './chain.ts';

const TIMEOUT_MS = 3_600_000;
const LARGE_HEIGHT_MIN = 790_000;

for (const recorded of RECORDED) {
  const { height } = recorded;
  if (height < LARGE_HEIGHT_MIN) continue;
  const bytes = isLong ? testerBytes(height) : undefined;
  const note = bytes === undefined ? ' (skipped: set MOVELET_LONG=1 and MOVELET_REFERENCE)' : '';

  describe.skipIf(bytes === undefined)(`block ${height} through the engine${note}`, { timeout: TIMEOUT_MS }, () => {
    it('has the recorded outputs, inscriptions and stakes', async () => {
      const file = readTesterFile(bytes!, recorded.hasStakingRecords === true);
      const store = new MemoryStore();
      await using engine = await Engine.open({ store, bitcoinNetwork: 'bitcoin' });
      await seed(engine, file.utxos);
      const known = modelOf(engine).mapped.size;
      const commits = await engine.bitcoin.ingest(encodeBlock(file), height);
      const model = modelOf(engine);
      expect([model.utxos.size, model.value, model.mapped.size - known]).toEqual([
        recorded.utxos,
        recorded.value,
        recorded.mapped,
      ]);
      expect([model.utxoDigest(), model.inscriptionDigest(), model.inscriptionBcsDigest()]).toEqual(recorded.digests);
      expect(model.store.lostSats).toBe(recorded.lostSats);
      const counts = eventCounts(commits);
      expect(counts['0x4::inscription_updater::InscriptionCreatedEvent']).toBe(recorded.created);
      expect([counts['0x4::utxo::ReceiveUTXOEvent'], counts['0x4::utxo::SpendUTXOEvent']]).toEqual(recorded.queued);
      const order = (records: readonly StakingRecord[]): string[] =>
        records.map((one) => Object.values(one).join()).sort();
      expect(order(stakesOf(engine))).toEqual(order(file.stakes));
      expect((await verifyStore(store)).problems).toEqual([]);
    });
  });
}

function stakesOf(engine: Engine): StakingRecord[] {
  const objects = engine.inside.state.fields(ROOT_OBJECT_ID, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  return objects
    .filter(({ object }) => displayStruct(object.meta.objectType) === '0x4::bbn::BBNStakeSeal')
    .map(({ object }) => decode(babylonStake, object.value))
    .map((stake) => ({
      transactionHash: formatBitcoinHash(stake.txid),
      stakingOutputIndex: stake.stakingOutputIndex,
      stakerKey: toHex(stake.stakerKey),
      stakingTime: stake.stakingTime,
      providerKey: toHex(stake.providerKey),
      stakingValue: stake.stakingValue,
    }));
}
