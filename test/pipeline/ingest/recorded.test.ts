/**
 * Blocks whose effects are on record: real ones fed alone, one with the outputs that it spends and the ordinals
 * indexer's log beside it, and the synthetic chains. All of it is read back from the state and the events.
 */

import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { equalBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { inscriptionCreatedEvent, inscriptionTransferredEvent } from '../../../src/bitcoin/event.ts';
import {
  encodeBlock,
  formatBitcoinAddress,
  formatInscriptionId,
  parseBitcoinAddress,
} from '../../../src/bitcoin/index.ts';
import { CHARM } from '../../../src/bitcoin/inscription.ts';
import { envelopeScript } from '../../../src/bitcoin/mine.ts';
import type { SatPoint } from '../../../src/bitcoin/outpoint.ts';
import { Engine, type Ingested } from '../../../src/index.ts';
import { WRITER_MEMORY_GROUP_COMMITS_MAX } from '../../../src/pipeline/group-filler.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { countersOf, inscriptionsOf, utxosOf, vectors } from '../../bitcoin/chain-vectors.ts';
import type { Model, ModelUtxo } from '../../bitcoin/model.ts';
import { formatSatPoint, sharedFile, sharedPresent, skipNote } from '../../bitcoin/shared.ts';
import { readTesterFile } from '../../bitcoin/tester.ts';
import { Beside } from './beside.ts';
import { eventCounts, eventsOf, modelOf } from './chain.ts';

const TIMEOUT_MS = 600_000;
const transferred = (commits: readonly Ingested[]) =>
  eventsOf(commits, 'inscription_updater::InscriptionTransferredEvent', (data) =>
    decode(inscriptionTransferredEvent, data),
  );
const text = (place: SatPoint | undefined): string | undefined =>
  place === undefined ? undefined : formatSatPoint(place);

/** A chain that watches some of its owners has of block 818677 what the whole `model` has of theirs. */
async function expectWatched(model: Model): Promise<void> {
  const owners = [...model.utxos.values()].filter((_, index) => index % 500 === 0).map(({ owner }) => owner);
  await using watching = await Engine.open({ bitcoinNetwork: 'bitcoin', ingest: { owners } });
  await watching.bitcoin.ingest(sharedFile('data/blocks/818677.blob'), 818_677);
  const isOwned = ({ owner }: ModelUtxo): boolean => owners.some((watched) => equalBytes(watched, owner));
  const plain = ([outpoint, { value, owner }]: [string, ModelUtxo]) => `${outpoint} ${value} ${toHex(owner)}`;
  const [expected, kept] = [model, modelOf(watching)].map(({ utxos }) => [...utxos]);
  expect(kept!.map(plain).sort()).toEqual(
    expected!
      .filter(([, utxo]) => isOwned(utxo))
      .map(plain)
      .sort(),
  );
}

describe.skipIf(!sharedPresent)(`recorded blocks through the engine${skipNote}`, { timeout: TIMEOUT_MS }, () => {
  it('818677 fed alone: 8,345 outputs, 1,327 inscriptions, their owners, places and events; transactions beside it wait for one batch', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, bitcoinNetwork: 'bitcoin' });
    const known = modelOf(engine).mapped.size;
    const beside = new Beside(engine, 20);
    const commits = await engine.bitcoin.ingest(sharedFile('data/blocks/818677.blob'), 818_677);
    expect(commits).toHaveLength(1 + 3_463);
    const waits = await beside.waits();
    expect(waits.length).toBeGreaterThan(5);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(WRITER_MEMORY_GROUP_COMMITS_MAX);
    const model = modelOf(engine);
    expect([model.utxos.size, model.value]).toEqual([8_345, 1_073_676_575_542n]);
    expect(model.mapped.size - known).toBe(6_866);
    expect(model.store).toEqual({
      cursedInscriptionCount: 0,
      blessedInscriptionCount: 1_327,
      unboundInscriptionCount: 806,
      lostSats: 635_737_951n,
      nextSequenceNumber: 1_327,
    });
    expect(model.utxoDigest()).toBe('e2c6a8b699a8200655918b448f4286a44162bb65f6676a208bc6700956acc42c');
    expect(model.inscriptionDigest()).toBe('a8cdf451b937be0be426c48597b8ae9c9360c216d5b5746e878447c0b70297af');
    await expectWatched(model);
    expect(eventCounts(commits)).toEqual({
      '0x4::bitcoin::UTXONotExistsEvent': 5_762,
      '0x4::inscription_updater::InscriptionCreatedEvent': 1_327,
      '0x4::inscription_updater::InscriptionTransferredEvent': 3,
      '0x4::utxo::ReceiveUTXOEvent': 8_948,
      '0x4::utxo::SpendUTXOEvent': 1_150,
    });
    expect(
      transferred(commits).map(({ inscriptionId, newLocation }) => [
        formatInscriptionId(inscriptionId),
        text(newLocation),
      ]),
    ).toEqual([
      [
        '0a6f4dc8995b993a1232f1b34805f037d58bde184e517bba36d6e4bee9c16b30i0',
        'fdc4d46695c2a3abbb5eb3b466e3c0cd27033e8624d0d5f0cad3b1dd9cd88c1b:0:0',
      ],
      [
        '1eeb7fc1d40c939309fd4741302209d97cfe00407c02b8fd3bc8183c2e70eba0i0',
        'dda0d9535f6287e616aad30b3d9f5fddd5a6402b1c5b60a18ca8ad91631ddd8a:0:0',
      ],
      [
        'e62f28236ffd17991997388fc8540c18d6162a98199ad7aceadecb6e4bb83335i0',
        '78a3122a4668c9da92dc1dfcd0ee6ef5655b552d478cfa42f5dc6d321e5c9561:0:0',
      ],
    ]);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it.each([
    ['regtest', 10_000_000_000n],
    ['bitcoin', 0n],
  ] as const)('91812 and 91842 share a coinbase, on %s', async (bitcoinNetwork, lostSats) => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, bitcoinNetwork, ingest: { checkParent: false } });
    const commits = await engine.bitcoin.ingest(sharedFile('data/blocks/91812.blob'), 91_812);
    commits.push(...(await engine.bitcoin.ingest(sharedFile('data/blocks/91842.blob'), 91_842)));
    const model = modelOf(engine);
    expect(model.utxos.size).toBe(2);
    expect(model.store.lostSats).toBe(lostSats);
    expect(model.utxoDigest()).toBe('9450d612b425f902b0885387cb9b88ae11fa7cb90b17602b77046faa1f84e0a0');
    expect(eventCounts(commits)['0x4::bitcoin::RepeatCoinbaseTxEvent']).toBe(1);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('100000 with a witness that nothing vouches for is refused, but where work means nothing', async () => {
    const file = readTesterFile(sharedFile('data/blocks/100000.tester.genesis'), false);
    const witness = [new Uint8Array(64), envelopeScript({ body: 'forged' }), Uint8Array.of(0xc0)];
    const [coinbase, ...others] = file.transactions;
    const forged = others.map((one) => ({ ...one, inputs: one.inputs.map((input) => ({ ...input, witness })) }));
    const bytes = encodeBlock({ header: file.header, transactions: [coinbase!, ...forged] });
    await using engine = await Engine.open({ bitcoinNetwork: 'bitcoin' });
    await expect(engine.bitcoin.ingest(bytes, file.height)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'transaction 1: expected no witness in a block whose coinbase has no witness commitment',
    });
    expect(engine.head.order).toBe(0n);
    await using test = await Engine.open({ bitcoinNetwork: 'bitcoin', ingest: { checkWork: false } });
    expect(await test.bitcoin.ingest(bytes, file.height)).not.toEqual([]);
  });

  it.each([
    ['before the jubilee', vectors.chain_low],
    ['after the jubilee', vectors.chain_jubilant],
  ])('the synthetic chain %s', async (_name, chain) => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    expect(chain).toHaveLength(7);
    for (const expected of chain) {
      const commits = await engine.bitcoin.ingest(fromHex(expected.raw), expected.height);
      expect(engine.bitcoin.block(expected.height)?.blockHash).toBe(expected.block_hash);
      expect(inscriptionEvents(commits)).toEqual(expected.events);
      const model = modelOf(engine);
      expect(inscriptionsOf(model)).toEqual(expected.inscriptions.map((one) => ({ ...one, curse: undefined })));
      expect(countersOf(model)).toEqual(expected.store);
      const byOutpoint = new Map(utxosOf(model).map((one) => [(one as { outpoint: string }).outpoint, one]));
      expect(byOutpoint.size).toBe(expected.utxos.length);
      for (const { owner_bitcoin_address, ...one } of expected.utxos) {
        expect(byOutpoint.get(one.outpoint)).toEqual(one);
        if (owner_bitcoin_address === null) continue;
        const address = parseBitcoinAddress(owner_bitcoin_address);
        expect(model.mapped).toContain(toHex(address));
        expect(formatBitcoinAddress(address, 'regtest')).toBe(owner_bitcoin_address);
      }
    }
    expect((await verifyStore(store)).problems).toEqual([]);
  });
});

/** The inscription events of one block in the form of the vectors, in the order of their emission. */
function inscriptionEvents(commits: readonly Ingested[]): object[] {
  return commits.flatMap((commit) =>
    commit.events.flatMap(({ event }) => {
      const name = event.eventType.split('::').at(-1);
      if (name === 'InscriptionCreatedEvent') {
        const { inscriptionId, location, charms, sequenceNumber } = decode(inscriptionCreatedEvent, event.eventData);
        const unbound = (charms & CHARM.unbound) !== 0;
        return {
          k: 'C',
          id: formatInscriptionId(inscriptionId),
          loc: text(location),
          charms,
          seq: sequenceNumber,
          unbound,
        };
      }
      if (name !== 'InscriptionTransferredEvent') return [];
      const { inscriptionId, newLocation, oldLocation, sequenceNumber, isBurned } = decode(
        inscriptionTransferredEvent,
        event.eventData,
      );
      return {
        k: 'T',
        id: formatInscriptionId(inscriptionId),
        new: text(newLocation),
        old: text(oldLocation),
        seq: sequenceNumber,
        burned: isBurned,
      };
    }),
  );
}
