/**
 * The places that hold gas coins: a `0x3::coin_store::CoinStore`, which is an object, or the gas coin's field of an
 * account's `0x3::multi_coin_store::MultiCoinStore`.
 *
 * Deposits and withdrawals emit the events of `deposit_internal` and `withdraw_internal` of both modules. Callers check
 * beforehand that those would succeed.
 *
 * The coins that pay for gas are in the pool of `0x3::transaction_fee`. While a transaction runs, the pool holds its
 * maximum cost. Afterwards each account that earns from it has a share, a field of the pool that is created with the
 * account's first earning.
 * @module
 */

import { bool, decode } from '../../base/bcs.ts';
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { readU256, U256_MAX, writeU256 } from '../../base/bytes/bigint.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { namedObjectId, type ObjectId, objectId } from '../../chain/object/object-id.ts';
import { type Address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType } from '../../move/type-tag.ts';
import {
  type CoinStoreField,
  coinInfoId,
  coinInfoType,
  coinStore,
  coinStoreCreateEvent,
  coinStoreField,
  coinStoreTransferEvent,
  coinStoreType,
  GAS_COIN_NAME,
  GAS_COIN_TYPE,
  MULTI_COIN_STORE_TYPE,
  multiCoinFieldKey,
} from '../framework/coin.ts';
import type { EventLog } from '../runtime/event-log.ts';
import { FieldType, MOVE_ADDRESS, MOVE_STRING } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import type { Session } from '../runtime/session.ts';
import { accountIdsOf } from './account-table.ts';
import { isChangeable } from './borrowable.ts';

/** The type of gas coin stores. */
export const GAS_STORE_TYPE: StructTag = coinStoreType(GAS_COIN_TYPE);

/** An event type, and the stream of its events. */
interface Stream {
  readonly type: StructTag;
  readonly handle: ObjectId;
}

interface Streams {
  readonly creations: Stream;
  readonly deposits: Stream;
  readonly withdrawals: Stream;
}

function streamsOf(module: string): Streams {
  const stream = (name: string): Stream => {
    const type = structTag(FRAMEWORK_ADDRESS, module, name);
    return { type, handle: namedObjectId(type) };
  };
  return {
    creations: stream('CreateEvent'),
    deposits: stream('DepositEvent'),
    withdrawals: stream('WithdrawEvent'),
  };
}

const OF_STORES = streamsOf('coin_store');
const OF_MULTI_STORES = streamsOf('multi_coin_store');

const STORE = { tag: GAS_STORE_TYPE, codec: coinStore };
/** A struct without fields has one hidden bool. */
const MULTI_STORE = { tag: MULTI_COIN_STORE_TYPE, codec: bool };
const FIELD = new FieldType<string, CoinStoreField>(MOVE_STRING, {
  tag: structType(structTag(FRAMEWORK_ADDRESS, 'multi_coin_store', 'CoinStoreField')),
  codec: coinStoreField,
});
const FIELD_KEY = multiCoinFieldKey(GAS_COIN_TYPE);

/** The balance (u256) and the frozen flag are the last fields of both structs. */
const BALANCE_BYTES = 32;
const CONTENT_BYTES = BALANCE_BYTES + 1;

function balanceIn(value: Uint8Array): bigint {
  return readU256(value, value.length - CONTENT_BYTES);
}

/** While one of these objects is in use, the coins may only be changed through these objects. */
export class CoinPlace {
  readonly #object: RuntimeObject;
  /** The store that its events name. */
  readonly #storeId: ObjectId;
  readonly #streams: Streams;
  #value: Uint8Array;
  #balance: bigint;

  private constructor(object: RuntimeObject, storeId: ObjectId, streams: Streams) {
    this.#object = object;
    this.#storeId = storeId;
    this.#streams = streams;
    this.#value = object.value.bytes();
    this.#balance = balanceIn(this.#value);
  }

  /** `object` as a store; undefined if it is not a gas coin store. */
  static store(object: RuntimeObject): CoinPlace | undefined {
    return object.existsWithType(GAS_STORE_TYPE) ? new CoinPlace(object, object.id, OF_STORES) : undefined;
  }

  /** The store whose handle another object holds; undefined if it is not at the id at which such stores are created. */
  static embeddedStore(objects: ObjectRuntime, id: ObjectId): CoinPlace | undefined {
    return id.length === 1 ? CoinPlace.store(objects.load(id)) : undefined;
  }

  /** The field of a multi coin store; undefined if it does not exist, null if something else has its key. */
  static field(multiStore: RuntimeObject): CoinPlace | undefined | null {
    const field = multiStore.field(FIELD_KEY);
    if (!field.exists) return undefined;
    return field.existsWithType(FIELD.tag) ? new CoinPlace(field, multiStore.id, OF_MULTI_STORES) : null;
  }

  /** Creates a store that belongs to the struct in which its handle is embedded. */
  static makeStore(objects: ObjectRuntime, events: EventLog, id: ObjectId): CoinPlace {
    objects.add(id, STORE, { balance: 0n, frozen: false });
    const { type, handle } = OF_STORES.creations;
    events.emit(type, handle, coinStoreCreateEvent, { coinStoreId: id, coinType: GAS_COIN_NAME });
    return new CoinPlace(objects.load(id), id, OF_STORES);
  }

