/**
 * The work of natives whose gas does not bound their time grows with what they are given, at their worst inputs
 * (worst-inputs.ts). At 6c57e4c the gas of one view bought 50 h of `cbor::to_cbor`, 37 h of `rlp::to_bytes`, 19 min of
 * `string::index_of`, 276 s of `base58::encoding`, 46 s of `base58::decoding`, 31 s of `json::to_json`.
 */
import { describe, expect, it } from 'vitest';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import { ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { DirectCalls, type NativeInput, NativeTypes, nativesAt } from './direct-call.ts';
import { SHAPES, worstInputs } from './worst-inputs.ts';

const NATIVES = nativesAt(new Map(GENESIS_GAS_ENTRIES));
const types = new NativeTypes([SHAPES]);
const FAMILIES = worstInputs(types.of);

/** Microseconds that a native counts for an input. */
function workOf(name: string, input: NativeInput): number {
  const calls = new DirectCalls(types);
  calls.call(NATIVES.get(name)!, input);
  return calls.work;
}

/**
 * Natives whose gas does not bound their time, with the least microseconds that they count for each byte of their
 * input. Byte strings count least; most natives count a microsecond for each of the smallest items.
 */
const COUNTED: Readonly<Record<string, number>> = {
  '0x1::string::internal_index_of': 1 / 200,
  '0x2::ability::native_get_abilities': 0.1,
  '0x2::base58::encoding': 1,
  '0x2::base58::checksum_encoding': 1,
  '0x2::base58::decoding': 0.5,
  '0x2::base58::checksum_decoding': 0.5,
  '0x2::base64::encode': 0.05,
  '0x2::base64::decode': 0.05,
  '0x2::bcs::native_from_bytes': 0.1,
  '0x2::bech32::encode': 0.05,
  '0x2::bech32::decode': 0.05,
  '0x2::bech32::segwit_decode': 0.05,
  '0x2::cbor::native_from_cbor': 0.25,
  '0x2::cbor::native_to_cbor': 0.02,
  '0x2::hash::keccak256': 0.04,
  '0x2::hash::blake2b256': 0.025,
  '0x2::hash::ripemd160': 0.016,
  '0x2::json::native_from_json': 0.2,
  '0x2::json::native_to_json': 0.02,
  '0x2::move_module::module_id_inner': 0.2,
  '0x2::move_module::sort_and_verify_modules_inner': 0.2,
  '0x2::move_module::check_compatibililty_inner': 0.2,
  '0x2::move_module::replace_identifiers': 0.6,
  '0x2::rlp::to_bytes': 0.02,
  '0x2::rlp::from_bytes': 0.25,
  '0x3::bitcoin_address::parse': 0.05,
  '0x4::ord::from_witness': 0.5,
};

/** Bytes in what a native is given: of byte strings and of modules as they are, of other values as BCS has them. */
function bytesOf({ given, typeArguments }: NativeInput): number {
  const [of] = typeArguments ?? [];
  const length = (value: unknown): number => {
    if (value instanceof ByteVector) return value.length;
    if (value instanceof ArrayVector && of === undefined)
      return value.items.reduce<number>((sum, item) => sum + length(item), 0);
    return 0;
  };
  const plain = given.reduce<number>((sum, value) => sum + length(value), 0);
  if (plain > 0 || of === undefined) return plain;
  const value = given.at(-1);
  return value instanceof Cell ? 0 : of.encode(value).length;
}

describe('a native', () => {
  it.each(Object.entries(COUNTED))('%s counts at least %f us for a byte before it is done', (name, rate) => {
    for (const [family, make] of Object.entries(FAMILIES[name]!)) {
      const input = make(2_048);
      const bytes = bytesOf(input);
      expect(workOf(name, input), `${family}: ${bytes} bytes`).toBeGreaterThanOrEqual(Math.floor(bytes * rate * 0.9));
    }
  });

  it('counts the elements of a vector that is pushed, if they are many', () => {
    const name = '0x1::vector::push_back';
    const family = FAMILIES[name]!['a vector of empty vectors']!;
    expect(workOf(name, family(256))).toBe(0);
    expect(workOf(name, family(2_000))).toBe(100);
  });

  it('counts each list that JSON leaves out', () => {
    const name = '0x2::json::native_from_json';
    const family = FAMILIES[name]!['lists for nothing']!;
    expect(workOf(name, family(2_048))).toBeGreaterThanOrEqual(1_024 * 60);
  });
});
