/**
 * Controls of an engine: what a test does to a chain from outside Move. Each is a transaction of the ledger, with its
 * own order and root (transaction/control.ts), so history, proofs and replay remain valid.
 * @module
 */

import { argumentError, assertFits, assertMembers, assertObject, type Expectation } from '../base/argument.ts';
import { decode, encode, string } from '../base/bcs.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { formatObjectId, type ObjectIdInput, toObjectId } from '../chain/object/object-id.ts';
import { dynamicFieldValue, type State } from '../chain/state/state.ts';
import type { Control } from '../chain/transaction/control.ts';
import {
  accountCoinStoreId,
  coinStore,
  coinStoreField,
  coinStoreType,
  GAS_COIN_TYPE,
  multiCoinFieldKey,
  multiCoinStoreId,
} from '../execution/framework/coin.ts';
import type { Address } from '../move/address.ts';
import {
  canonicalStruct,
  type StructTag,
  type StructTagInput,
  type TypeTag,
  type TypeTagInput,
  toStructTag,
  toTypeTag,
} from '../move/type-tag.ts';
import type { NextBlockOptions } from '../pipeline/ingest/block-turn.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import { CoinPlaces } from '../query/balance.ts';
import { type MinedBlockValue, minedBlockValue } from '../query/values.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { ChainTime } from './chain-time.ts';
import { BLOCK_HEIGHT } from './engine-bitcoin.ts';
import type { EngineCore } from './engine-core.ts';
import type { ExecutionUnit } from './open.ts';

/** Changes to an object; what is left out stays as it is. A new object needs a type and a value. */
export interface ObjectEdit {
  /**
   * Default for a new object, and for one that becomes shared or frozen: no owner, `0x0`. An object without an owner
   * that is neither shared nor frozen counts as held by a struct: it cannot be passed to functions.
   */
  readonly owner?: AddressInput | undefined;
  /** 1 shared, 2 frozen, 0 neither. */
  readonly flag?: number | undefined;
  readonly type?: StructTagInput | undefined;
  /** Read by the object's Move type, like arguments of calls; BCS as `{ bcs: bytes }`. */
  readonly value?: ViewArgument | undefined;
}

/** A dynamic field to write. Key and value are read by their Move types, like arguments of calls. */
export interface FieldEdit {
  readonly keyType: TypeTagInput;
  readonly key: ViewArgument;
  readonly valueType: TypeTagInput;
  readonly value: ViewArgument;
}

/** What a test may set without a signature: coins, objects and fields. Each is a transaction of the ledger. */
export class Controls {
  static {
    reportAtCaller(Controls);
  }

  readonly #core: EngineCore;

  readonly time: ChainTime;

  constructor(core: EngineCore) {
    this.#core = core;
    this.time = new ChainTime(core);
  }

  /**
   * Mints coins for an account: the supply grows by the amount, and the framework emits its events.
   *
   * ```ts
   * await engine.dev.mint(alice, 10n ** 12n);
   * ```
   * @param amount in the smallest unit, at least 1
   * @param coinType default: the coin that pays for gas
   * @throws {EngineError} `invalid-argument` for a type that is not a coin, `transaction-rejected` if the framework
   * refuses, as for a frozen store; as `Engine.executeAs`
   */
  async mint(account: AddressInput, amount: bigint, coinType: StructTagInput = GAS_COIN_TYPE): Promise<Receipt> {
    assertFits(amount, 'amount', COINS);
    if (amount === 0n) throw argumentError('amount', 'a bigint from 1 to 2^256 - 1', amount);
    const coin = toStructTag(coinType, 'coinType');
    return this.#submit({ kind: 'fund', account: toAddress(account, 'account'), coin, amount });
  }

