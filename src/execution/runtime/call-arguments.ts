/**
 * Arguments of calls from outside: from the bytes that a caller sends to the BCS that the machine decodes.
 *
 * A caller sends one argument for each parameter except signers, which come first and are the sender. An object is sent
 * as its id, both for `Object<T>` and for references to it: it must exist and be of type T, and the sender must have
 * the rights over it that the parameter implies. While the call runs, its handle is borrowed or taken out, so the same
 * object cannot be passed twice.
 *
 * Transactions may send bool, integers, addresses, strings, object ids, objects and vectors of these. Read-only calls
 * may send any value, also by reference. There, the reference accepts references only to objects, strings and structs,
 * and no structs inside vectors; nothing depends on that.
 *
 * Source: moveos/moveos/src/vm/tx_argument_resolver.rs of the reference.
 * @module
 */

import { equalBytes } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { formatObjectId, type ObjectId, objectId } from '../../chain/object/object-id.ts';
import { isDynamicField, isFrozen, isShared, type ObjectState } from '../../chain/object/object-state.ts';
import { ABILITY_KEY, ABILITY_STORE } from '../../move/ability.ts';
import { type Address, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { displayStruct, displayType, equalStructs, type TypeTag } from '../../move/type-tag.ts';
import type { CallArgument } from '../../vm/call.ts';
import { refuse, ThrownFailure } from '../../vm/failure.ts';
import { StatusCode } from '../../vm/status.ts';
import { Cell } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ObjectFailure } from './object-failure.ts';
import type { ObjectRuntime } from './object-runtime.ts';
import type { TypeFinder } from './runtime-object.ts';

/** The context of a call's arguments. */
export interface ArgumentSetting {
  readonly objects: ObjectRuntime;
  readonly types: TypeFinder;
  readonly sender: Address;
  readonly isReadOnly: boolean;
  /** Whether the given arguments include signers, as their addresses. */
  readonly givesSigners?: boolean | undefined;
}

/** Arguments for the machine, and the handles that are borrowed for them. */
interface ResolvedArguments {
  readonly values: readonly CallArgument[];
  readonly borrowed: readonly StructInstance[];
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
  if (parameters.length === 0 && given.length === 0) return NOTHING_GIVEN;
  const resolver = new ArgumentResolver(parameters, setting, true);
  const values: CallArgument[] = [];
  for (const [index, bytes] of resolver.resolveAll(given).entries())
    values.push({ value: resolver.decode(index, bytes) });
  return { values, borrowed: resolver.borrowed };
}

const NOTHING_GIVEN: ResolvedArguments = { values: [], borrowed: [] };

/**
 * Checks arguments before their transaction is ordered: everything that `resolveArguments` requires, except that values
 * decode and that no object is passed twice. No handle is borrowed.
 * @throws {ThrownFailure} as `resolveArguments` does
 */
export function checkArguments(
  parameters: readonly Type[],
  given: readonly Uint8Array[],
  setting: ArgumentSetting,
): void {
  new ArgumentResolver(parameters, setting, false).resolveAll(given);
}

