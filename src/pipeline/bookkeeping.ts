/**
 * What the framework did around the action of a transaction: it set the clock, counted the transaction, and took,
 * refunded and shared out the fee.
 *
 * Its events are recognised by their position. Changes have none, so they are recognised by their types, and coin
 * stores by the events that name them. What both the framework and the action wrote, such as the coins of a sender who
 * sends coins, counts as the action's, as does everything not known to be the framework's.
 * @module
 */
import { string } from '../base/bcs.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { ChangedFields, ObjectChange } from '../chain/object/change-set.ts';
import { accountObjectId, equalObjectIds, formatObjectId, type ObjectId, objectId } from '../chain/object/object-id.ts';
import { isDynamicField } from '../chain/object/object-state.ts';
import { coinStoreField } from '../execution/framework/coin.ts';
import { structName } from '../move/type-tag.ts';
import type { Commit } from './commit.ts';

/** The events, or the changes, of a transaction: those of its action, and those of the framework around it. */
export interface Parted<T> {
  readonly own: readonly T[];
  readonly around: readonly T[];
}

export function partedEvents({ events, ofAction }: Commit): Parted<EventRecord> {
  if (ofAction === undefined) return { own: events, around: [] };
  const { from, to } = ofAction;
  return { own: events.slice(from, to), around: [...events.slice(0, from), ...events.slice(to)] };
}

/** All changes, each object before what is below it. */
export function partedChanges(commit: Commit): Parted<ObjectChange> {
  const { changes } = commit.changeSet;
  if (commit.ofAction === undefined) return { own: flat(changes), around: [] };
  const own: ObjectChange[] = [];
  const around: ObjectChange[] = [];
  new Bookkeeping(commit).part(changes, undefined, own, around);
  return { own, around };
}

function flat(changes: ChangedFields): ObjectChange[] {
  return [...changes].flatMap(([, change]) => [change, ...flat(change.fields)]);
}

/** Objects that only the framework writes around actions, with their fields. */
const SYSTEM_TYPES: readonly string[] = [
  '0x2::timestamp::Timestamp',
  '0x3::address_mapping::MultiChainAddressMapping',
  '0x3::address_mapping::RoochToBitcoinAddressMapping',
  '0x3::transaction_fee::TransactionFeePool',
];

/** Objects that are written when gas coins are minted. */
const SUPPLY_TYPES = /^0x3::coin::(?:CoinInfo<0x3::gas_coin::RGas>|CoinRegistry)$/;

class Bookkeeping {
  readonly #account: ObjectId;
  /** Coin stores that the events of the action name, and those that the events of the framework name. */
  readonly #own: ReadonlySet<string>;
  readonly #around: ReadonlySet<string>;
  readonly #isMinted: boolean;

  constructor(commit: Commit) {
    const { own, around } = partedEvents(commit);
    this.#account = accountObjectId(transactionSender(commit.record.transaction.data));
    this.#own = new Set(own.flatMap(storesOf));
    this.#around = new Set(around.flatMap(storesOf));
    this.#isMinted = around.some(isOfSupply) && !own.some(isOfSupply);
  }

  /** Adds each change to one of the lists. Returns whether one of them is the action's. */
  part(changes: ChangedFields, parent: ObjectChange | undefined, own: ObjectChange[], around: ObjectChange[]): boolean {
    let isOwn = false;
    for (const [, change] of changes) {
      const below: ObjectChange[] = [];
      const belowAround: ObjectChange[] = [];
      const isOwnBelow = this.part(change.fields, change, below, belowAround);
      const isTouched = change.value === undefined && belowAround.length > 0;
      const isFramework = isTouched ? !isOwnBelow : this.#isFramework(change, parent, isOwnBelow);
      (isFramework ? around : own).push(change);
      own.push(...below);
      around.push(...belowAround);
      isOwn ||= isOwnBelow || !isFramework;
    }
    return isOwn;
  }

  #isFramework({ meta, value }: ObjectChange, parent: ObjectChange | undefined, isOwnBelow: boolean): boolean {
    const type = structName(meta.objectType);
    const holder = parent === undefined ? type : structName(parent.meta.objectType);
    if (SYSTEM_TYPES.includes(holder) || (this.#isMinted && SUPPLY_TYPES.test(holder))) return true;
    if (equalObjectIds(meta.id, this.#account)) return value !== undefined;
    if (isUsedSessionKey(type, value)) return true;
    const store = isDynamicField(meta) ? heldStore(parent, value) : formatObjectId(meta.id);
    return store !== undefined && !isOwnBelow && this.#around.has(store) && !this.#own.has(store);
  }
}

/** The sender's session key that signed: when it was used last. */
function isUsedSessionKey(type: string, value: ObjectChange['value']): boolean {
  return value?.kind === 'modify' && type.endsWith(', 0x3::session_key::SessionKey>');
}

/** A coin in a multi coin store, as events name it. */
function heldStore(parent: ObjectChange | undefined, value: ObjectChange['value']): string | undefined {
  if (parent === undefined || value === undefined || value.kind === 'delete') return undefined;
  if (structName(parent.meta.objectType) !== '0x3::multi_coin_store::MultiCoinStore') return undefined;
  const reader = new ByteReader(value.value);
  string.read(reader);
  return `${formatObjectId(parent.meta.id)} ${coinStoreField.read(reader).coinType}`;
}

const STORE_EVENTS = /^0x3::(?:multi_)?coin_store::(?:Create|Deposit|Withdraw)Event$/;

/** The store that an event names; for one that may hold several coins, also with the coin. */
function storesOf({ event: { eventType, eventData } }: EventRecord): string[] {
  const type = structName(eventType);
  if (!STORE_EVENTS.test(type)) return [];
  const reader = new ByteReader(eventData);
  const store = formatObjectId(objectId.read(reader));
  return type.endsWith('::CreateEvent') ? [store] : [store, `${store} ${string.read(reader)}`];
}

function isOfSupply({ event: { eventType } }: EventRecord): boolean {
  return /^0x3::coin::(?:Mint|Burn)Event$/.test(structName(eventType));
}
