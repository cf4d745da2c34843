/**
 * BCS of values for parameters: small ones, those at edges, samples, what earlier calls returned or were given.
 * @module
 */
import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { isObjectHandle, isObjectId, isString, isStruct } from '../../../src/execution/runtime/call-arguments.ts';
import { ABILITY_COPY } from '../../../src/move/ability.ts';
import { addressOf, MOVE_STD_ADDRESS, parseAddressHex } from '../../../src/move/address.ts';
import { type Address, type ObjectId, objectId, type TypeTag } from '../../../src/query/transaction-builder.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import type { RandomNumber } from '../../effort.ts';
import { ADDRESSES, BYTES, TEXTS } from './samples.ts';

/** What there is on the chain and from earlier calls. */
interface Surroundings {
  objectsOf(tag: TypeTag): readonly ObjectId[];
  allObjects(): readonly ObjectId[];
  /** BCS of values of a type that calls returned. */
  keptOf(tag: TypeTag): readonly Uint8Array[];
  /** BCS of all values that calls returned. */
  allKept(): readonly Uint8Array[];
}

const WIDTHS: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32 };
const LOW_BYTES = [0, 1, 2, 3, 4, 8, 32, 33, 64, 100, 200, 255];
const OWNERS_MAX = 24;
/** Those that exist from the beginning. */
const FIRST_OWNERS = 8;
/** What was written recently is written again, so that added keys are asked for. */
const RECENT_MAX = 6;

export class RandomValue {
  /** Byte strings of the module that is called. */
  constants: readonly Uint8Array[] = [];
  sender: Address = addressOf(1);
  /** Objects that the called function knows what to do with. */
  fittingObjects: readonly ObjectId[] = [];
  readonly #random: RandomNumber;
  readonly #surroundings: Surroundings;
  readonly #owners: Address[] = [
    ...DEV_ACCOUNTS.slice(0, 2).map(({ address }) => parseAddressHex(address)),
    ...[0, 1, 2, 3, 4, 0x5e].map((number) => addressOf(number)),
  ];
  readonly #texts: Uint8Array[] = TEXTS.map((text) => new TextEncoder().encode(text));
  readonly #recentTexts: Uint8Array[] = [];
  readonly #recentBytes: Uint8Array[] = [];

  constructor(random: RandomNumber, surroundings: Surroundings) {
    this.#random = random;
    this.#surroundings = surroundings;
  }

  /** The BCS of some value. */
  bytes(type: Type): Uint8Array {
    const writer = new ByteWriter();
    if (type.kind === 'signer') writer.bytes(this.#random(3) === 0 ? this.owner() : this.sender);
    else this.#write(type, writer, 0);
    return writer.finish();
  }

  /** An account. */
  owner(): Address {
    return this.#owners[this.#random(this.#random(2) === 0 ? FIRST_OWNERS : this.#owners.length)]!;
  }

  /** Says that an account owns something. */
  noteOwner(owner: Address): void {
    if (this.#owners.some((known) => equalBytes(known, owner))) return;
    if (this.#owners.length >= OWNERS_MAX)
      this.#owners.splice(FIRST_OWNERS + this.#random(OWNERS_MAX - FIRST_OWNERS), 1);
    this.#owners.push(owner);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)]!;
  }

  #write(type: Type, writer: ByteWriter, depth: number): void {
    if (type.kind === 'bool') writer.u8(this.#random(2));
    else if (type.kind === 'address' || type.kind === 'signer') {
      writer.bytes(this.#random(3) === 0 ? this.#pick(ADDRESSES) : this.owner());
    } else if (type.kind === 'vector') this.#writeVector(type.item, writer, depth);
    else if (type.kind !== 'struct') this.#writeInteger(WIDTHS[type.kind]!, writer);
    else if (isString(type)) this.#writeText(isStruct(type, MOVE_STD_ADDRESS, 'ascii', 'String'), writer);
    else if (isObjectId(type)) objectId.write(writer, this.#someObject());
    else if (isObjectHandle(type)) {
      const known = this.#surroundings.objectsOf(type.struct.typeArguments[0]!.tag);
      objectId.write(writer, known.length > 0 ? this.#pick(known) : this.#someObject());
    } else if (isStruct(type, MOVE_STD_ADDRESS, 'option', 'Option')) {
      const length = this.#random(2);
      writer.uleb128(length);
      if (length === 1) this.#writeInner(type.fields[0]!.item, writer, depth + 1);
    } else for (const field of type.fields) this.#writeInner(field, writer, depth + 1);
  }

  #writeInner(type: Type, writer: ByteWriter, depth: number): void {
    const known = (type.abilities & ABILITY_COPY) === 0 ? [] : this.#surroundings.keptOf(type.tag);
    if (known.length > 0 && this.#random(2) === 0) writer.bytes(this.#pick(known));
    else this.#write(type, writer, depth);
  }

  #writeVector(item: Type, writer: ByteWriter, depth: number): void {
    if (item.kind === 'u8' && this.#random(8) !== 0) {
      this.#writeBytes(this.#someBytes(), writer);
      return;
    }
    const length = this.#random(depth > 3 ? 2 : 4);
    writer.uleb128(length);
    for (let index = 0; index < length; index++) this.#writeInner(item, writer, depth + 1);
  }

  #someBytes(): Uint8Array {
    const kind = this.#random(6);
    if (kind === 0) return Uint8Array.from({ length: 1 + this.#random(4) }, () => this.#random(5));
    const encoded = kind === 1 ? this.#surroundings.allKept() : [];
    return encoded.length > 0 ? this.#pick(encoded) : this.#one(BYTES, this.#recentBytes);
  }

  #writeInteger(width: number, writer: ByteWriter): void {
    const kind = this.#random(12);
    const low = this.#random(2) === 0 ? this.#random(4) : this.#pick(LOW_BYTES);
    const bytes = new Uint8Array(width).fill(kind === 0 ? 0xff : 0);
    bytes[0] = low;
    if (kind === 1) bytes[this.#random(width)] = this.#random(256);
    writer.bytes(bytes);
  }

  #writeText(isAscii: boolean, writer: ByteWriter): void {
    const bytes = this.#one(this.#texts, this.#recentTexts);
    this.#writeBytes(isText(bytes, isAscii) ? bytes : this.#texts[1]!, writer);
  }

  /** Of the samples, of the module's constants, or of what was taken recently. */
  #one(samples: readonly Uint8Array[], recent: Uint8Array[]): Uint8Array {
    const kind = this.#random(6);
    if (kind < 2 && this.constants.length > 0) return this.#pick(this.constants);
    if (kind < 4 && recent.length > 0) return this.#pick(recent);
    const taken = this.#pick(samples);
    recent.push(taken);
    if (recent.length > RECENT_MAX) recent.shift();
    return taken;
  }

  #writeBytes(bytes: Uint8Array, writer: ByteWriter): void {
    writer.uleb128(bytes.length);
    writer.bytes(bytes);
  }

  #someObject(): ObjectId {
    if (this.fittingObjects.length > 0 && this.#random(3) > 0) return this.#pick(this.fittingObjects);
    return this.#random(6) === 0 ? [this.owner()] : this.#pick(this.#surroundings.allObjects());
  }
}

function isText(bytes: Uint8Array, isAscii: boolean): boolean {
  if (isAscii) return bytes.every((byte) => byte < 0x80);
  return Buffer.from(Buffer.from(bytes).toString()).equals(bytes);
}