  /** Creates an account's multi coin store, without fields. */
  static makeMultiStore(objects: ObjectRuntime, events: EventLog, id: ObjectId, account: Address): void {
    objects.add(id, MULTI_STORE, false, account);
    const { type, handle } = OF_MULTI_STORES.creations;
    events.emit(type, handle, objectId, id);
  }

  /** Creates the field of a multi coin store. */
  static makeField(objects: ObjectRuntime, multiStoreId: ObjectId): CoinPlace {
    const empty = { coinType: GAS_COIN_NAME, balance: 0n, frozen: false };
    objects.addField(multiStoreId, FIELD, GAS_COIN_NAME, empty);
    return new CoinPlace(objects.load(multiStoreId).field(FIELD_KEY), multiStoreId, OF_MULTI_STORES);
  }

  get balance(): bigint {
    return this.#balance;
  }

  get #isFrozen(): boolean {
    return this.#value[this.#value.length - 1] !== 0;
  }

  canDeposit(amount: bigint): boolean {
    return !this.#isFrozen && this.#balance <= U256_MAX - amount;
  }

  canWithdraw(amount: bigint): boolean {
    return !this.#isFrozen && amount <= this.#balance;
  }

  /** Call it only if `canDeposit`. */
  deposit(events: EventLog, amount: bigint): void {
    this.#refresh();
    this.#write(this.#balance + amount);
    this.#emit(events, this.#streams.deposits, amount);
  }

  /** Call it only if `canWithdraw`. */
  withdraw(events: EventLog, amount: bigint): void {
    this.#refresh();
    this.#write(this.#balance - amount);
    this.#emit(events, this.#streams.withdrawals, amount);
  }

  /** Controls can give two structs the same handle: then the coins may have been changed through the other place. */
  #refresh(): void {
    const { value } = this.#object;
    if (value.isDecoded || value.bytes() === this.#value) return;
    this.#value = value.bytes();
    this.#balance = balanceIn(this.#value);
  }

  #write(balance: bigint): void {
    const value = shortLivedBytes(this.#value.length);
    value.set(this.#value);
    writeU256(value, value.length - CONTENT_BYTES, balance);
    this.#object.value.write(value);
    this.#value = value;
    this.#balance = balance;
  }

  #emit(events: EventLog, { type, handle }: Stream, amount: bigint): void {
    const event = { coinStoreId: this.#storeId, coinType: GAS_COIN_NAME, amount };
    events.emit(type, handle, coinStoreTransferEvent, event);
  }
}

const FEE_POOL_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool');
const FEE_POOL_ID = namedObjectId(FEE_POOL_TYPE);

const COIN_INFO_TYPE = coinInfoType(GAS_COIN_TYPE);
const COIN_INFO_ID = coinInfoId(GAS_COIN_TYPE);

/** A share is the handle of a store; the BCS of a handle is the id of its object. */
const SHARE = new FieldType<Address, ObjectId>(MOVE_ADDRESS, {
  tag: structType(structTag(MOVEOS_STD_ADDRESS, 'object', 'Object', [structType(GAS_STORE_TYPE)])),
  codec: objectId,
});

export class FeePool {
  /** The store of undistributed fees. */
  readonly fees: CoinPlace;
  readonly #session: Session;
  readonly #object: RuntimeObject;
  readonly #shares: { readonly account: Address; readonly share: CoinPlace }[] = [];

  private constructor(session: Session, object: RuntimeObject, fees: CoinPlace) {
    this.#session = session;
    this.#object = object;
    this.fees = fees;
  }

  /** Undefined if it cannot be used. */
  static find(session: Session): FeePool | undefined {
    const { objects } = session;
    const object = objects.load(FEE_POOL_ID);
    if (!isChangeable(object, FEE_POOL_TYPE)) return undefined;
    // The pool is a struct of one handle.
    const fees = CoinPlace.embeddedStore(objects, decode(objectId, object.value.bytes()));
    return fees && new FeePool(session, object, fees);
  }

  /** Whether an account's share, which may have to be created, can take this amount. */
  canPay(account: Address, amount: bigint): boolean {
    const share = this.#findShare(account);
    if (share !== undefined) return share.canDeposit(amount);
    const { objects } = this.#session;
    return !this.#fieldOf(account).exists && objects.load(COIN_INFO_ID).existsWithType(COIN_INFO_TYPE);
  }

  /** Call it only if `canPay`. */
  pay(account: Address, amount: bigint): void {
    const share = this.#findShare(account) ?? this.#makeShare(account);
    share.deposit(this.#session.events, amount);
  }

  #fieldOf(account: Address): RuntimeObject {
    return this.#object.field(accountIdsOf(account).fieldKey);
  }

  /**
   * An account's share, the same object each time; undefined if it does not exist, or if something else has its key.
   */
  #findShare(account: Address): CoinPlace | undefined {
    const known = this.#shares.find((one) => equalBytes(one.account, account));
    if (known !== undefined) return known.share;
    const field = this.#fieldOf(account);
    if (!field.existsWithType(SHARE.tag)) return undefined;
    const share = CoinPlace.embeddedStore(this.#session.objects, SHARE.decode(field.value.bytes()));
    if (share !== undefined) this.#shares.push({ account, share });
    return share;
  }

  #makeShare(account: Address): CoinPlace {
    const { objects, txContext, events } = this.#session;
    const id = [txContext.freshAddress()];
    const share = CoinPlace.makeStore(objects, events, id);
    objects.addField(FEE_POOL_ID, SHARE, account, id);
    return share;
  }
}
