/**
 * An account's gas coins: `balance`, `withdraw_from` and `deposit_to` of `0x3::account_coin_store`, for an account that
 * has a separate gas coin store. Its multi coin store is created with the first deposit.
 * @module
 */
import { bool } from '../../base/bcs.ts';
import { U256_MAX } from '../../base/bytes/bigint.ts';
import { type Address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { structTag } from '../../move/type-tag.ts';
import { MULTI_COIN_STORE_TYPE } from '../framework/coin.ts';
import { MOVE_ADDRESS } from '../runtime/field-type.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import type { Session } from '../runtime/session.ts';
import { AccountTable, accountIdsOf } from './account-table.ts';
import { isBorrowable, isChangeable } from './borrowable.ts';
import { CoinPlace, GAS_STORE_TYPE } from './coin-place.ts';

/** Whether accounts accept coins of types that they do not have yet; unlisted accounts do. */
const ACCEPTING = new AccountTable<Address, boolean>(
  structTag(FRAMEWORK_ADDRESS, 'account_coin_store', 'AutoAcceptCoins'),
  MOVE_ADDRESS,
  { tag: { kind: 'bool' }, codec: bool },
);

/** A place, and the object through which Move code reaches it. */
interface HeldPlace {
  readonly object: RuntimeObject;
  readonly place: CoinPlace;
}

export class GasAccount {
  readonly #session: Session;
  readonly #account: Address;
  readonly #store: HeldPlace | undefined;
  readonly #field: HeldPlace | undefined;

  private constructor(session: Session, account: Address, store: HeldPlace | undefined, field: HeldPlace | undefined) {
    this.#session = session;
    this.#account = account;
    this.#store = store;
    this.#field = field;
  }

  /**
   * Reads the objects that `balance` reads. Undefined if that would abort, or if an object is not the expected store.
   */
  static find(session: Session, account: Address): GasAccount | undefined {
    const { objects } = session;
    const { storeId, multiStoreId } = accountIdsOf(account);
    const object = objects.load(storeId);
    if (object.exists && !isBorrowable(object, GAS_STORE_TYPE)) return undefined;
    const store = CoinPlace.store(object);
    const multiStore = objects.load(multiStoreId);
    let field: CoinPlace | undefined;
    if (multiStore.exists) {
      if (!isBorrowable(multiStore, MULTI_COIN_STORE_TYPE)) return undefined;
      const found = CoinPlace.field(multiStore);
      if (found === null) return undefined;
      field = found;
    }
    if ((store?.balance ?? 0n) + (field?.balance ?? 0n) > U256_MAX) return undefined;
    const [inStore, inField] = [store && { object, place: store }, field && { object: multiStore, place: field }];
    return new GasAccount(session, account, inStore, inField);
  }

  get balance(): bigint {
    return (this.#store?.place.balance ?? 0n) + (this.#field?.place.balance ?? 0n);
  }

  /** Whether this amount can be withdrawn. */
  canWithdraw(amount: bigint): boolean {
    const { fromStore, rest, storeIsUsed } = this.#parts(amount);
    if (storeIsUsed && !isChangeable(this.#store!.object, GAS_STORE_TYPE)) return false;
    if (storeIsUsed && !this.#store!.place.canWithdraw(fromStore)) return false;
    if (rest === 0n) return true;
    if (this.#field === undefined || !isChangeable(this.#field.object, MULTI_COIN_STORE_TYPE)) return false;
    return this.#field.place.canWithdraw(rest);
  }

  /** Call it only if `canWithdraw`. Takes from the gas coin store first, as far as its balance reaches. */
  withdraw(amount: bigint): void {
    const { fromStore, rest, storeIsUsed } = this.#parts(amount);
    const { events } = this.#session;
    if (storeIsUsed) this.#store!.place.withdraw(events, fromStore);
    if (rest > 0n) this.#field!.place.withdraw(events, rest);
  }

  #parts(amount: bigint): { readonly fromStore: bigint; readonly rest: bigint; readonly storeIsUsed: boolean } {
    const inStore = this.#store?.place.balance ?? 0n;
    const fromStore = amount < inStore ? amount : inStore;
    return { fromStore, rest: amount - fromStore, storeIsUsed: inStore > 0n };
  }

  /** Whether this amount can be deposited. */
  canDeposit(amount: bigint): boolean {
    if (this.#store === undefined || !isChangeable(this.#store.object, GAS_STORE_TYPE)) return false;
    const accepts = this.#acceptsCoins();
    if (accepts === undefined) return false;
    if (this.#field === undefined) return accepts && this.#canMakeField();
    return isChangeable(this.#field.object, MULTI_COIN_STORE_TYPE) && this.#field.place.canDeposit(amount);
  }

  /** Call it only if `canDeposit`. */
  deposit(amount: bigint): void {
    const place = this.#field?.place ?? this.#makeField();
    place.deposit(this.#session.events, amount);
  }

  /**
   * Whether the account accepts coins of types that it lacks; undefined where Move code, which always checks, would
   * abort.
   */
  #acceptsCoins(): boolean | undefined {
    const accepting = ACCEPTING.entry(this.#session.objects, FRAMEWORK_ADDRESS, accountIdsOf(this.#account).fieldKey);
    if (accepting?.exists !== true) return accepting && true;
    const { entryType } = ACCEPTING;
    return accepting.existsWithType(entryType.tag) ? entryType.decode(accepting.value.bytes()) : undefined;
  }

  #canMakeField(): boolean {
    const multiStore = this.#session.objects.load(accountIdsOf(this.#account).multiStoreId);
    // A removed one may still have fields.
    return multiStore.leftNothing || isChangeable(multiStore, MULTI_COIN_STORE_TYPE);
  }

  #makeField(): CoinPlace {
    const { objects, events } = this.#session;
    const { multiStoreId } = accountIdsOf(this.#account);
    if (!objects.exists(multiStoreId)) CoinPlace.makeMultiStore(objects, events, multiStoreId, this.#account);
    return CoinPlace.makeField(objects, multiStoreId);
  }
}
