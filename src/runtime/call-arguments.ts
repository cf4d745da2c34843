/**
 * Arguments of calls from outside: from the bytes that a caller sends to the BCS that the machine decodes.
 *
 * A caller sends one argument for each parameter except signers, which come first and are the sender. An object is sent
 * as its id, both for `Object<T>` and for references to it: it must exist and be of type T, and the sender must be
 * allowed to do with it what the parameter permits. While the call runs, its handle is lent or taken out, so the same
 * object cannot be passed twice.
 *
 * Transactions may send bool, integers, addresses, strings, object ids, objects and vectors of these. Read-only calls
 * may send any value, also by reference. There, the reference accepts references only to objects, strings and structs,
 * and no structs inside vectors; nothing depends on that.
 *
 * Source: moveos/moveos/src/vm/tx_argument_resolver.rs of the reference.
 * @module
 */

import { equalBytes } from '../bytes/compare.ts';
import { ByteReader } from '../bytes/reader.ts';
import { ByteWriter } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';
import { ABILITY_KEY, ABILITY_STORE } from '../move/ability.ts';
import { type Address, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { displayStruct, displayType, equalStructs, type TypeTag } from '../move/type-tag.ts';
import { formatObjectId, type ObjectId, objectId } from '../object/object-id.ts';
import { isDynamicField, isFrozen, isShared } from '../object/object-meta.ts';
import type { ObjectState } from '../object/object-state.ts';
import type { CallArgument } from '../vm/call.ts';
import { refuse, ThrownFailure } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';
import { Cell } from '../vm/value/reference.ts';
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
  /** Whether the given arguments include signers, as their addresses. */
  readonly givesSigners?: boolean | undefined;
}

/** Arguments for the machine, and the handles that are lent for them. */
export interface ResolvedArguments {
  readonly values: readonly CallArgument[];
  readonly lent: readonly StructValue[];
}

/**
 * Resolves `given`, one BCS value for each parameter that is not a signer.
 * @throws {ThrownFailure} NUMBER_OF_ARGUMENTS_MISMATCH, FAILED_TO_DESERIALIZE_ARGUMENT, TYPE_MISMATCH, NO_ACCOUNT_ROLE,
 * INVALID_PARAM_TYPE_FOR_DESERIALIZATION; ABORTED by `0x2::object` for a handle that is not available. Messages name
 * the argument by its position among `given`, and its Move type.
 */
export function resolveArguments(
  parameters: readonly Type[],
  given: readonly Uint8Array[],
  setting: ArgumentSetting,
): ResolvedArguments {
  const resolver = new ArgumentResolver(setting, true);
  const { resolved, name } = resolveAll(parameters, given, setting, resolver);
  const values = resolved.map((bytes, index) => ({
    value: decodeArgument(parameters[index]!, bytes, () => name(index)),
  }));
  return { values, lent: resolver.lent };
}

/**
 * Checks arguments before their transaction is ordered: everything that `resolveArguments` requires, except that values
 * decode and that no object is passed twice. No handle is lent.
 * @throws {ThrownFailure} as `resolveArguments` does
 */
export function checkArguments(
  parameters: readonly Type[],
  given: readonly Uint8Array[],
  setting: ArgumentSetting,
): void {
  resolveAll(parameters, given, setting, new ArgumentResolver(setting, false));
}

/** The BCS of each parameter's value, and its name in messages. */
function resolveAll(
  parameters: readonly Type[],
  given: readonly Uint8Array[],
  setting: ArgumentSetting,
  resolver: ArgumentResolver,
): { readonly resolved: readonly Uint8Array[]; readonly name: (index: number) => string } {
  const signers = setting.givesSigners === true ? [] : parameters.filter(isSigner).map(() => setting.sender);
  const all = [...signers, ...given];
  const name = (index: number): string => `argument ${index - signers.length} (${typeText(parameters[index]!)})`;
  const resolved = all
    .slice(0, parameters.length)
    .map((bytes, index) => resolver.resolve(parameters[index]!, bytes, () => name(index)));
  if (all.length !== parameters.length) {
    const sent = parameters.filter((type) => !isSigner(type)).map(typeText);
    const message = `expected ${sent.length} arguments (${sent.join(', ')}), got ${given.length}`;
    throw refuse(StatusCode.NUMBER_OF_ARGUMENTS_MISMATCH, message);
  }
  return { resolved, name };
}

