/**
 * Natives of `0x2::move_module` that make changed copies of modules: templates that are published under other names,
 * addresses and constants. The result is not verified here, but when it is published.
 * Source: the reference's `natives/moveos_stdlib/move_module.rs`.
 * @module
 */
import { type Codec, encode } from '../../base/bcs/codec.ts';
import { bytes, u8, u64, u256 } from '../../base/bcs/primitive.ts';
import { textOfBytes } from '../../base/bytes/byte-text.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError } from '../../base/error.ts';
import type { Address } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import type { Constant, Module } from '../../vm/binary/module.ts';
import { type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';
import { writeModule } from '../../vm/binary/write.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import { ArrayVector, ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import { isConstantType, isValueOf } from '../../vm/verify/constants.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { Natives } from './module-natives.ts';
import { panic } from './panic.ts';
import type { NativePrices } from './prices.ts';
import { readText } from './text.ts';

type Context = NativeContext<SessionHost>;

/** Bytes of a module that are read, searched or written per microsecond, measured on short functions. */
const MODULE_BYTES_PER_WORK = 4;

/** Two lists that must have the same length do not. */
const ERROR_LENGTH = 4;

/** Makes a copy of a module, given two lists of values that correspond by position. */
type Replace = (context: Context, module: Module, old: VectorValue, next: VectorValue) => Module;

export function templateNatives(prices: NativePrices): Natives {
  const native = (name: string, replace: Replace): Natives => {
    const cost = prices.linear(`move_module.${name}`);
    return {
      [name]: (
        context: Context,
        _signature: NativeSignature,
        codes: ArrayVector,
        old: VectorValue,
        next: VectorValue,
      ): ArrayVector => {
        const isPaired = old.length === next.length;
        const given = codes.items as ByteVector[];
        if (!isPaired) {
          context.charge(cost(0));
          return context.abort(ERROR_LENGTH);
        }
        const copies = given.map((code) => write(context, replace(context, read(context, code), old, next)));
        context.charge(cost(given.reduce((sum, code) => sum + code.length, 0)));
        return new ArrayVector(copies);
      },
    };
  };
  return {
    ...native('replace_address_identifiers', replaceAddresses),
    ...native('replace_identifiers', replaceIdentifiers),
    ...native('replace_addresses_constant', replaceAddressConstants),
    ...native(
      'replace_bytes_constant',
      replaceConstants(isBytes, bytes, (value) => (value as ByteVector).view()),
    ),
    ...native(
      'replace_u8_constant',
      replaceConstants(isOf(TokenTag.U8), u8, (value) => value as number),
    ),
    ...native(
      'replace_u64_constant',
      replaceConstants(isOf(TokenTag.U64), u64, (value) => value as bigint),
    ),
    ...native(
      'replace_u256_constant',
      replaceConstants(isOf(TokenTag.U256), u256, (value) => value as bigint),
    ),
  };
}

function read(context: Context, code: ByteVector): Module {
  // Read once, looked through and written again.
  context.host.work.spend(Math.ceil((3 * code.length) / MODULE_BYTES_PER_WORK));
  try {
    return context.host.modules.read(code.view());
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return panic(context, error.details['statusCode'] as StatusCode, error.message);
  }
}

function write(context: Context, module: Module): ByteVector {
  try {
    return new ByteVector(writeModule(module));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'invariant-violation') throw error;
    return context.fail(StatusCode.VALUE_SERIALIZATION_ERROR, error.message);
  }
}

/** If an old value occurs twice, the last one counts. */
function pairsOf<T>(
  old: VectorValue,
  next: VectorValue,
  read: (value: unknown) => T,
  key: (value: T) => string,
): Map<string, T> {
  const pairs = new Map<string, T>();
  for (let index = 0; index < old.length; index++) pairs.set(key(read(old.get(index))), read(next.get(index)));
  return pairs;
}

function addressPairs(old: VectorValue, next: VectorValue): Map<string, Address> {
  return pairsOf(old, next, (value) => value as Address, textOfBytes);
}

function replaceAddresses(_context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const pairs = addressPairs(old, next);
  return { ...module, addresses: module.addresses.map((own) => pairs.get(textOfBytes(own)) ?? own) };
}

function replaceIdentifiers(context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const readName = (value: unknown): string => {
    const text = readText(value as StructValue);
    if (text !== undefined && isIdentifier(text)) return text;
    return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, `expected an identifier, got ${text}`);
  };
  const pairs = pairsOf(old, next, readName, (name) => name);
  return { ...module, identifiers: module.identifiers.map((own) => pairs.get(own) ?? own) };
}

/** Addresses in constants, at any depth of vectors. */
function replaceAddressConstants(context: Context, module: Module, old: VectorValue, next: VectorValue): Module {
  const pairs = addressPairs(old, next);
  const change = ({ type, data }: Constant): Constant => {
    const copy = data.slice();
    for (const at of addressOffsets(type, new ByteReader(data))) {
      const other = pairs.get(textOfBytes(data.subarray(at, at + 32)));
      if (other !== undefined) copy.set(other, at);
    }
    return { type, data: copy };
  };
  return { ...module, constants: soundConstants(context, module).map(change) };
}

/** The offsets of addresses in a value of a type that constants may have. */
function* addressOffsets(type: SignatureToken, reader: ByteReader): Generator<number, void, undefined> {
  if (type.tag === TokenTag.Address) yield reader.skip(32);
  if (type.tag !== TokenTag.Vector) return;
  const [item] = type.arguments;
  if (!holdsAddresses(item!)) return;
  for (let left = reader.uleb128(); left > 0; left--) yield* addressOffsets(item!, reader);
}

function holdsAddresses(type: SignatureToken): boolean {
  return type.tag === TokenTag.Address || (type.tag === TokenTag.Vector && holdsAddresses(type.arguments[0]!));
}

/** Whole constants whose type `matches`. */
function replaceConstants<T>(
  matches: (constant: Constant) => boolean,
  codec: Codec<T>,
  readValue: (value: unknown) => T,
): Replace {
  return (context, module, old, next) => {
    const pairs = pairsOf(old, next, (value) => encode(codec, readValue(value)), textOfBytes);
    const change = (constant: Constant): Constant => {
      const other = matches(constant) ? pairs.get(textOfBytes(constant.data)) : undefined;
      return other === undefined ? constant : { type: constant.type, data: other };
    };
    return { ...module, constants: soundConstants(context, module).map(change) };
  };
}

function isOf(tag: TokenTag): (constant: Constant) => boolean {
  return ({ type }) => type.tag === tag;
}

/** `vector<u8>`, and empty vectors of any type, since the reference looks only at values. */
function isBytes({ type, data }: Constant): boolean {
  return type.tag === TokenTag.Vector && (type.arguments[0]!.tag === TokenTag.U8 || data.length === 1);
}

/** The constants of an unverified module, each of which must be a value of its type. */
function soundConstants(context: Context, module: Module): readonly Constant[] {
  if (module.constants.every(({ type, data }) => isConstantType(type) && isValueOf(type, data)))
    return module.constants;
  return context.fail(StatusCode.VALUE_DESERIALIZATION_ERROR, 'a constant is no value of its type');
}
