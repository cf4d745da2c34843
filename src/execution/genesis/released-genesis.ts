/**
 * Released genesis files of the reference network.
 *
 * A file contains the output of the genesis transaction (a change set that is not applied yet, and events), the gas
 * schedule, the objects that existed before it, the transaction and its context. There are two layouts, with and
 * without handles in events; both released files have the older one, without, where the handle is the named object of
 * the event type.
 *
 * The main network's file names trees of millions of imported objects whose nodes it does not contain. Such a chain is
 * loaded as a partial one: those roots stay as recorded, and the genesis transaction's additions to such a tree are
 * omitted, since the new root cannot be computed.
 *
 * Source: crates/rooch-genesis/src/lib.rs and moveos-types of the reference.
 * @module
 */

import { bool, type Codec, decode, pair, string, u64, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import {
  type ChangedFields,
  type FieldChanges,
  type StateChangeSet,
  stateChangeSet,
} from '../../chain/object/change-set.ts';
import { namedObjectId } from '../../chain/object/object-id.ts';
import { type ObjectMeta, type ObjectState, objectMeta, objectState } from '../../chain/object/object-state.ts';
import { type Action, action } from '../../chain/transaction/action.ts';
import { type TransactionEvent, transactionEvent } from '../../chain/transaction/event.ts';
import { type KeptStatus, keptStatus } from '../../chain/transaction/execution-info.ts';
import { type SignedTransaction, signedTransaction } from '../../chain/transaction/signed.ts';
import { displayStruct, structTagCodec } from '../../move/type-tag.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { LAYOUT_DEPTH_MAX } from '../runtime/layout-source.ts';
import { type TxContext, txContext } from '../runtime/tx-context.ts';
import type { Genesis } from './genesis.ts';

/** The content of a released genesis file. */
export interface ReleasedGenesis {
  readonly status: KeptStatus;
  /** Not applied yet: the roots are those before the transaction. */
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
  readonly gasUsed: bigint;
  readonly isUpgrade: boolean;
  readonly isGasUpgrade: boolean;
  readonly maxGasAmount: bigint;
  /** The gas schedule, by parameter name. */
  readonly gasEntries: readonly (readonly [string, bigint])[];
  /** Objects that were in the state before the transaction ran; they do not count in its size. */
  readonly genesisObjects: readonly ObjectState[];
  readonly transaction: SignedTransaction;
  readonly root: ObjectMeta;
  readonly context: TxContext;
  readonly action: Action;
}

type EventCodec = Codec<TransactionEvent>;

/** The older layout omits the handle. */
const eventWithoutHandle: EventCodec = {
  write: () => {
    throw new EngineError('not-supported', 'genesis files are only read');
  },
  read: (reader) => {
    const eventType = structTagCodec.read(reader);
    const eventData = reader.copy(reader.uleb128());
    return { eventType, eventData, eventIndex: u64.read(reader), handle: namedObjectId(eventType) };
  },
};

/**
 * Decodes a released genesis file.
 * @throws {EngineError} `malformed-bytes` if it fits neither layout, or has trailing bytes.
 */
export function readReleasedGenesis(file: Uint8Array): ReleasedGenesis {
  try {
    return readLayout(file, eventWithoutHandle);
  } catch (older) {
    try {
      return readLayout(file, transactionEvent);
    } catch (newer) {
      throw new EngineError(
        'malformed-bytes',
        `expected a released genesis file; in the older layout: ${messageOf(older)}; in the newer: ${messageOf(newer)}`,
        { cause: newer },
      );
    }
  }
}

function readLayout(file: Uint8Array, eventCodec: EventCodec): ReleasedGenesis {
  const reader = new ByteReader(file);
  const genesis: ReleasedGenesis = {
    status: keptStatus.read(reader),
    changeSet: stateChangeSet.read(reader),
    events: vector(eventCodec).read(reader),
    gasUsed: u64.read(reader),
    isUpgrade: bool.read(reader),
    isGasUpgrade: bool.read(reader),
    maxGasAmount: u64.read(reader),
    gasEntries: vector(pair(string, u64)).read(reader),
    genesisObjects: vector(objectWithLayout).read(reader),
    transaction: signedTransaction.read(reader),
    root: objectMeta.read(reader),
    context: txContext.read(reader),
    action: action.read(reader),
  };
  reader.finish();
  return genesis;
}

/** The layout beside each object is implied by the modules, so it is skipped. */
const objectWithLayout: Codec<ObjectState> = {
  write: eventWithoutHandle.write as never,
  read: (reader) => {
    const object = objectState.read(reader);
    skipLayout(reader, 1);
    return object;
  },
};

const LAYOUT_VECTOR = 5;
const LAYOUT_STRUCT = 6;
const LAYOUT_VARIANTS = 11;

function skipLayout(reader: ByteReader, depth: number): void {
  if (depth > LAYOUT_DEPTH_MAX) throw new EngineError('malformed-bytes', 'a layout is nested too deep');
  const kind = reader.uleb128();
  if (kind === LAYOUT_VECTOR) skipLayout(reader, depth + 1);
  else if (kind === LAYOUT_STRUCT) skipStructLayout(reader, depth);
  else if (kind >= LAYOUT_VARIANTS) throw new EngineError('malformed-bytes', `a layout has no variant number ${kind}`);
}

/** Variants: bare fields; named fields; the struct's tag, then named fields. */
function skipStructLayout(reader: ByteReader, depth: number): void {
  const kind = reader.uleb128();
  if (kind > 2) throw new EngineError('malformed-bytes', `a struct layout has no variant number ${kind}`);
  if (kind === 2) structTagCodec.read(reader);
  const count = reader.uleb128();
  for (let index = 0; index < count; index++) {
    if (kind > 0) string.read(reader);
    skipLayout(reader, depth + 1);
  }
}

/**
 * The genesis in a released file.
 * @throws {EngineError} `malformed-bytes` if it is not a genesis file or contradicts itself.
 */
export function releasedGenesis(file: Uint8Array): Genesis {
  const released = readReleasedGenesis(file);
  const unloadedRoots: Uint8Array[] = [];
  const changes = withoutUnloadedTrees(released.changeSet.changes, unloadedRoots);
  return {
    hash: sha3(file),
    chainId: released.transaction.data.chainId,
    timestamp: genesisTimestamp(released.genesisObjects),
    transaction: released.transaction,
    output: {
      status: released.status,
      gasUsed: released.gasUsed,
      changeSet: { ...released.changeSet, changes },
      events: released.events,
    },
    unloadedRoots,
  };
}

/** Omits the changes inside trees that existed before genesis, and collects the roots of those trees. */
function withoutUnloadedTrees(changes: ChangedFields, unloadedRoots: Uint8Array[]): FieldChanges {
  return Array.from(changes, ([key, change]) => {
    const { stateRoot } = change.meta;
    if (stateRoot !== undefined && !equalBytes(stateRoot, EMPTY_ROOT)) {
      unloadedRoots.push(stateRoot);
      return [key, { ...change, fields: [] }];
    }
    return [key, { ...change, fields: withoutUnloadedTrees(change.fields, unloadedRoots) }];
  });
}

function genesisTimestamp(objects: readonly ObjectState[]): bigint {
  const timestamp = objects.find(({ meta }) => displayStruct(meta.objectType) === '0x2::timestamp::Timestamp');
  if (timestamp === undefined) throw new EngineError('malformed-bytes', 'the genesis file holds no timestamp object');
  return decode(u64, timestamp.value);
}
