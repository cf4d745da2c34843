/**
 * Controls of an engine: what a test does to a chain from outside Move. Each is a transaction of the ledger, with its
 * own order and root (transaction/control.ts), so history, proofs and replay remain valid.
 * @module
 */

import { argumentError, assertMembers, assertObject } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { formatObjectId, type ObjectIdInput, toObjectId } from '../chain/object/object-id.ts';
import type { Control } from '../chain/transaction/control.ts';
import { type StructTagInput, type TypeTagInput, toStructTag, toTypeTag } from '../move/type-tag.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { ReaderSource } from '../query/reader.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import type { ChainTime } from './chain-time.ts';
import type { ExecutionUnit } from './open.ts';
import type { Submit } from './submission.ts';

/** What controls need from their engine. */
export interface ControlsHost {
  readonly source: ReaderSource;
  readonly execution: () => Pick<ExecutionUnit, 'encodeValue'>;
  readonly submit: Submit;
}

/** Changes to an object; what is left out stays as it is. A new object needs a type and a value. */
export interface ObjectEdit {
  /**
   * Default for a new object, and for one that becomes shared or frozen: nobody, `0x0`. An object without an owner that
   * is neither shared nor frozen counts as held by a struct: it cannot be passed to functions.
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

  readonly #host: ControlsHost;

  /** The chain's time. */
  readonly time: ChainTime;

  constructor(host: ControlsHost, time: ChainTime) {
    this.#host = host;
    this.time = time;
  }

  /**
   * Mints coins for an account: the supply grows by the amount, and the framework emits its events.
   *
   * ```ts
   * await engine.dev.fund(alice, '0x3::gas_coin::RGas', 10n ** 12n);
   * ```
   * @param amount in the smallest unit, at least 1
   * @throws {EngineError} `invalid-argument` for a type that is not a coin, `transaction-rejected` if the framework
   * refuses, as for a frozen store; as `Engine.executeAs`
   */
  async fund(account: AddressInput, coinType: StructTagInput, amount: bigint): Promise<Receipt> {
    if (typeof amount !== 'bigint' || amount < 1n || amount >= 1n << 256n) {
      throw argumentError('amount', 'a bigint from 1 to 2^256 - 1', amount);
    }
    const coin = toStructTag(coinType, 'coinType');
    return this.#submit({ kind: 'fund', account: toAddress(account, 'account'), coin, amount });
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
    const { state } = this.#host.source.current();
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
    const { state, machines } = this.#host.source.current();
    return this.#host.execution().encodeValue(type, value, name, state, machines());
  }

  #submit(control: Control): Promise<Receipt> {
    return this.#host.submit(() => ({ kind: 'control', control }));
  }
}

function toFlag(given: number): number {
  if (Number.isInteger(given) && given >= 0 && given <= 255) return given;
  throw argumentError('flag', '0, 1 (shared) or 2 (frozen)', given);
}
