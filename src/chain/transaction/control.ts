/**
 * Controls: changes that a test, or the scan of older Bitcoin blocks, makes to a chain from outside Move, and the ledger's
 * record of them.
 *
 * The record is a transaction of the system (sender `0x0`) with an empty authenticator and a validator id of its own. Its
 * action names the control, as a function such as `0x0::control::fund` that exists on no chain, and has two arguments: the
 * BCS of the control, and that of the resulting change set, with the roots before it. So its hash covers the change, which
 * can be repeated from the record alone. Its sequence number is its order, so no two records are equal. It uses no gas.
 * @module
 */
import { bytes, type Codec, decode, encode, option, payload, struct, u8, u64, u256, variant } from '../../base/bcs.ts';
import { CONTROL_VALIDATOR_ID } from '../../base/config.ts';
import { malformedBytes } from '../../base/error.ts';
import { type Address, address, SYSTEM_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTagCodec, type TypeTag, typeTag } from '../../move/type-tag.ts';
import { type StateChangeSet, stateChangeSet } from '../object/change-set.ts';
import { type ObjectId, objectId } from '../object/object-id.ts';
import type { FunctionId } from './action.ts';
import type { LedgerTransactionData } from './ledger.ts';

/** Mints coins for an account. */
export interface FundControl {
  readonly account: Address;
  readonly coin: StructTag;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** Writes an object, or creates one. Undefined members stay unchanged. */
export interface SetObjectControl {
  readonly id: ObjectId;
  readonly owner: Address | undefined;
  readonly flag: number | undefined;
  readonly type: StructTag | undefined;
  /** BCS. */
  readonly value: Uint8Array | undefined;
}

/** Writes a dynamic field of an object, or adds it. */
export interface SetFieldControl {
  readonly parent: ObjectId;
  readonly keyType: TypeTag;
  /** BCS. */
  readonly key: Uint8Array;
  readonly valueType: TypeTag;
  /** BCS. */
  readonly value: Uint8Array;
}

/** Moves the chain's time forward. */
export interface SetTimeControl {
  /** Since 1970-01-01 UTC. */
  readonly milliseconds: bigint;
}

/** Adds outputs and inscriptions of the watched owners that older Bitcoin blocks hold. */
export interface RescanControl {
  /** BCS of `Findings` (bitcoin-move/findings.ts). */
  readonly found: Uint8Array;
}

export type Control =
  | ({ readonly kind: 'fund' } & FundControl)
  | ({ readonly kind: 'set-object' } & SetObjectControl)
  | ({ readonly kind: 'set-field' } & SetFieldControl)
  | ({ readonly kind: 'set-time' } & SetTimeControl)
  | ({ readonly kind: 'rescan' } & RescanControl);

export const control: Codec<Control> = variant<Control>('Control', [
  payload<Control, 'fund'>('fund', struct<FundControl>({ account: address, coin: structTagCodec, amount: u256 })),
  payload<Control, 'set-object'>(
    'set-object',
    struct<SetObjectControl>({
      id: objectId,
      owner: option(address),
      flag: option(u8),
      type: option(structTagCodec),
      value: option(bytes),
    }),
  ),
  payload<Control, 'set-field'>(
    'set-field',
    struct<SetFieldControl>({ parent: objectId, keyType: typeTag, key: bytes, valueType: typeTag, value: bytes }),
  ),
  payload<Control, 'set-time'>('set-time', struct<SetTimeControl>({ milliseconds: u64 })),
  payload<Control, 'rescan'>('rescan', struct<RescanControl>({ found: bytes })),
]);

interface RecordedControl {
  readonly control: Control;
  /** With the roots before the change. */
  readonly changeSet: StateChangeSet;
}

/** The record of a control at `order` of the chain `chainId`. */
export function controlRecord(
  { control: done, changeSet }: RecordedControl,
  order: bigint,
  chainId: bigint,
): LedgerTransactionData & { readonly kind: 'l2-transaction' } {
  const name: FunctionId = { address: SYSTEM_ADDRESS, module: 'control', name: done.kind.replaceAll('-', '_') };
  const given = [encode(control, done), encode(stateChangeSet, changeSet)];
  return {
    kind: 'l2-transaction',
    data: {
      sender: SYSTEM_ADDRESS,
      sequenceNumber: order,
      chainId,
      maxGasAmount: 0n,
      action: { kind: 'function', function: name, typeArguments: [], arguments: given },
    },
    authenticator: { validatorId: CONTROL_VALIDATOR_ID, payload: new Uint8Array(0) },
  };
}

/**
 * The control that a transaction of the ledger records; undefined for any other transaction.
 * @throws {EngineError} `malformed-bytes` for a record that does not decode
 */
export function recordedControl(data: LedgerTransactionData): RecordedControl | undefined {
  if (data.kind !== 'l2-transaction' || data.authenticator.validatorId !== CONTROL_VALIDATOR_ID) return undefined;
  const { action } = data.data;
  const given = action.kind === 'function' ? action.arguments : [];
  const [done, changes] = given;
  if (done === undefined || changes === undefined || given.length > 2) {
    throw malformedBytes(`expected a control and its change set, got ${given.length} arguments`);
  }
  return { control: decode(control, done), changeSet: decode(stateChangeSet, changes) };
}