  /**
   * Sets what an account holds of a coin when this call's turn comes. More is minted; less is taken out of the account's
   * coin store, and the supply stays.
   *
   * ```ts
   * await engine.dev.setBalance(alice, 0n);
   * ```
   * @param amount in the smallest unit
   * @param coinType default: the coin that pays for gas
   * @returns the receipt of the last transaction: there are two if coins are taken out of both stores of the account
   * @throws {EngineError} as `mint`
   */
  async setBalance(account: AddressInput, amount: bigint, coinType: StructTagInput = GAS_COIN_TYPE): Promise<Receipt> {
    assertFits(amount, 'amount', COINS);
    const coin = toStructTag(coinType, 'coinType');
    const owner = toAddress(account, 'account');
    const change = () =>
      this.#core.submissions.submit(({ state }) => ({
        kind: 'control',
        control: balanceControl(state, owner, coin, amount),
      }));
    const receipt = await change();
    // A control writes one of the account's two stores.
    return new CoinPlaces().amount(this.#core.current().state, owner, coin) === amount ? receipt : change();
  }

  /**
   * Mines a Bitcoin block on the best block, or on another one, and ingests it:
   * `await engine.dev.mine({ to: address, transactions: [spend(...)] })`. Unless a time is given, it is ten minutes after its
   * parent, or, if the chain's time follows a clock, of that time.
   * @throws {EngineError} as `engine.bitcoin.ingest`; `not-found` for an unknown parent, or for an input that spends an output
   * of no transaction of the chain
   */
  async mine(options: NextBlockOptions): Promise<MinedBlockValue> {
    const { assertMineOptions, ingestion, keptOptions, nextBlock, toBlockReference } = this.#core.execution;
    assertMineOptions(options, ['on', 'height']);
    if (options.on !== undefined) toBlockReference(options.on, 'on');
    if (options.height !== undefined) assertFits(options.height, 'height', BLOCK_HEIGHT);
    const kept = keptOptions(options);
    const { clock, settings, writer } = this.#core;
    const { owners, headersOnly } = settings.ingest;
    const hasAllOutputs = owners === undefined && headersOnly !== true;
    const { turn, done } = ingestion((state) => nextBlock(state, kept, { clock: clock?.read(), hasAllOutputs }));
    writer.submit(turn);
    return minedBlockValue((await done).block);
  }

  /**
   * Writes an object, or creates one: any of its owner, flag, type and value.
   *
   * ```ts
   * await engine.dev.setObject(id, { owner: bob });
   * await engine.dev.setObject('0x42::counter::Counter', { type: '0x42::counter::Counter', value: { count: 7n } });
   * ```
   * @throws {EngineError} `invalid-argument` naming what cannot be written: a type that does not exist or cannot be an
   * object's, a value that does not decode, a child of an object that does not exist, code, the chain's clock; as
   * `Engine.executeAs`
   */
  async setObject(object: ObjectIdInput, edit: ObjectEdit): Promise<Receipt> {
    const id = toObjectId(object, 'id');
    assertObject(edit, 'edit', 'an edit { owner, flag, type, value }');
    assertMembers(edit, ['owner', 'flag', 'type', 'value']);
    const { owner, flag, type, value } = edit;
    const newType = type === undefined ? undefined : toStructTag(type, 'type');
    const { state } = this.#core.current();
    const bytes = (): Uint8Array => {
      const struct = newType ?? state.object(id)?.meta.objectType;
      if (struct === undefined) {
        throw new EngineError(
          'invalid-argument',
          `id: ${formatObjectId(id)} does not exist; a new object needs a type`,
        );
      }
      return this.#encoded({ kind: 'struct', struct }, value, 'value');
    };
    return this.#submit({
      kind: 'set-object',
      id,
      owner: owner === undefined ? undefined : toAddress(owner, 'owner'),
      flag: flag === undefined ? undefined : toFlag(flag),
      type: newType,
      value: value === undefined ? undefined : bytes(),
    });
  }

  /**
   * Writes a dynamic field of an object, or adds it.
   *
   * ```ts
   * await engine.dev.setField(table, { keyType: 'address', key: alice, valueType: 'u64', value: 7n });
   * ```
   * @throws {EngineError} as `setObject`; `invalid-argument` also for a value type other than the field's
   */
  async setField(object: ObjectIdInput, edit: FieldEdit): Promise<Receipt> {
    const parent = toObjectId(object, 'id');
    assertObject(edit, 'edit', 'an edit { keyType, key, valueType, value }');
    assertMembers(edit, ['keyType', 'key', 'valueType', 'value']);
    const { keyType, key, valueType, value } = edit;
    const [keyTag, valueTag] = [toTypeTag(keyType, 'keyType'), toTypeTag(valueType, 'valueType')];
    return this.#submit({
      kind: 'set-field',
      parent,
      keyType: keyTag,
      key: this.#encoded(keyTag, key, 'key'),
      valueType: valueTag,
      value: this.#encoded(valueTag, value, 'value'),
    });
  }

  #encoded(type: Parameters<ExecutionUnit['encodeValue']>[0], value: ViewArgument, name: string): Uint8Array {
    const { state, machines } = this.#core.current();
    return this.#core.execution.encodeValue(type, value, name, state, machines());
  }

  #submit(control: Control): Promise<Receipt> {
    return this.#core.submissions.submit(() => ({ kind: 'control', control }));
  }
}

/** What brings a balance to `amount`. It may be in a coin store of its own, and in the account's multi coin store. */
function balanceControl(state: State, owner: Address, coin: StructTag, amount: bigint): Control {
  const id = accountCoinStoreId(owner, coin);
  const parent = multiCoinStoreId(owner);
  const [object, field] = [state.object(id), state.field(parent, multiCoinFieldKey(coin))];
  const own = object === undefined ? { balance: 0n, frozen: false } : decode(coinStore, object.value);
  const shared = field === undefined ? undefined : dynamicFieldValue(field, string, coinStoreField);
  const held = own.balance + (shared?.balance ?? 0n);
  if (amount > held) return { kind: 'fund', account: owner, coin, amount: amount - held };
  const less = held - amount;
  if (shared === undefined || less <= own.balance || own.balance > amount) {
    const kept = object === undefined ? { owner, type: coinStoreType(coin) } : { owner: undefined, type: undefined };
    const balance = less <= own.balance ? own.balance - less : 0n;
    return { kind: 'set-object', id, flag: undefined, ...kept, value: encode(coinStore, { ...own, balance }) };
  }
  const [keyType, valueType] = field!.meta.objectType.typeArguments as [TypeTag, TypeTag];
  const key = encode(string, canonicalStruct(coin));
  const value = encode(coinStoreField, { ...shared, balance: shared.balance - less });
  return { kind: 'set-field', parent, keyType, key, valueType, value };
}

const COINS: Expectation = [
  'a bigint from 0 to 2^256 - 1',
  (value) => typeof value === 'bigint' && value >= 0n && value < 1n << 256n,
];

function toFlag(given: number): number {
  if (Number.isInteger(given) && given >= 0 && given <= 255) return given;
  throw argumentError('flag', '0, 1 (shared) or 2 (frozen)', given);
}
