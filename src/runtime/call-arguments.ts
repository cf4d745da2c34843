/**
 * The arguments of a call from outside, from the bytes that a caller sends to the BCS that the machine decodes.
 *
 * A caller sends one argument for each parameter but signers, which are the sender's and stand first. An object is sent
 * as its id, for `Object<T>` and references to it alike: it must exist and be of type T, and what the parameter allows
 * must be the sender's to do. For as long as the call's effects are being made, its handle is lent or taken out, so that
 * the same object cannot be reached a second time.
 *
 * Transactions may send bool, integers, addresses, strings, object ids, objects and vectors of these. Read-only calls
 * may send any value, by reference too; the reference takes no references to anything but objects, strings and structs
 * and no structs inside vectors there, which nothing depends on.
 *
 * Source: spec/execution.md 2.6; moveos/moveos/src/vm/tx_argument_resolver.rs of the reference.
 * @module
 */

import { equalBytes } from '../bytes/compare.ts';
import { ByteReader } from '../bytes/reader.ts';
import { ByteWriter } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';
import { ABILITY_KEY, ABILITY_STORE } from '../move/ability.ts';
import { type Address, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { displayStruct, displayType, equalStructs } from '../move/type-tag.ts';
import { formatObjectId, type ObjectId, objectId } from '../object/object-id.ts';
import { isDynamicField, isFrozen, isShared } from '../object/object-meta.ts';
import type { ObjectState } from '../object/object-state.ts';
import { refuse, ThrownFailure } from '../vm/failure.ts';
import type { CallArgument } from '../vm/machine.ts';
import { StatusCode } from '../vm/status.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { ObjectFailure } from './object-failure.ts';
import type { ObjectRuntime } from './object-runtime.ts';
import type { TypeFinder } from './runtime-object.ts';

/** What the arguments of one call depend on. */
export interface ArgumentSetting {
  readonly objects: ObjectRuntime;
  readonly types: TypeFinder;
  readonly sender: Address;
  readonly isReadOnly: boolean;
}

/** Arguments for the machine, and the handles that are lent for them. */
export interface ResolvedArguments {
  readonly values: readonly CallArgument[];
  readonly lent: readonly StructValue[];
}

/**
 * Resolves `given`, one BCS for each parameter that is no signer.
 * @throws {ThrownFailure} NUMBER_OF_ARGUMENTS_MISMATCH, FAILED_TO_DESERIALIZE_ARGUMENT, TYPE_MISMATCH, NO_ACCOUNT_ROLE;
 * ABORTED by `0x2::object` for a handle that is not there.
 */
export function resolveArguments(
  parameters: readonly Type[],
  given: readonly Uint8Array[],
  setting: ArgumentSetting,
): ResolvedArguments {
  const signers = parameters.filter(isSigner).map(() => setting.sender);
  const all = [...signers, ...given];
  const resolver = new ArgumentResolver(setting);
  const values = all.slice(0, parameters.length).map((bytes, index) => {
    try {
      return { bytes: resolver.resolve(parameters[index]!, bytes) };
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'malformed-bytes') throw error;
      throw refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `argument ${index}: ${error.message}`);
    }
  });
  if (all.length !== parameters.length) {
    const message = `expected ${parameters.length - signers.length} arguments, got ${given.length}`;
    throw refuse(StatusCode.NUMBER_OF_ARGUMENTS_MISMATCH, message);
  }
  return { values, lent: resolver.lent };
}

export function isSigner(type: Type): boolean {
  return type.kind === 'signer' || (type.kind === 'reference' && type.item.kind === 'signer');
}

/** Whether the struct `type` is `owner::module::name`, whatever its type arguments. */
function isStruct(type: Type, owner: Address, module: string, name: string): boolean {
  const { struct } = type;
  return struct.name === name && struct.module === module && equalBytes(struct.address, owner);
}

export function isObjectHandle(type: Type): boolean {
  return type.kind === 'struct' && isStruct(type, MOVEOS_STD_ADDRESS, 'object', 'Object');
}

export function isObjectId(type: Type): boolean {
  return type.kind === 'struct' && isStruct(type, MOVEOS_STD_ADDRESS, 'object', 'ObjectID');
}

export function isString(type: Type): boolean {
  return (
    type.kind === 'struct' &&
    (isStruct(type, MOVE_STD_ADDRESS, 'string', 'String') || isStruct(type, MOVE_STD_ADDRESS, 'ascii', 'String'))
  );
}

class ArgumentResolver {
  readonly lent: StructValue[] = [];
  readonly #setting: ArgumentSetting;

  constructor(setting: ArgumentSetting) {
    this.#setting = setting;
  }

