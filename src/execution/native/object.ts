/**
 * Natives of `0x2::object`, through which Move code accesses the state.
 *
 * Each works in two steps, as in the reference. It loads its object, with all objects above it; a failure there is a
 * failure of the native and costs nothing. Then it works on the object; a failure there is an abort, which costs the
 * loads so far, except for a field loaded by the work itself. Source:
 * frameworks/moveos-stdlib/src/natives/moveos_stdlib/object of the reference.
 * @module
 */

import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { PACKED_BYTES } from '../../vm/value/short-encoding.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector, type VectorValue } from '../../vm/value/vector.ts';
import { FEATURE_VALUE_SIZE_GAS } from '../runtime/features.ts';
import { ObjectFailure } from '../runtime/object-failure.ts';
import { makeHandle } from '../runtime/object-handle.ts';
import { Loads, type RuntimeObject } from '../runtime/runtime-object.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { optionValue } from './known-struct.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { panic } from './panic.ts';

type Context = NativeContext<SessionHost>;

const KEY_BYTES = 32;

export const OBJECT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'object' },
  natives: (prices) => {
    const loading = loadPrices(prices);
    return {
      ...metaNatives(prices, loading),
      ...handleNatives(prices, loading),
      ...fieldNatives(prices, loading),
      ...listNatives(),
    };
  },
};

interface LoadPrices {
  readonly base: number;
  readonly perByte: number;
  readonly failure: number;
}

function loadPrices(prices: NativePrices): LoadPrices {
  return {
    base: prices.of('object.common.load_base'),
    perByte: prices.of('object.common.load_per_byte'),
    failure: prices.of('object.common.load_failure'),
  };
}

function loadCost(loading: LoadPrices, loads: Loads): number {
  return loading.base + (loads.isAbsent ? loading.failure : loading.perByte * loads.bytes);
}

/** The loads of the current native's first step; natives do not nest, so one is enough. */
const objectLoads = new Loads();
/** The loads of its second step. */
const fieldLoads = new Loads();

/** The first step: loads the object of a native, and charges for it. */
function load(context: Context, id: StructInstance, base: number, loading: LoadPrices): RuntimeObject {
  objectLoads.clear();
  let object: RuntimeObject;
  try {
    object = context.host.objects.load((id.f0 as ArrayVector).items as Uint8Array[], context, objectLoads);
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error;
    return panic(context, error.status, error.message);
  }
  context.charge(base + loadCost(loading, objectLoads));
  return object;
}

/** The second step: works on the object. A refusal of the runtime is an abort. */
function workOn<Result>(context: Context, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error;
    return context.abort(error.abortCode, error.message);
  }
}

/** Metadata of objects that exist or that the session removed. */
function metaNatives(prices: NativePrices, loading: LoadPrices): Natives {
  const base = prices.of('object.native_object_meta.base');
  const read =
    <T>(get: (meta: RuntimeObject['meta']) => T) =>
    (context: Context, _signature: NativeSignature, id: StructInstance): T => {
      const object = load(context, id, base, loading);
      return workOn(context, () => get(object.meta));
    };
  return {
    native_object_owner: read((meta) => meta.owner),
    native_object_size: read((meta) => meta.size),
    native_object_flag: read((meta) => meta.flag),
    native_object_created_at: read((meta) => meta.createdAt),
    native_object_updated_at: read((meta) => meta.updatedAt),
  };
}

/** Handles borrowed, taken out and given back. */
function handleNatives(prices: NativePrices, loading: LoadPrices): Natives {
  const borrowBase = prices.of('object.native_borrow_object.base');
  const takeBase = prices.of('object.native_take_object.base');
  const clearBase = prices.find('object.native_clear_fields.base') ?? 0;
  const borrow = (
    context: Context,
    { typeArguments, returns }: NativeSignature,
    id: StructInstance,
  ): StructInstance => {
    const object = load(context, id, borrowBase, loading);
    return workOn(context, () => {
      object.requireType(typeArguments[0]!.structTag);
      return object.borrowHandle(returns[0]!.item);
    });
  };
  /** `settle` sets the metadata once the handle is back. */
  const giveBack = (
    base: number,
    context: Context,
    { typeArguments }: NativeSignature,
    handle: StructInstance,
    settle: (object: RuntimeObject) => void,
  ): void => {
    const object = load(context, handle.f0 as StructInstance, base, loading);
    workOn(context, () => {
      object.requireType(typeArguments[0]!.structTag);
      object.returnHandle(handle);
      settle(object);
    });
  };
  const transferBase = prices.of('object.native_transfer_object.base');
  const shareBase = prices.of('object.native_to_shared_object.base');
  const freezeBase = prices.of('object.native_to_frozen_object.base');
  return {
    native_borrow_object: borrow,
    native_borrow_mut_object: borrow,
    native_take_object: (context, { typeArguments, returns }, id: StructInstance): StructInstance => {
      const object = load(context, id, takeBase, loading);
      return workOn(context, () => {
        object.requireType(typeArguments[0]!.structTag);
        return object.takeHandle(returns[0]!);
      });
    },
    native_transfer_object: (context, signature, handle: StructInstance, owner: Address): void =>
      giveBack(transferBase, context, signature, handle, (object) => object.setOwner(owner)),
    native_to_shared_object: (context, signature, handle: StructInstance): void =>
      giveBack(shareBase, context, signature, handle, (object) => object.setShared()),
    native_to_frozen_object: (context, signature, handle: StructInstance): void =>
      giveBack(freezeBase, context, signature, handle, (object) => object.setFrozen()),
    native_clear_fields: (context, _signature, id: StructInstance): void => {
      const object = load(context, id, clearBase, loading);
      workOn(context, () => object.clearFields());
    },
  };
}

