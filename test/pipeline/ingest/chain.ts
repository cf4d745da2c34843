/** What an engine holds of Bitcoin, read from its state alone, in the form of the model that the recorded figures test. */

import { decode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { type InscriptionId, inscription, type MinedBlock, utxo } from '../../../src/bitcoin/index.ts';
import { inscriptionStore } from '../../../src/bitcoin/inscription.ts';
import { INSCRIPTION_PROTOCOL } from '../../../src/bitcoin/object-key.ts';
import { sealedObjects } from '../../../src/bitcoin/outpoint.ts';
import { isDynamicField } from '../../../src/chain/object/object-state.ts';
import { ADDRESS_MAPPING_ID, addressMappingField } from '../../../src/execution/bitcoin-move/address-mapping.ts';
import { INSCRIPTION_STORE_ID, UTXO_STORE_ID, utxoObjectId } from '../../../src/execution/bitcoin-move/object-id.ts';
import { UTXO } from '../../../src/execution/bitcoin-move/object-type.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import type { Engine, Ingested } from '../../../src/index.ts';
import { formatObjectId, type ObjectId, type ObjectState } from '../../../src/query/transaction-builder.ts';
import { Model } from '../../bitcoin/model.ts';
import type { StoredUtxo } from '../../bitcoin/tester.ts';
import { forge } from '../../forge.ts';

export async function feed(engine: Engine, blocks: readonly MinedBlock[]): Promise<void> {
  for (const block of blocks) await engine.bitcoin.ingest(block.bytes, block.height);
}

/** The outputs, inscriptions, counters and addresses of the state, as the model holds them. */
export function modelOf(engine: Engine): Model {
  const model = new Model(engine.bitcoin.network());
  const state = engine.inside.state;
  const byObject = new Map<string, InscriptionId>();
  for (const { meta, value } of objectsOf(engine, INSCRIPTION_STORE_ID)) {
    const found = decode(inscription, value);
    model.addInscription({ inscription: found, owner: meta.owner });
    byObject.set(formatObjectId(meta.id), found.id);
  }
  for (const { meta, value } of objectsOf(engine, UTXO_STORE_ID)) {
    const output = decode(utxo, value);
    const { txid, vout, value: satoshis } = output;
    const ids = sealedObjects(output, INSCRIPTION_PROTOCOL).map((id) => byObject.get(formatObjectId(id))!);
    model.addUtxo({ outpoint: { txid, vout }, value: satoshis, owner: meta.owner, seals: ids });
  }
  model.store = decode(inscriptionStore, state.object(INSCRIPTION_STORE_ID)!.value);
  for (const { object } of state.fields(ADDRESS_MAPPING_ID, { after: undefined, limit: Number.MAX_SAFE_INTEGER })) {
    model.mapped.add(toHex(decode(addressMappingField, object.value).bitcoinAddress));
  }
  return model;
}

function objectsOf(engine: Engine, parent: ObjectId): ObjectState[] {
  const fields = engine.inside.state.fields(parent, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  return fields.map(({ object }) => object).filter(({ meta }) => !isDynamicField(meta));
}

/** How many events of each type the commits emitted, by the type's short name. */
export function eventCounts(commits: readonly Ingested[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event } of commits.flatMap((commit) => commit.events)) {
    const name = event.eventType.replace(/^0x2::event_queue::OffChainEvent<(.*)>$/, '$1');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The values of all events of a type of the Bitcoin package, in the order of their emission. */
export function eventsOf<T>(commits: readonly Ingested[], name: string, read: (data: Uint8Array) => T): T[] {
  return commits
    .flatMap((commit) => commit.events)
    .filter(({ event }) => event.eventType === `0x4::${name}`)
    .map(({ event }) => read(event.eventData));
}

/** Puts into the state outputs that blocks outside of the test made. */
export async function seed(engine: Engine, utxos: readonly StoredUtxo[]): Promise<void> {
  const data = { kind: 'l1-block', chainId: 0n, blockHeight: 0n, blockHash: new Uint8Array(32) } as const;
  await forge(engine, data, (state) => {
    const runtime = new ObjectRuntime(state);
    for (const { owner, utxo: value } of utxos) {
      const id = utxoObjectId(value);
      runtime.add(id, UTXO, value);
      runtime.transfer(id, owner);
    }
    return { status: { kind: 'executed' }, gasUsed: 0n, changeSet: runtime.changeSet(), events: [] };
  });
}