  /** What the machine decodes for the parameter. Bytes after a vector, string or object are dropped. */
  resolve(type: Type, bytes: Uint8Array): Uint8Array {
    if (isSigner(type)) return this.#setting.sender;
    const target = type.isReference ? type.item : type;
    if (!target.isContainer) {
      if (type.isReference && !this.#setting.isReadOnly) throw unsupported(type);
      return bytes;
    }
    // Decoded by the machine, to the last byte.
    if (target.kind === 'struct' && this.#setting.isReadOnly && !isPlain(target)) return bytes;
    const writer = new ByteWriter();
    this.#container(type, new ByteReader(bytes), writer);
    return writer.finish();
  }

  /** Copies one value of a struct or vector type, or of a reference to one, from `reader` to `writer`. */
  #container(type: Type, reader: ByteReader, writer: ByteWriter): void {
    const target = type.isReference ? type.item : type;
    if (target.kind === 'vector') {
      if (type.isReference && !this.#setting.isReadOnly) throw unsupported(type);
      this.#vector(target.item, reader, writer);
    } else if (isObjectHandle(target)) {
      const id = objectId.read(reader);
      this.#object(type, target, id);
      objectId.write(writer, id);
    } else if (isString(target)) {
      const length = reader.uleb128();
      writer.uleb128(length);
      writer.bytes(reader.view(length));
    } else if (isObjectId(target)) {
      objectId.write(writer, objectId.read(reader));
    } else if (this.#setting.isReadOnly) {
      copyValue(target, reader, writer);
    } else {
      throw refuse(StatusCode.TYPE_MISMATCH, `a transaction cannot send a ${displayType(target.tag)}`);
    }
  }

  #vector(item: Type, reader: ByteReader, writer: ByteWriter): void {
    const length = reader.uleb128();
    writer.uleb128(length);
    if (!item.isContainer) {
      for (let index = 0; index < length; index++) copyValue(item, reader, writer);
      return;
    }
    for (let index = 0; index < length; index++) this.#container(item, reader, writer);
  }

  /** Checks an object as the state has it, then has the session lend its handle or take it out. */
  #object(type: Type, handleType: Type, id: ObjectId): void {
    const { objects, sender } = this.#setting;
    const object = objects.state.object(id);
    if (object === undefined) {
      throw refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `the object ${formatObjectId(id)} does not exist`);
    }
    requireObjectType(object, handleType);
    if (type.kind === 'mutableReference') requireMutable(object, sender);
    if (type.kind === 'struct') requireTakeable(object, handleType, sender);
    try {
      this.#lend(type, handleType, id);
    } catch (error) {
      if (!(error instanceof ObjectFailure)) throw error;
      throw new ThrownFailure(objectFailure(error));
    }
  }

  #lend(type: Type, handleType: Type, id: ObjectId): void {
    const object = this.#setting.objects.load(id, this.#setting.types);
    if (type.isReference) {
      const handle = object.borrowHandle(handleType);
      handle.references++;
      this.lent.push(handle);
    } else {
      object.takeHandle(handleType);
    }
  }
}

/** Whether the resolver itself knows the struct, in transactions too. */
function isPlain(type: Type): boolean {
  return isObjectHandle(type) || isString(type) || isObjectId(type);
}

function unsupported(type: Type): ThrownFailure {
  return refuse(
    StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT,
    `a transaction cannot send a reference to a ${displayType(type.item.tag)}`,
  );
}

/** @throws {EngineError} `malformed-bytes` */
function copyValue(type: Type, reader: ByteReader, writer: ByteWriter): void {
  const start = reader.offset;
  type.operations.read(reader, null);
  writer.bytes(reader.bytes.subarray(start, reader.offset));
}

function requireObjectType({ meta }: ObjectState, handleType: Type): void {
  const [wanted] = handleType.struct.typeArguments;
  if (wanted === undefined || wanted.kind !== 'struct' || !equalStructs(meta.objectType, wanted.structTag)) {
    const message = `expected ${displayType(handleType.tag)}, got an object of type ${displayStruct(meta.objectType)}`;
    throw refuse(StatusCode.TYPE_MISMATCH, message);
  }
  if (isDynamicField(meta)) throw refuse(StatusCode.TYPE_MISMATCH, 'a field cannot be an argument');
}

function requireMutable({ meta }: ObjectState, sender: Address): void {
  if (!isFrozen(meta) && (isShared(meta) || equalBytes(meta.owner, sender))) return;
  const message = `the object ${formatObjectId(meta.id)} is frozen, or neither shared nor the sender's`;
  throw refuse(StatusCode.NO_ACCOUNT_ROLE, message);
}

/** The reference looks at the abilities of T only where T has no type arguments. */
function requireTakeable({ meta }: ObjectState, handleType: Type, sender: Address): void {
  const [wanted] = handleType.struct.typeArguments;
  const needed = ABILITY_KEY | ABILITY_STORE;
  if (wanted!.struct.typeArguments.length === 0 && (wanted!.abilities & needed) !== needed) {
    throw refuse(StatusCode.TYPE_MISMATCH, `${displayType(wanted!.tag)} has not both key and store`);
  }
  if (!isFrozen(meta) && equalBytes(meta.owner, sender)) return;
  throw refuse(StatusCode.NO_ACCOUNT_ROLE, `the object ${formatObjectId(meta.id)} is frozen or not the sender's`);
}

/** A failure of the object runtime outside of any native, at the module of objects. */
function objectFailure(error: ObjectFailure): ThrownFailure['failure'] {
  const { status, message } = error;
  return {
    status,
    subStatus: status === StatusCode.ABORTED ? BigInt(error.abortCode) : undefined,
    location: { module: { address: MOVEOS_STD_ADDRESS, name: 'object' }, functionIndex: 0, codeOffset: 0 },
    message,
  };
}