/** Fields, which are child objects too. The loads of the second step are charged after it. */
function fieldNatives(prices: NativePrices, loading: LoadPrices): Natives {
  const cost = (name: string): number =>
    prices.of(`object.${name}.base`) + prices.of(`object.${name}.per_byte_serialized`) * KEY_BYTES;
  const addCost = cost('native_add_field');
  const borrowCost = cost('native_borrow_field');
  const containsCost = cost('native_contains_field');
  const containsWithTypeCost = cost('native_contains_field_with_value_type');
  const removeCost = cost('native_remove_field');
  /** The second step, and its charge. */
  const workOnField = <Result>(context: Context, step: () => Result): Result => {
    const result = workOn(context, step);
    context.charge(loadCost(loading, fieldLoads));
    return result;
  };
  const borrow = (context: Context, { typeArguments }: NativeSignature, id: StructInstance, key: Address): unknown => {
    const object = load(context, id, borrowCost, loading);
    const type = typeArguments[0]!;
    return workOnField(context, () => loadField(context, object, key, type).borrow(type));
  };
  return {
    /** The new field's handle goes to the caller. If the chain has that feature, the size of the value costs gas. */
    native_add_field: (
      context,
      { typeArguments, returns },
      id: StructInstance,
      key: Address,
      value: unknown,
    ): StructInstance => {
      const type = typeArguments[0]!;
      const isSizePriced = context.host.features.has(FEATURE_VALUE_SIZE_GAS);
      // The value changes hands below; its size is charged after the work, which may abort first.
      const sizeCost = isSizePriced ? tieredSize(valueSize(type, value)) * loading.perByte : 0;
      const object = load(context, id, addCost, loading);
      const handle = workOnField(context, () => {
        loadField(context, object, key, type);
        const field = object.addField(key, type.structTag, (place) => place.fill(type, value));
        return makeHandle(returns[0]!, field.id);
      });
      context.charge(sizeCost);
      return handle;
    },
    native_borrow_field: borrow,
    native_borrow_mut_field: borrow,
    native_contains_field: (context, _signature, id: StructInstance, key: Address): boolean => {
      const object = load(context, id, containsCost, loading);
      return workOnField(context, () => loadField(context, object, key).exists);
    },
    native_contains_field_with_value_type: (context, { typeArguments }, id: StructInstance, key: Address): boolean => {
      const object = load(context, id, containsWithTypeCost, loading);
      const type = typeArguments[0]!;
      return workOnField(context, () => loadField(context, object, key, type).existsWithType(type.structTag));
    },
    native_remove_field: (context, { typeArguments }, id: StructInstance, key: Address): unknown => {
      const object = load(context, id, removeCost, loading);
      const type = typeArguments[0]!;
      return workOnField(context, () => {
        loadField(context, object, key, type);
        return object.removeField(key, type.structTag, (field) => field.decode(type));
      });
    },
  };
}

/** The field with its Move value, if it exists; decoded as `expected` if it has that type. Updates `fieldLoads`. */
function loadField(context: Context, object: RuntimeObject, key: Address, expected?: Type): RuntimeObject {
  fieldLoads.clear();
  const field = object.field(key, fieldLoads);
  if (expected !== undefined && field.existsWithType(expected.structTag)) field.decode(expected);
  else field.decodeBy(context);
  return field;
}

/** Microseconds per key, from a directory: a table may have millions, and the caller chooses the number. */
const LIST_KEY_WORK = 80;

/** Microseconds for each field that the session created: all are sorted, even if few are listed. */
const SORTED_KEY_WORK = 1;

const FREE_LOADS: LoadPrices = { base: 0, perByte: 0, failure: 0 };

/**
 * This native is free: newer schedules have prices for it, but the reference reads them into one place (`GasParameters`
 * of moveos-stdlib, `object_list_field_keys`) and takes the native's prices from another, which is always zero.
 */
function listNatives(): Natives {
  return {
    native_list_field_keys: (
      context,
      _signature,
      id: StructInstance,
      cursor: StructInstance,
      limit: bigint,
    ): ArrayVector => {
      const object = load(context, id, 0, FREE_LOADS);
      const after = optionValue(cursor) as Address | undefined;
      const { work } = context.host;
      const onFresh = (fresh: number): void => work.spend(fresh * SORTED_KEY_WORK);
      const keys: Address[] = [];
      for (const key of workOn(context, () => object.fieldKeys(after, limit, onFresh))) {
        work.spend(LIST_KEY_WORK);
        keys.push(key);
      }
      return new ArrayVector(keys);
    },
  };
}

/**
 * The size of a value that determines the price of adding a field: packed bytes, except that in a vector that is not
 * packed all elements count as much as the first. Source: `Value::size` of the reference's `values_impl.rs`.
 */
function valueSize(type: Type, value: unknown): number {
  if (type.kind === 'struct') {
    return type.fields.reduce(
      (sum, field, index) => sum + valueSize(field, (value as StructInstance).getField(index)),
      0,
    );
  }
  if (type.kind !== 'vector') return PACKED_BYTES[type.kind]!;
  const vector = value as VectorValue;
  return vector.length === 0 ? 0 : vector.length * valueSize(type.item, vector.get(0));
}

/** The factor for a byte, by the size from which it applies. Ascending. */
const TIERS: readonly (readonly [from: number, factor: number])[] = [
  [0, 1],
  [200, 2],
  [400, 4],
  [800, 16],
  [1600, 32],
  [3000, 64],
];

/** The size times the factor of its tier. */
function tieredSize(size: number): number {
  let applied = 1;
  for (const [from, factor] of TIERS) {
    if (size >= from) applied = factor;
  }
  return size * applied;
}