/**
 * The properties of a type that encoding an argument needs, provided by types of loaded modules and by those named in
 * an ABI.
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
export function argumentTypeText(type: ArgumentType): string {
  if (!type.isReference) return displayType(type.tag);
  return `${type.kind === 'reference' ? '&' : '&mut '}${displayType(type.item.tag)}`;
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
  readonly borrowed: StructInstance[] = [];
  readonly #parameters: readonly Type[];
  readonly #setting: ArgumentSetting;
  readonly #borrows: boolean;
  /** Number of signers before the given arguments. */
  readonly #signers: number;
  /** The current parameter, for messages. */
  #index = 0;

  /** `borrows`: whether handles of objects are borrowed and taken out. */
  constructor(parameters: readonly Type[], setting: ArgumentSetting, borrows: boolean) {
    this.#parameters = parameters;
    this.#setting = setting;
    this.#borrows = borrows;
    this.#signers = setting.givesSigners === true ? 0 : countSigners(parameters);
  }

  /** The BCS of each parameter's value. */
  resolveAll(given: readonly Uint8Array[]): readonly Uint8Array[] {
    const parameters = this.#parameters;
    const signers = this.#signers;
    const count = signers + given.length;
    const resolved: Uint8Array[] = [];
    for (let index = 0; index < count && index < parameters.length; index++) {
      const bytes = index < signers ? this.#setting.sender : given[index - signers]!;
      resolved.push(this.#resolve(index, bytes));
    }
    if (count === parameters.length) return resolved;
    const sent = parameters.filter((type) => !isSigner(type)).map(argumentTypeText);
    const message = `expected ${sent.length} ${sent.length === 1 ? 'argument' : 'arguments'} (${sent.join(', ')}), got ${given.length}`;
    throw refuse(StatusCode.NUMBER_OF_ARGUMENTS_MISMATCH, message);
  }

  /** The form of a parameter: a value, or a reference to one. */
  decode(index: number, bytes: Uint8Array): unknown {
    this.#index = index;
    const type = this.#parameters[index]!;
    const target = type.isReference ? type.item : type;
    if (target.layoutFault !== 0) {
      throw this.#refuse(StatusCode.INVALID_PARAM_TYPE_FOR_DESERIALIZATION, 'the type has no layout');
    }
    const value = target.decode(bytes);
    const got = bytes.length === 1 ? '1 byte that is' : `${bytes.length} bytes that are`;
    if (value === undefined) throw this.#malformed(`${got} not the BCS of one such value`);
    return type.isReference && !target.isContainer ? new Cell(value) : value;
  }

  /** The BCS of a parameter's value. Bytes after a vector, string or object are dropped. */
  #resolve(index: number, bytes: Uint8Array): Uint8Array {
    const type = this.#parameters[index]!;
    if (isSigner(type)) return this.#setting.givesSigners === true ? bytes : this.#setting.sender;
    this.#index = index;
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
      throw this.#malformed(`${bytes.length} bytes: ${error.message}`);
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

  /** Checks an object of the state, then borrows its handle or takes it out. */
  #object(type: Type, handleType: Type, id: ObjectId): void {
    const object = this.#setting.objects.state.object(id);
    if (object === undefined) {
      throw this.#refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `the object ${formatObjectId(id)} does not exist`);
    }
    this.#requireType(object, handleType);
    if (type.kind === 'mutableReference') this.#requireMutable(object);
    if (type.kind === 'struct') this.#requireTakeable(object, handleType);
    if (!this.#borrows) return;
    try {
      this.#borrow(type, handleType, id);
    } catch (error) {
      if (!(error instanceof ObjectFailure)) throw error;
      throw objectFailure(error, this.#name);
    }
  }

  #borrow(type: Type, handleType: Type, id: ObjectId): void {
    const object = this.#setting.objects.load(id, this.#setting.types);
    if (type.isReference) {
      const handle = object.borrowHandle(handleType);
      handle.references++;
      this.borrowed.push(handle);
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
    const reason = isFrozen(meta) ? 'is frozen' : "is neither shared nor the sender's";
    const message = `the object ${formatObjectId(meta.id)} ${reason}`;
    throw this.#refuse(StatusCode.NO_ACCOUNT_ROLE, message);
  }

  /** The reference checks the abilities of T only if T has no type arguments. */
  #requireTakeable({ meta }: ObjectState, handleType: Type): void {
    const wanted = handleType.struct.typeArguments[0]!;
    const needed = ABILITY_KEY | ABILITY_STORE;
    if (wanted.struct.typeArguments.length === 0 && (wanted.abilities & needed) !== needed) {
      throw this.#refuse(StatusCode.TYPE_MISMATCH, `${displayType(wanted.tag)} lacks key or store`);
    }
    if (!isFrozen(meta) && equalBytes(meta.owner, this.#setting.sender)) return;
    const message = `the object ${formatObjectId(meta.id)} is ${isFrozen(meta) ? 'frozen' : "not the sender's"}`;
    throw this.#refuse(StatusCode.NO_ACCOUNT_ROLE, message);
  }

  #unsupported(): ThrownFailure {
    return this.#refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, 'a transaction cannot send such a reference');
  }

  #refuse(status: StatusCode, message: string): ThrownFailure {
    return refuse(status, `${this.#name}: ${message}`);
  }

  #malformed(got: string): ThrownFailure {
    return this.#refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `got ${got}`);
  }

  /** The current argument in messages. */
  get #name(): string {
    const type = argumentTypeText(this.#parameters[this.#index]!);
    const position = this.#index - this.#signers;
    if (position >= 0) return `argument ${position} (${type})`;
    return `parameter ${this.#index} (${type}), which receives the sender's address because a signer comes after it`;
  }
}

/** Signers come first, wherever they are among the parameters. */
function countSigners(parameters: readonly Type[]): number {
  let count = 0;
  for (const type of parameters) if (isSigner(type)) count++;
  return count;
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
  const message = `${name}: ${error.message}`;
  return new ThrownFailure({
    status,
    subStatus: status === StatusCode.ABORTED ? BigInt(error.abortCode) : undefined,
    location: { module: { address: MOVEOS_STD_ADDRESS, name: 'object' }, functionIndex: 0, codeOffset: 0 },
    isBeforeCode: true,
    message,
    reason: message,
  });
}
