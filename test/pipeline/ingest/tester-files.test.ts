/**
 * The tester files through the engine: a block with the outputs that it spends, held to the figures of bitcoin.md 11.3, to
 * the ordinals indexer's log beside it, and, for one, to the stakes that Babylon's own indexer found in it.
 */

import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { babylonStake } from '../../../src/bitcoin/babylon.ts';
import { inscriptionCreatedEvent, inscriptionTransferredEvent } from '../../../src/bitcoin/event.ts';
import { encodeBlock, formatBitcoinHash, formatInscriptionId } from '../../../src/bitcoin/index.ts';
import { CHARM } from '../../../src/bitcoin/inscription.ts';
import { ROOT_OBJECT_ID } from '../../../src/chain/object/object-id.ts';
import { Engine, type Ingested } from '../../../src/index.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { RECORDED } from '../../bitcoin/recorded-blocks.ts';
import { formatSatPoint } from '../../bitcoin/shared.ts';
import { readTesterFile, type StakingRecord, type TesterFile, testerBytes, testerNote } from '../../bitcoin/tester.ts';
import { eventCounts, eventsOf, modelOf, seed } from './chain.ts';

const TIMEOUT_MS = 3_600_000;

for (const recorded of RECORDED) {
  const { height } = recorded;
  const bytes = testerBytes(height);
  const title = `block ${height} with the outputs that it spends${testerNote(bytes)}`;

  describe.skipIf(bytes === undefined)(title, { timeout: TIMEOUT_MS }, () => {
    it('leaves the recorded outputs, inscriptions, counters and stakes, and agrees with the ordinals indexer', async () => {
      const file = readTesterFile(bytes!, recorded.hasStakingRecords === true);
      const store = new MemoryStore();
      await using engine = await Engine.open({ store, bitcoinNetwork: 'bitcoin' });
      await seed(engine, file.utxos);
      const known = modelOf(engine).mapped.size;
      const commits = await engine.bitcoin.ingest(encodeBlock(file), height);
      const model = modelOf(engine);
      expect([model.utxos.size, model.value]).toEqual([recorded.utxos, recorded.value]);
      const counts = eventCounts(commits);
      expect([
        counts['0x4::bitcoin::UTXONotExistsEvent'] ?? 0,
        counts['0x4::inscription_updater::InscriptionCreatedEvent'] ?? 0,
        counts['0x4::inscription_updater::InscriptionTransferredEvent'] ?? 0,
      ]).toEqual([0, recorded.created, recorded.transferred[0]]);
      const order = (records: readonly StakingRecord[]): string[] =>
        records.map((one) => Object.values(one).join()).sort();
      expect(order(stakesOf(engine))).toEqual(order(file.stakes));
      // The file of 864790 has no log.
      if (recorded.reinscriptions !== undefined) expectLogged(file, commits, recorded.reinscriptions);
      expect((await verifyStore(store)).problems).toEqual([]);
      if (recorded.digests === undefined) return;
      expect(model.mapped.size - known).toBe(recorded.mapped);
      expect([counts['0x4::utxo::ReceiveUTXOEvent'], counts['0x4::utxo::SpendUTXOEvent']]).toEqual(recorded.queued);
      const { blessedInscriptionCount, cursedInscriptionCount, unboundInscriptionCount, lostSats } = model.store;
      expect([blessedInscriptionCount, cursedInscriptionCount, unboundInscriptionCount]).toEqual(recorded.counts);
      expect(lostSats).toBe(recorded.lostSats);
      expect([model.utxoDigest(), model.inscriptionDigest(), model.inscriptionBcsDigest()]).toEqual(recorded.digests);
    });
  });
}

/** The indexer logs the same creations in order, some with another mark of reinscription, and at least the same transfers. */
function expectLogged(file: TesterFile, commits: readonly Ingested[], reinscriptions: number): void {
  const logged = file.events.filter(({ kind }) => kind === 'create');
  const created = eventsOf(commits, 'inscription_updater::InscriptionCreatedEvent', (data) =>
    decode(inscriptionCreatedEvent, data),
  );
  const withoutMark = (charms: number): number => charms & ~CHARM.reinscription;
  const place = (at: Parameters<typeof formatSatPoint>[0] | undefined): string | undefined => at && formatSatPoint(at);
  expect(
    created.map((event) => [
      formatInscriptionId(event.inscriptionId),
      place(event.location),
      withoutMark(event.charms),
      event.parentInscriptionIds,
    ]),
  ).toEqual(
    logged.map(({ id, placed, charms, parents }) => [
      formatInscriptionId(id),
      place(placed),
      withoutMark(charms),
      parents,
    ]),
  );
  expect(created.filter(({ charms }, index) => charms !== logged[index]!.charms)).toHaveLength(reinscriptions);
  const moved = file.events
    .filter(({ kind }) => kind === 'transfer')
    .map(({ id, old, placed }) => `${formatInscriptionId(id)} ${place(old)} ${place(placed)}`);
  for (const { inscriptionId, oldLocation, newLocation } of eventsOf(
    commits,
    'inscription_updater::InscriptionTransferredEvent',
    (data) => decode(inscriptionTransferredEvent, data),
  ))
    expect(moved).toContain(`${formatInscriptionId(inscriptionId)} ${place(oldLocation)} ${place(newLocation)}`);
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
