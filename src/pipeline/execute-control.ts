/**
 * What controls do to the state.
 *
 * Coins are minted and deposited by the framework's own code, so supply, events and the form of coin stores are the
 * chain's. Objects and fields are written as given, after checking that their types exist and their values decode;
 * whether Move code could produce such values does not matter, and there is no event. Modules, the clock and the
 * objects that the chain relies on cannot be written this way. What older Bitcoin blocks hold for new owners is added
 * as described in bitcoin-move/findings.ts.
 * @module
 */

import { decode, encode, u64, u256 } from '../base/bcs.ts';
import { concatBytes, equalBytes } from '../base/bytes/bytes.ts';
import { CHAIN_TIME_MS_MAX, TRANSACTION_NATIVE_WORK_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { sha3Joined } from '../base/hash/sha3.ts';
import type { FieldChanges, StateChangeSet, ValueChange } from '../chain/object/change-set.ts';
import { deriveFieldKey } from '../chain/object/field-key.ts';
import {
  childObjectId,
  equalObjectIds,
  formatObjectId,
  MODULE_STORE_ID,
  type ObjectId,
  objectId,
} from '../chain/object/object-id.ts';
import {
  dynamicFieldType,
  FLAG_FROZEN,
  FLAG_SHARED,
  isDynamicField,
  isEmbedded,
  isShared,
  type ObjectMeta,
} from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import {
  type Control,
  control as controlCodec,
  type FundControl,
  type RescanControl,
  type SetFieldControl,
  type SetObjectControl,
  type SetTimeControl,
} from '../chain/transaction/control.ts';
import { addFindings, findings } from '../execution/bitcoin-move/findings.ts';
import { TIMESTAMP, TIMESTAMP_ID } from '../execution/bitcoin-move/object-type.ts';
import { coinInfoId } from '../execution/framework/coin.ts';
import { StateModules } from '../execution/runtime/module-source.ts';
import { ObjectRuntime } from '../execution/runtime/object-runtime.ts';
import { runSession, type Session } from '../execution/runtime/session.ts';
import { moduleLookup } from '../execution/trace/explain-failure.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, abilityNames } from '../move/ability.ts';
import {
  type Address,
  address,
  FRAMEWORK_ADDRESS,
  formatAddress,
  isSystemAddress,
  SYSTEM_ADDRESS,
} from '../move/address.ts';
import { displayStruct, displayType, equalStructs, structType, type TypeTag } from '../move/type-tag.ts';
import type { ModuleLookup } from '../vm/binary/module.ts';
import type { Returned } from '../vm/call.ts';
import type { ExecutionOutput } from './commit.ts';
import type { ExecutionContext } from './execution-context.ts';
import { rejection } from './rejection.ts';

/** What a control changes, and the events of the Move code that it ran. */
type ControlEffect = Pick<ExecutionOutput, 'changeSet' | 'events'>;

interface ControlContext extends ExecutionContext {
  /** The clock's reading, in milliseconds. */
  readonly now: bigint;
}

/**
 * The effect of a control on the state of `context`, as the transaction at `order`.
 * @throws {EngineError} `invalid-argument` naming what cannot be written, `transaction-rejected` if Move code refuses
 */
export function executeControl(control: Control, order: bigint, context: ControlContext): ControlEffect {
  switch (control.kind) {
    case 'fund':
      return fund(control, order, context);
    case 'set-object':
      return { changeSet: setObject(control, context), events: [] };
    case 'set-field':
      return { changeSet: setField(control, context), events: [] };
    case 'set-time':
      return { changeSet: setTime(control, context), events: [] };
    case 'rescan':
      return { changeSet: addFound(control, context), events: [] };
  }
}

// ---- coins ----

function fund(control: Control & FundControl, order: bigint, chain: ExecutionContext): ControlEffect {
  const { state, machines, tracer } = chain;
  const { coin, account, amount } = control;
  const info = state.object(coinInfoId(coin));
  if (info === undefined) throw refused(`coin type: ${displayStruct(coin)} is no coin of this chain`);
  if (amount === 0n) throw refused('amount: expected at least 1, got 0');
  const { meta } = info;
  const context = {
    // The owner of the coin's description may mint it.
    sender: isShared(meta) ? SYSTEM_ADDRESS : meta.owner,
    sequenceNumber: order,
    maxGasAmount: 0n,
    txHash: sha3Joined(encode(controlCodec, control), encode(u64, order)),
    txSize: 0n,
    idsCreated: 0n,
    entries: [],
  };
  const settings = {
    state,
    machine: machines.at(state),
    modules: machines.modules,
    context,
    gasBudget: undefined,
    isReadOnly: true,
    nativeWorkMax: TRANSACTION_NATIVE_WORK_MAX,
    tracer,
  };
  return runSession(settings, (session) => {
    const call = caller(session, [structType(coin)], moduleLookup(chain));
    const [{ type, value }] = onHandle(session, meta, () =>
      call('coin', 'mint_extend', [encode(objectId, meta.id), encode(u256, amount)]),
    ) as [Returned];
    call('account_coin_store', 'deposit_extend', [encode(address, account), type.encode(value)]);
    const { changeSet, events } = session.finish();
    return { changeSet, events };
  });
}

/** Runs `use` while the handle of an object can be borrowed, even if another object holds it. */
function onHandle<T>({ objects }: Session, meta: ObjectMeta, use: () => T): T {
  if (!isEmbedded(meta)) return use();
  objects.transfer(meta.id, SYSTEM_ADDRESS);
  const result = use();
  objects.embed(meta.id);
  return result;
}

type Caller = (module: string, name: string, given: readonly Uint8Array[]) => readonly Returned[];

/** Calls functions of the framework with these type arguments. */
function caller(session: Session, typeArguments: readonly TypeTag[], findModule: ModuleLookup): Caller {
  return (module, name, given) => {
    const id = { address: FRAMEWORK_ADDRESS, name: module };
    const outcome = session.call({ module: id, function: name, typeArguments, arguments: given });
    if (outcome.kind === 'failed') {
      throw rejection(outcome.failure, { during: `0x3::${module}::${name}`, findModule });
    }
    session.releaseArguments();
    return outcome.values;
  };
}

// ---- objects and fields ----

function setObject({ id, owner, flag, type, value }: SetObjectControl, context: ExecutionContext): StateChangeSet {
  const { state } = context;
  assertWritable(id);
  const before = state.object(id);
  if (owner === undefined && flag === undefined && type === undefined && value === undefined) {
    throw refused('expected an owner, a flag, a type or a value to set, got none of them');
  }
  const objectType = type ?? before?.meta.objectType;
  const bytes = value ?? before?.value;
  if (objectType === undefined || bytes === undefined) {
    throw refused(`object id: ${formatObjectId(id)} does not exist; a new object needs a type and a value`);
  }
  assertValue('value', bytes, structType(objectType), ABILITY_KEY, context);
  const now = timeOf(state);
  const meta: ObjectMeta = {
    ...(before?.meta ?? newMeta(id, now)),
    objectType,
    ...holding(before?.meta, owner, flag),
    ...(value !== undefined && { updatedAt: now }),
  };
  if (isDynamicField(meta)) throw refused(`object id: ${formatObjectId(id)} is a field; write it as one of its object`);
  return changeAt(state, meta, valueChange(before !== undefined, value));
}

/** The owner of an object, and what others may do with it. */
function holding(
  before: ObjectMeta | undefined,
  newOwner: Address | undefined,
  newFlag: number | undefined,
): Pick<ObjectMeta, 'owner' | 'flag'> {
  const flag = newFlag ?? before?.flag ?? 0;
  if ((flag & ~(FLAG_SHARED | FLAG_FROZEN)) !== 0) {
    throw refused(`flag: expected 0, ${FLAG_SHARED} (shared), ${FLAG_FROZEN} (frozen) or their sum, got ${flag}`);
  }
  if (flag === 0) return { flag, owner: newOwner ?? before?.owner ?? SYSTEM_ADDRESS };
  if (newOwner === undefined || isSystemAddress(newOwner)) return { flag, owner: SYSTEM_ADDRESS };
  throw refused(`owner: a shared or frozen object has none, got ${formatAddress(newOwner)}; set its flag to 0 too`);
}

function setField(control: SetFieldControl, context: ExecutionContext): StateChangeSet {
  const { parent, keyType, key, valueType, value } = control;
  const { state } = context;
  assertWritable(parent);
  const holder = state.object(parent);
  if (holder === undefined) throw refused(`object id: ${formatObjectId(parent)} does not exist`);
  if (isDynamicField(holder.meta)) throw refused(`object id: ${formatObjectId(parent)} is a field, which has none`);
  assertValue('key', key, keyType, ABILITY_COPY | ABILITY_DROP | ABILITY_STORE, context);
  assertValue('value', value, valueType, ABILITY_STORE, context);
  const id = childObjectId(parent, deriveFieldKey(key, keyType));
  const objectType = dynamicFieldType(keyType, valueType);
  const before = state.object(id);
  if (before !== undefined && !equalStructs(before.meta.objectType, objectType)) {
    throw refused(
      `value type: the field is ${displayStruct(before.meta.objectType)}, got ${displayStruct(objectType)}`,
    );
  }
  const now = timeOf(state);
  const meta = { ...(before?.meta ?? newMeta(id, now)), objectType, updatedAt: now };
  return changeAt(state, meta, valueChange(before !== undefined, concatBytes(key, value)));
}

/** Refuses changes after which the chain could not continue. */
function assertWritable(id: ObjectId): void {
  const [first] = id;
  if (first === undefined) throw refused('object id: the root object is no object of its own');
  if (equalBytes(first, MODULE_STORE_ID[0]!)) {
    throw refused('object id: the module store holds code that was verified; publish modules instead');
  }
  if (equalObjectIds(id, TIMESTAMP_ID)) throw refused("object id: that is the chain's clock; set the time instead");
}

/** Checks that a type exists and has these abilities, and that the bytes are one value of it. */
function assertValue(
  name: string,
  value: Uint8Array,
  tag: TypeTag,
  abilities: number,
  { state, machines }: ExecutionContext,
): void {
  const type = machines.at(state).loadType(tag, new StateModules(state, machines.modules));
  if ('status' in type) throw refused(`${name} type: there is no type ${displayType(tag)}: ${type.message}`);
  if ((type.abilities & abilities) !== abilities) {
    const [wanted, has] = [abilities, type.abilities].map((set) => abilityNames(set).join(' and '));
    throw refused(`${name} type: expected a type with ${wanted}, got ${displayType(tag)} with ${has || 'none'}`);
  }
  if (type.layoutFault !== 0 || type.decode(value) === undefined) {
    throw refused(`${name}: expected the BCS of a ${displayType(tag)}, got ${value.length} bytes that are none`);
  }
}

function newMeta(id: ObjectId, now: bigint): Omit<ObjectMeta, 'objectType'> {
  return { id, owner: SYSTEM_ADDRESS, flag: 0, stateRoot: undefined, size: 0n, createdAt: now, updatedAt: now };
}

function valueChange(exists: boolean, value: Uint8Array | undefined): ValueChange | undefined {
  return value === undefined ? undefined : { kind: exists ? 'modify' : 'new', value };
}

/** The change of one object, nested in those of the objects above it; a new object is counted by its parent. */
function changeAt(state: State, meta: ObjectMeta, value: ValueChange | undefined): StateChangeSet {
  const { id } = meta;
  const added = value?.kind === 'new' ? 1n : 0n;
  let changes: FieldChanges = [[id[id.length - 1]!, { meta, value, fields: [] }]];
  for (let depth = id.length - 1; depth > 0; depth--) {
    const above = state.object(id.slice(0, depth));
    if (above === undefined) throw refused(`object id: ${formatObjectId(id.slice(0, depth))} above it does not exist`);
    const size = above.meta.size + (depth === id.length - 1 ? added : 0n);
    changes = [[id[depth - 1]!, { meta: { ...above.meta, size }, value: undefined, fields: changes }]];
  }
  return { stateRoot: state.root, globalSize: state.size + (id.length === 1 ? added : 0n), changes };
}

// ---- older blocks ----

function addFound({ found }: RescanControl, { state }: ExecutionContext): StateChangeSet {
  const runtime = new ObjectRuntime(state);
  addFindings(runtime, decode(findings, found));
  return runtime.changeSet();
}

// ---- time ----

function setTime({ milliseconds }: SetTimeControl, { state, head, now: clock }: ControlContext): StateChangeSet {
  const now = laterOf(clock, laterOf(timeOf(state), head.timestamp));
  if (milliseconds < now) {
    throw refused(`time: expected ${now} or later, got ${milliseconds}: a chain never goes back, except to a snapshot`);
  }
  if (milliseconds > CHAIN_TIME_MS_MAX) {
    throw refused(`time: expected at most ${CHAIN_TIME_MS_MAX} (CHAIN_TIME_MS_MAX), got ${milliseconds}`);
  }
  const runtime = new ObjectRuntime(state);
  runtime.set(TIMESTAMP_ID, TIMESTAMP, milliseconds);
  return runtime.changeSet();
}

/** Milliseconds of the chain's clock. */
export function timeOf(state: State): bigint {
  return new ObjectRuntime(state).get(TIMESTAMP_ID, TIMESTAMP) ?? 0n;
}

function laterOf(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function refused(message: string): EngineError {
  return new EngineError('invalid-argument', message);
}
