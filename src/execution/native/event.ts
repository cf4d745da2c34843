/**
 * Natives of `0x2::event`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/event.rs of the reference.
 * @module
 */

import { getOrInsert } from '../../base/get-or-insert.ts';
import { namedObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { StructTag } from '../../move/type-tag.ts';
import type { NativeContext } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import type { ArrayVector } from '../../vm/value/vector.ts';
import { readObjectId } from '../runtime/object-handle.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';
import { panic } from './panic.ts';

type Context = NativeContext<SessionHost>;

export const EVENT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'event' },
  natives: (prices) => {
    const emitCost = prices.linear('events.emit', 'per_byte_in_str');
    // Free on chains whose schedule is older than the native.
    const withHandleCost = prices.linearOrFree('events.emit_with_handle', 'per_byte_in_str');
    return {
      /** The stream of an event type is the named object of that type. */
      native_emit: (context, { typeArguments }, event: unknown): void => {
        const type = typeArguments[0]!;
        requireLayout(context, type);
        const { events } = context.host;
        context.charge(emitCost(events.emit(type.structTag, handleOfType(type.structTag), type.operations, event)));
      },
      native_emit_with_handle: (context, { typeArguments }, handle: StructInstance, event: unknown): void => {
        const type = typeArguments[0]!;
        requireLayout(context, type);
        const { events } = context.host;
        context.charge(withHandleCost(events.emit(type.structTag, handleOf(handle), type.operations, event)));
      },
    };
  },
};

const handlesByType = new WeakMap<StructTag, ObjectId>();

function handleOfType(type: StructTag): ObjectId {
  return getOrInsert(handlesByType, type, () => namedObjectId(type));
}

/**
 * Keyed by the array of their only part, which is the same in later transactions through the machine's cached results.
 */
const handlesByPart = new WeakMap<Uint8Array, ObjectId>();

/** The same array for the same stream, if recognised quickly: later stages use it as a key. */
function handleOf(id: StructInstance): ObjectId {
  const { items } = id.f0 as ArrayVector;
  const known = items.length === 1 ? handlesByPart.get(items[0] as Uint8Array) : undefined;
  if (known !== undefined) return known;
  const path = readObjectId(id);
  if (path.length === 1) handlesByPart.set(path[0]!, path);
  return path;
}

function requireLayout(context: Context, type: Type): void {
  if (type.kind !== 'struct') panic(context, StatusCode.INTERNAL_TYPE_ERROR, 'expected a struct as an event');
  if (type.layoutFault !== 0) {
    panic(context, type.layoutFault as StatusCode, 'the event has a type without a layout');
  }
}