/**
 * What encoding an argument needs to know of its type: types of loaded modules provide it, and so do those named in an
 * ABI.
 */
export interface ArgumentType {
  readonly kind: Type['kind'];
  readonly isReference: boolean;
  readonly tag: TypeTag;
  /** Element type of a vector, target of a reference. */
  readonly item: ArgumentType;
  readonly struct: {
    readonly address: Address;
    readonly module: string;
    readonly name: string;
    readonly typeArguments: readonly ArgumentType[];
    readonly fieldNames: readonly string[];
  };
  /** Field types of a struct, in declaration order. */
  readonly fields: readonly ArgumentType[];
}

/** The type as Move writes it. */
export function typeText(type: ArgumentType): string {
  if (!type.isReference) return displayType(type.tag);
  return `${type.kind === 'reference' ? '&' : '&mut '}${displayType(type.item.tag)}`;
}

/** The name of an argument in messages: built only when needed, since that takes longer than resolving the argument. */
type ArgumentName = () => string;

/** The kind of a parameter: a value, or a reference to one. */
function decodeArgument(type: Type, bytes: Uint8Array, name: ArgumentName): unknown {
  const target = type.isReference ? type.item : type;
  if (target.layoutFault !== 0) {
    throw refuse(StatusCode.INVALID_PARAM_TYPE_FOR_DESERIALIZATION, `${name()}: the type has no layout`);
  }
  const value = target.decode(bytes);
  if (value === undefined) throw malformed(name, `${bytes.length} bytes that are not the BCS of one such value`);
  return type.isReference && !target.isContainer ? new Cell(value) : value;
}

function malformed(name: ArgumentName, got: string): ThrownFailure {
  return refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `${name()}: got ${got}`);
}

export function isSigner(type: ArgumentType): boolean {
  return type.kind === 'signer' || (type.kind === 'reference' && type.item.kind === 'signer');
}

/** Whether the struct `type` is `owner::module::name`, whatever its type arguments. */
export function isStruct(type: ArgumentType, owner: Address, module: string, name: string): boolean {
  const { struct } = type;
  return struct.name === name && struct.module === module && equalBytes(struct.address, owner);
}

export function isObjectHandle(type: ArgumentType): boolean {
  return type.kind === 'struct' && isStruct(type, MOVEOS_STD_ADDRESS, 'object', 'Object');
}

export function isObjectId(type: ArgumentType): boolean {
  return type.kind === 'struct' && isStruct(type, MOVEOS_STD_ADDRESS, 'object', 'ObjectID');
}

export function isString(type: ArgumentType): boolean {
  return (
    type.kind === 'struct' &&
    (isStruct(type, MOVE_STD_ADDRESS, 'string', 'String') || isStruct(type, MOVE_STD_ADDRESS, 'ascii', 'String'))
  );
}

class ArgumentResolver {
  readonly lent: StructValue[] = [];
  readonly #setting: ArgumentSetting;
  readonly #lends: boolean;
  /** The current argument, for messages. */
  #name: ArgumentName = () => '';

  /** `lends`: whether handles of objects are lent and taken out. */
  constructor(setting: ArgumentSetting, lends: boolean) {
    this.#setting = setting;
    this.#lends = lends;
  }

