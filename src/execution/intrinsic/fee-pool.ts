/**
 * The coins that pay for gas: what `0x3::transaction_fee` keeps in its pool.
 *
 * While a transaction runs, the pool holds the most that it may cost. Afterwards each account that earned from it has
 * its share, in a field of the pool that is created when the account first earns.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import { namedObjectId, type ObjectId, objectId } from '../../chain/object/object-id.ts';
import { type Address, address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { coinInfoId, coinInfoType, GAS_COIN_TYPE } from '../framework/coin.ts';
import { FieldType } from '../runtime/field-type.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import type { Session } from '../runtime/session.ts';
import { accountIdsOf } from './account-ids.ts';
import { isChangeable } from './borrowable.ts';
import { CoinPlace, GAS_STORE_TYPE } from './coin-place.ts';

const FEE_POOL_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool');
const FEE_POOL_ID = namedObjectId(FEE_POOL_TYPE);

const COIN_INFO_TYPE = coinInfoType(GAS_COIN_TYPE);
const COIN_INFO_ID = coinInfoId(GAS_COIN_TYPE);

/** A share is the handle of a store; the BCS of a handle is the id of its object. */
const SHARE = new FieldType<Address, ObjectId>(
  { tag: { kind: 'address' }, codec: address },
  {
    tag: structType(structTag(MOVEOS_STD_ADDRESS, 'object', 'Object', [structType(GAS_STORE_TYPE)])),
    codec: objectId,
  },
);

export class FeePool {
  /** The store of fees that no one has earned yet. */
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

  /** An account's share, the same object each time; undefined if there is none, or something else has its key. */
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
