/**
 * The effects of natives on objects, fields and events, derived from their calls: Move code has no other access to the
 * state.
 * @module
 */

import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { formatObjectId, namedObjectId } from '../../chain/object/object-id.ts';
import type { DecodedStruct, DecodedValue } from '../../chain/value/decoded.ts';
import { LazyReadable } from '../../chain/value/readable.ts';
import type { TraceCall } from './call.ts';
import type { TraceValue } from './kept-value.ts';

/** The kind of access to an object or a field. A mutable borrow allows a write, but need not lead to one. */
export type AccessOperation =
  | 'borrow'
  | 'borrow-mutably'
  | 'take'
  | 'add'
  | 'remove'
  | 'contains'
  | 'list'
  | 'metadata'
  | 'transfer'
  | 'share'
  | 'freeze'
  | 'clear';

interface Native {
  readonly operation: AccessOperation;
  readonly kind: 'read' | 'write';
  /** Whether the second argument is the key of a field. */
  readonly isField?: boolean;
}

const read = (operation: AccessOperation): Native => ({ operation, kind: 'read' });
const write = (operation: AccessOperation): Native => ({ operation, kind: 'write' });
const field = (native: Native): Native => ({ ...native, isField: true });

/** Natives of `0x2::object`. The first argument is the object: its id, or its handle, whose only field is the id. */
const NATIVES: Readonly<Record<string, Native>> = {
  native_object_owner: read('metadata'),
  native_object_size: read('metadata'),
  native_object_flag: read('metadata'),
  native_object_created_at: read('metadata'),
  native_object_updated_at: read('metadata'),
  native_borrow_object: read('borrow'),
  native_borrow_mut_object: write('borrow-mutably'),
  native_take_object: write('take'),
  native_transfer_object: write('transfer'),
  native_to_shared_object: write('share'),
  native_to_frozen_object: write('freeze'),
  native_clear_fields: write('clear'),
  native_add_field: field(write('add')),
  native_borrow_field: field(read('borrow')),
  native_borrow_mut_field: field(write('borrow-mutably')),
  native_contains_field: field(read('contains')),
  native_contains_field_with_value_type: field(read('contains')),
  native_remove_field: field(write('remove')),
  native_list_field_keys: read('list'),
};

const OBJECT_MODULE = '0x2::object';

/** The id of the root object. */
const ROOT = '0x';

/** One read or change of an object or a field. */
export interface TraceAccess {
  readonly kind: 'read' | 'write';
  readonly operation: AccessOperation;
  readonly object: string;
  /** The key of the field; undefined if the object itself was meant. */
  readonly key: string | undefined;
  /** The name behind the key, if the native took or returned a dynamic field. */
  readonly name: DecodedValue | undefined;
  /** Whether it failed and so did not happen. */
  readonly isFailed: boolean;
}

/** The access of a native to an object or a field; undefined for any other call. */
export function accessOf(call: TraceCall): TraceAccess | undefined {
  const native = call.isNative && call.module === OBJECT_MODULE ? NATIVES[call.function] : undefined;
  if (native === undefined) return undefined;
  const [first, second] = call.arguments;
  if (first === undefined) return undefined;
  const parent = objectOf(first.value);
  if (parent === undefined) return undefined;
  const access = { kind: native.kind, operation: native.operation, isFailed: call.isFailed };
  // The fields of the root are the objects themselves.
  if (parent === ROOT && native.isField === true && second?.bytes !== undefined) {
    return { ...access, object: toHexPrefixed(second.bytes), key: undefined, name: undefined };
  }
  const key = native.isField === true && second?.bytes !== undefined ? toHexPrefixed(second.bytes) : undefined;
  const name = key && nameOf(native, call);
  return { ...access, object: parent, key, name };
}

function objectOf(value: DecodedValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  const id = (value as DecodedStruct | undefined)?.['id'];
  return typeof id === 'string' ? id : undefined;
}

function nameOf({ operation }: Native, call: TraceCall): DecodedValue | undefined {
  const value = operation === 'add' ? call.arguments[2]?.value : call.results?.[0]?.value;
  const isStruct = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isStruct ? (value as DecodedStruct)['name'] : undefined;
}

/** An event as it was emitted. Events of a failed transaction are lost along with everything else that it did. */
export class TraceEvent extends LazyReadable {
  /** Its stream. */
  readonly handle: string | undefined;
  readonly data: TraceValue;

  constructor(handle: string | undefined, data: TraceValue) {
    super();
    this.handle = handle;
    this.data = data;
  }

  override shown(): object {
    const { handle, data } = this;
    return { handle, type: data.type, value: data.value };
  }
}

/** The event emitted by a native; undefined for any other call. */
export function eventOf(call: TraceCall): TraceEvent | undefined {
  if (!call.isNative || call.isFailed || call.module !== '0x2::event') return undefined;
  const [first, second] = call.arguments;
  if (call.function === 'native_emit' && first !== undefined) {
    const tag = first.inside;
    return new TraceEvent(tag.kind === 'struct' ? formatObjectId(namedObjectId(tag.struct)) : undefined, first);
  }
  if (call.function !== 'native_emit_with_handle' || first === undefined || second === undefined) return undefined;
  return new TraceEvent(objectOf(first.value), second);
}

/** The argument of `0x1::debug::print`; undefined for any other call. */
export function printOf(call: TraceCall): TraceValue | undefined {
  const isPrint = call.isNative && call.module === '0x1::debug' && call.function === 'print';
  return isPrint ? call.arguments[0] : undefined;
}