  /** The BCS of the parameter's value. Bytes after a vector, string or object are dropped. */
  resolve(type: Type, bytes: Uint8Array, name: ArgumentName): Uint8Array {
    if (isSigner(type)) return this.#setting.givesSigners === true ? bytes : this.#setting.sender;
    this.#name = name;
    const target = type.isReference ? type.item : type;
    if (!target.isContainer) {
      if (type.isReference && !this.#setting.isReadOnly) throw this.#unsupported();
      return bytes;
    }
    // Decoded strictly, to the last byte.
    if (target.kind === 'struct' && this.#setting.isReadOnly && !isPlain(target)) return bytes;
    const writer = new ByteWriter();
    try {
      this.#container(type, new ByteReader(bytes), writer);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'malformed-bytes') throw error;
      throw malformed(name, `${bytes.length} bytes: ${error.message}`);
    }
    return writer.finish();
  }

  /** Copies one value of a struct or vector type, or of a reference to one, from `reader` to `writer`. */
  #container(type: Type, reader: ByteReader, writer: ByteWriter): void {
    const target = type.isReference ? type.item : type;
    if (target.kind === 'vector') {
      if (type.isReference && !this.#setting.isReadOnly) throw this.#unsupported();
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
      throw this.#refuse(StatusCode.TYPE_MISMATCH, `a transaction cannot send a ${displayType(target.tag)}`);
    }
  }

  #vector(item: Type, reader: ByteReader, writer: ByteWriter): void {
    const length = reader.uleb128();
    writer.uleb128(length);
    if (item.kind === 'u8') {
      writer.bytes(reader.view(length));
      return;
    }
    if (!item.isContainer) {
      for (let index = 0; index < length; index++) copyValue(item, reader, writer);
      return;
    }
    for (let index = 0; index < length; index++) this.#container(item, reader, writer);
  }

  /** Checks an object as the state has it, then has the session lend its handle or take it out. */
  #object(type: Type, handleType: Type, id: ObjectId): void {
    const object = this.#setting.objects.state.object(id);
    if (object === undefined) {
      throw this.#refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `the object ${formatObjectId(id)} does not exist`);
    }
    this.#requireType(object, handleType);
    if (type.kind === 'mutableReference') this.#requireMutable(object);
    if (type.kind === 'struct') this.#requireTakeable(object, handleType);
    if (!this.#lends) return;
    try {
      this.#lend(type, handleType, id);
    } catch (error) {
      if (!(error instanceof ObjectFailure)) throw error;
      throw objectFailure(error, this.#name());
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

  #requireType({ meta }: ObjectState, handleType: Type): void {
    const [wanted] = handleType.struct.typeArguments;
    if (wanted?.kind !== 'struct' || !equalStructs(meta.objectType, wanted.structTag)) {
      const message = `the object ${formatObjectId(meta.id)} is of type ${displayStruct(meta.objectType)}`;
      throw this.#refuse(StatusCode.TYPE_MISMATCH, message);
    }
    if (isDynamicField(meta)) throw this.#refuse(StatusCode.TYPE_MISMATCH, 'a field cannot be an argument');
  }

  #requireMutable({ meta }: ObjectState): void {
    if (!isFrozen(meta) && (isShared(meta) || equalBytes(meta.owner, this.#setting.sender))) return;
    const message = `the object ${formatObjectId(meta.id)} is frozen, or neither shared nor the sender's`;
    throw this.#refuse(StatusCode.NO_ACCOUNT_ROLE, message);
  }

  /** The reference checks the abilities of T only if T has no type arguments. */
  #requireTakeable({ meta }: ObjectState, handleType: Type): void {
    const wanted = handleType.struct.typeArguments[0]!;
    const needed = ABILITY_KEY | ABILITY_STORE;
    if (wanted.struct.typeArguments.length === 0 && (wanted.abilities & needed) !== needed) {
      throw this.#refuse(StatusCode.TYPE_MISMATCH, `${displayType(wanted.tag)} has not both key and store`);
    }
    if (!isFrozen(meta) && equalBytes(meta.owner, this.#setting.sender)) return;
    const message = `the object ${formatObjectId(meta.id)} is frozen or not the sender's`;
    throw this.#refuse(StatusCode.NO_ACCOUNT_ROLE, message);
  }

  #unsupported(): ThrownFailure {
    return this.#refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, 'a transaction cannot send such a reference');
  }

  #refuse(status: StatusCode, message: string): ThrownFailure {
    return refuse(status, `${this.#name()}: ${message}`);
  }
}

/** Whether the resolver handles this struct itself, in transactions too. */
function isPlain(type: Type): boolean {
  return isObjectHandle(type) || isString(type) || isObjectId(type);
}

/** @throws {EngineError} `malformed-bytes` */
function copyValue(type: Type, reader: ByteReader, writer: ByteWriter): void {
  const start = reader.offset;
  type.operations.read(reader, null);
  writer.bytes(reader.bytes.subarray(start, reader.offset));
}

/** A failure of the object runtime outside of a native function, attributed to the module `object`. */
function objectFailure(error: ObjectFailure, name: string): ThrownFailure {
  const { status } = error;
  return new ThrownFailure({
    status,
    subStatus: status === StatusCode.ABORTED ? BigInt(error.abortCode) : undefined,
    location: { module: { address: MOVEOS_STD_ADDRESS, name: 'object' }, functionIndex: 0, codeOffset: 0 },
    message: `${name}: ${error.message}`,
  });
}
