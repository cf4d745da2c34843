/**
 * The coins that pay for gas: what `0x3::transaction_fee` keeps in its pool.
 *
 * While a transaction runs, the pool holds the most that it may cost. Afterwards each account that earned by it has its
 * share, in a field of the pool.
 * @module
 */
import { decode } from '../bcs/codec.ts';
import { equalBytes } from '../bytes/compare.ts';
import { type Address, address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { type StructTag, structTag, structType } from '../move/type-tag.ts';
import { namedObjectId, type ObjectId, objectId } from '../object/object-id.ts';
import { FieldType } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';
import { accountIdsOf } from './account-ids.ts';
import { isChangeable } from './borrowable.ts';
import { CoinPlace, GAS_STORE_TYPE } from './coin-place.ts';

const FEE_POOL_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool');
const FEE_POOL_ID = namedObjectId(FEE_POOL_TYPE);

/** A share is the handle of a store; a handle is the id of its object. */
const SHARE = new FieldType<Address, ObjectId>(
  { tag: { kind: 'address' }, codec: address },
  {
    tag: structType(structTag(MOVEOS_STD_ADDRESS, 'object', 'Object', [structType(GAS_STORE_TYPE)])),
    codec: objectId,
  },
);

export class FeePool {
  /** The store of what nobody has earned yet. */
  readonly fees: CoinPlace;
  readonly #objects: ObjectRuntime;
  readonly #object: RuntimeObject;
  readonly #shares: { readonly account: Address; readonly share: CoinPlace }[] = [];

  private constructor(objects: ObjectRuntime, object: RuntimeObject, fees: CoinPlace) {
    this.#objects = objects;
    this.#object = object;
    this.fees = fees;
  }

  /** Undefined where it cannot be used. */
  static find(objects: ObjectRuntime): FeePool | undefined {
    const object = objects.load(FEE_POOL_ID);
    if (!isChangeable(object, FEE_POOL_TYPE)) return undefined;
    // The pool is a struct of one handle.
    const fees = CoinPlace.embeddedStore(objects, decode(objectId, object.value.bytes()));
    return fees && new FeePool(objects, object, fees);
  }

  /** An account's share, the same each time; undefined if it has none yet. */
  share(account: Address): CoinPlace | undefined {
    const known = this.#shares.find((one) => equalBytes(one.account, account));
    if (known !== undefined) return known.share;
    const field = this.#object.field(accountIdsOf(account).fieldKey);
    if (!field.existsWithType(SHARE.tag)) return undefined;
    const share = CoinPlace.embeddedStore(this.#objects, SHARE.decode(field.value.bytes()));
    if (share !== undefined) this.#shares.push({ account, share });
    return share;
  }
}
