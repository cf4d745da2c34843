import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import type { SessionHost } from '../../../src/execution/runtime/session-host.ts';
import { addressOf } from '../../../src/move/address.ts';
import { type ObjectId, objectId, parseTypeTag } from '../../../src/query/transaction-builder.ts';
import type { NativeFunction } from '../../../src/vm/native.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';
import { TIMESTAMP, TIMESTAMP_ID } from '../runtime/chain.ts';
import { frameworkNatives } from './declared-natives.ts';
import { DirectCalls, type NativeInput, NativeTypes, nativesAt } from './direct-call.ts';

/** How often a call is charged each price, by schedule name. Source: spec/execution.md section 4, reference natives. */
type Charges = Readonly<Record<string, number>>;
interface Call extends Omit<NativeInput, 'given'> {
  readonly charges: Charges;
  /** Made anew for each call: natives keep and change what they are given. */
  readonly given: () => readonly unknown[];
}

const types = new NativeTypes();
const type = (name: string): Type => types.of(parseTypeTag(name));
const [U64, STRING, TIME] = ['u64', '0x1::string::String', '0x2::timestamp::Timestamp'].map(type) as [Type, Type, Type];
const OBJECT_ID = type('0x2::object::ObjectID');
const HANDLE = type('0x2::object::Object<0x2::timestamp::Timestamp>');

/** That many bytes. */
const some = (length: number): ByteVector => new ByteVector(new Uint8Array(length));
const ascii = (text: string): ByteVector => new ByteVector(Uint8Array.from(Buffer.from(text)));
const string = (text: string): unknown => STRING.make(ascii(text));
const list = (...bytes: number[]): unknown => type('vector<u64>').decode(Uint8Array.from(bytes));
const optionOf = (item: string, ...bytes: number[]): unknown =>
  type(`0x1::option::Option<${item}>`).decode(Uint8Array.from(bytes));
const id = (value: ObjectId): unknown => OBJECT_ID.decode(encode(objectId, value));
const handle = (value: ObjectId): unknown => HANDLE.decode(encode(objectId, value));

const ABSENT: ObjectId = [addressOf(0x77)];
const KEY = TIMESTAMP_ID[0]!;
const MODULE = new ByteVector(assembleModuleBytes('module 0x42::counter'));
const BITCOIN_ADDRESS = type('0x3::bitcoin_address::BitcoinAddress');
const WITNESS = type('0x4::types::Witness').make(new ArrayVector([some(3), some(4)]));

/** `<name>.base` once, and `<name>.<per>` as often as there are bytes. */
function linear(name: string, bytes: number, per = 'per_byte'): Charges {
  return { [`${name}.base`]: 1, [`${name}.${per}`]: bytes };
}

/** What is loaded cold: the number of objects, and that of their bytes. */
function loads(objects: number, bytes: number): Charges {
  return { 'object.common.load_base': objects, 'object.common.load_per_byte': bytes };
}

const TIME_BYTES = encode(TIMESTAMP.codec, 1000n).length;
const T: Pick<Call, 'typeArguments' | 'returns'> = { typeArguments: [TIME], returns: [HANDLE] };
const vectorBase = (name: string): Charges => ({ [`move_stdlib.vector.${name}.base`]: 1 });
const stdlib = (name: string, times: number): Charges => ({ [`move_stdlib.${name}`]: times });

const STDLIB: Readonly<Record<string, Call>> = {
  '0x1::bcs::to_bytes': {
    charges: stdlib('bcs.to_bytes.per_byte_serialized', 8),
    given: () => [new Cell(5n)],
    typeArguments: [U64],
  },
  '0x1::debug::print': { charges: { 'nursery.debug.print.base_cost': 1 }, given: () => [new Cell(5n)] },
  '0x1::debug::print_stack_trace': { charges: { 'nursery.debug.print_stack_trace.base_cost': 1 }, given: () => [] },
  '0x1::hash::sha2_256': { charges: stdlib('hash.sha2_256.per_byte', 5), given: () => [some(5)] },
  '0x1::hash::sha3_256': { charges: stdlib('hash.sha3_256.per_byte', 6), given: () => [some(6)] },
  '0x1::signer::borrow_address': {
    charges: stdlib('signer.borrow_address.base', 1),
    given: () => [new (type('signer').structClass)(addressOf(1))],
  },
  '0x1::string::internal_check_utf8': { charges: stdlib('string.check_utf8.per_byte', 7), given: () => [some(7)] },
  '0x1::string::internal_is_char_boundary': {
    charges: stdlib('string.is_char_boundary.base', 1),
    given: () => [some(7), 3n],
  },
  '0x1::string::internal_sub_string': {
    charges: stdlib('string.sub_string.per_byte', 3),
    given: () => [some(7), 2n, 5n],
  },
  '0x1::string::internal_index_of': {
    charges: stdlib('string.index_of.per_byte_searched', 4),
    given: () => [ascii('wheel of'), ascii('l')],
  },
  '0x1::type_name::get': {
    charges: {},
    given: () => [],
    typeArguments: [U64],
    returns: [type('0x1::type_name::TypeName')],
  },
  '0x1::vector::empty': { charges: vectorBase('empty'), given: () => [], typeArguments: [U64] },
  '0x1::vector::length': { charges: vectorBase('length'), given: () => [list(0)], typeArguments: [U64] },
  '0x1::vector::borrow': { charges: vectorBase('borrow'), given: () => [list(0), 0n], typeArguments: [U64] },
  '0x1::vector::borrow_mut': { charges: vectorBase('borrow'), given: () => [list(0), 0n], typeArguments: [U64] },
  // A primitive is 16 units.
  '0x1::vector::push_back': {
    charges: stdlib('vector.push_back.legacy_per_abstract_memory_unit', 16),
    given: () => [list(0), 5n],
    typeArguments: [U64],
  },
  '0x1::vector::native_append': {
    charges: stdlib('vector.push_back.legacy_per_abstract_memory_unit', 2),
    given: () => [list(0), list(2, ...new Uint8Array(16))],
    typeArguments: [U64],
  },
  '0x1::vector::pop_back': { charges: vectorBase('pop_back'), given: () => [list(0)], typeArguments: [U64] },
  '0x1::vector::destroy_empty': { charges: vectorBase('destroy_empty'), given: () => [list(0)], typeArguments: [U64] },
  '0x1::vector::swap': { charges: vectorBase('swap'), given: () => [list(0), 0n, 0n], typeArguments: [U64] },
};

const replace = (name: string, given: unknown): readonly [string, Call] => [
  `0x2::move_module::${name}`,
  {
    charges: linear(`move_module.${name}`, 2 * MODULE.length),
    given: () => [new ArrayVector([MODULE, MODULE]), given, given],
  },
];
const none = new ArrayVector([]);

const MOVEOS: Readonly<Record<string, Call>> = {
  '0x2::ability::native_get_abilities': {
    charges: linear('ability.get_abilities', 3, 'per_byte_in_str'),
    given: () => [string('u64')],
  },
  '0x2::account::create_signer': {
    charges: { 'account.create_signer.base': 1 },
    given: () => [addressOf(1)],
    returns: [type('signer')],
  },
  '0x2::base58::encoding': { charges: linear('base58.encoding', 5), given: () => [some(5)] },
  '0x2::base58::checksum_encoding': { charges: linear('base58.checksum_encoding', 6), given: () => [some(6), 0] },
  '0x2::base58::decoding': { charges: linear('base58.decoding', 7), given: () => [some(7)] },
  '0x2::base58::checksum_decoding': { charges: linear('base58.checksum_decoding', 8), given: () => [some(8), 0] },
  '0x2::base64::encode': { charges: linear('base64.encode', 5), given: () => [some(5)] },
  '0x2::base64::decode': { charges: linear('base64.decode', 6), given: () => [some(6)] },
  '0x2::bcs::native_from_bytes': {
    charges: linear('bcs.from_bytes', 9, 'per_byte_deserialize'),
    given: () => [some(9)],
    typeArguments: [U64],
    returns: [type('0x1::option::Option<u64>')],
  },
  // The number of the BIP, the version and the version's character are paid for as if they were lengths.
  '0x2::bech32::encode': { charges: linear('bech32.encode', 173 + 2 + 5), given: () => [173, ascii('bc'), some(5)] },
  '0x2::bech32::segwit_encode': {
    charges: linear('bech32.segwit_encode', 2 + 1 + 32),
    given: () => [ascii('bc'), 1, some(32)],
  },
  '0x2::bech32::decode': { charges: linear('bech32.decode', 2 + 9), given: () => [ascii('bc'), some(9)] },
  '0x2::bech32::segwit_decode': {
    charges: linear('bech32.segwit_decode', 2 + 0x71 + 9),
    given: () => [ascii('bc'), 0x71, some(9)],
  },
  '0x2::bls12381::bls12381_min_sig_verify': {
    charges: linear('bls12381.bls12381_min_sig_verify', 1 + 2 + 3),
    given: () => [some(1), some(2), some(3)],
  },
  '0x2::bls12381::bls12381_min_pk_verify': {
    charges: linear('bls12381.bls12381_min_pk_verify', 1 + 2 + 4),
    given: () => [some(1), some(2), some(4)],
  },
  '0x2::cbor::native_from_cbor': {
    charges: { 'cbor.from_bytes.base': 1 },
    given: () => [some(1)],
    typeArguments: [STRING],
    returns: [type('0x1::option::Option<0x1::string::String>')],
  },
  '0x2::cbor::native_to_cbor': {
    charges: { 'cbor.to_bytes.base': 1 },
    given: () => [string('hi')],
    typeArguments: [STRING],
  },
  '0x2::event::native_emit': {
    charges: linear('events.emit', 3, 'per_byte_in_str'),
    given: () => [string('hi')],
    typeArguments: [STRING],
  },
  '0x2::event::native_emit_with_handle': {
    charges: linear('events.emit_with_handle', 3, 'per_byte_in_str'),
    given: () => [id(ABSENT), string('hi')],
    typeArguments: [STRING],
  },
  '0x2::evm::ec_recover': {
    charges: linear('evm.ec_recover', 128),
    given: () => [some(32), some(32), some(32), some(32)],
  },
  '0x2::evm::modexp': {
    charges: linear('evm.modexp', 21),
    given: () => [some(1), some(2), some(3), some(4), some(5), some(6)],
  },
  '0x2::evm::ec_add': { charges: linear('evm.ec_add', 128), given: () => [some(32), some(32), some(32), some(32)] },
  '0x2::evm::ec_mul': { charges: linear('evm.ec_mul', 96), given: () => [some(32), some(32), some(32)] },
  '0x2::evm::ec_pairing': { charges: linear('evm.ec_pairing', 193), given: () => [some(193)] },
  '0x2::evm::blake2f': {
    charges: linear('evm.blake2f', 213),
    given: () => [some(4), some(64), some(128), some(16), some(1)],
  },
  '0x2::evm::point_evaluation': {
    charges: linear('evm.point_evaluation', 192),
    given: () => [some(32), some(32), some(32), some(48), some(48)],
  },
  // For the curves that exist, the base is fixed.
  '0x2::groth16::prepare_verifying_key_internal': {
    charges: { 'groth16.prepare_verifying_key_internal.base': 1 },
    given: () => [2, some(9)],
  },
  '0x2::groth16::verify_groth16_proof_internal': {
    charges: { 'groth16.verify_groth16_proof_internal.per_byte': 31 },
    given: () => [0, some(1), some(2), some(3), some(4), some(31), some(6)],
  },
  '0x2::hash::keccak256': { charges: linear('hash.keccak256', 5), given: () => [some(5)] },
  '0x2::hash::blake2b256': { charges: linear('hash.blake2b256', 6), given: () => [some(6)] },
  '0x2::hash::ripemd160': { charges: linear('hash.ripemd160', 7), given: () => [some(7)] },
  '0x2::json::native_from_json': {
    charges: linear('json.from_bytes', 4, 'per_byte_in_str'),
    given: () => [ascii('"hi"')],
    typeArguments: [STRING],
    returns: [type('0x1::option::Option<0x1::string::String>')],
  },
  '0x2::json::native_to_json': {
    charges: linear('json.to_bytes', 5, 'per_byte_in_str'),
    given: () => [string('hey')],
    typeArguments: [STRING],
  },
  '0x2::move_module::module_id_inner': {
    charges: linear('move_module.module_id_inner', '0x42::counter'.length, 'per_byte_in_str'),
    given: () => [MODULE],
    returns: [STRING],
  },
  '0x2::move_module::module_id_from_name': { charges: {}, given: () => [addressOf(1), string('m')], returns: [STRING] },
  '0x2::move_module::sort_and_verify_modules_inner': {
    charges: {
      ...linear('move_module.sort_and_verify_modules_inner', MODULE.length),
      'move_module.sort_and_verify_modules_inner.per_module': 1,
    },
    given: () => [new ArrayVector([MODULE]), addressOf(0x42)],
    returns: [type('vector<0x1::string::String>'), type('vector<0x1::string::String>'), type('vector<u64>')],
  },
  '0x2::move_module::request_init_functions': {
    charges: linear('move_module.request_init_functions', 2, 'per_function'),
    given: () => [new ArrayVector([string('0x42::a'), string('0x42::b')])],
  },
  '0x2::move_module::check_compatibililty_inner': {
    charges: linear('move_module.check_compatibililty_inner', 2 * MODULE.length),
    given: () => [MODULE, MODULE],
  },
  ...Object.fromEntries([
    replace('replace_address_identifiers', none),
    replace('replace_addresses_constant', none),
    replace('replace_identifiers', none),
    replace('replace_bytes_constant', none),
    replace('replace_u8_constant', some(0)),
    replace('replace_u64_constant', list(0)),
    replace('replace_u256_constant', type('vector<u256>').decode(Uint8Array.of(0))),
  ]),
  '0x2::rlp::to_bytes': { charges: { 'rlp.to_bytes.base': 1 }, given: () => [new Cell(5n)], typeArguments: [U64] },
  '0x2::rlp::from_bytes': { charges: { 'rlp.from_bytes.base': 1 }, given: () => [some(1)], typeArguments: [U64] },
  '0x2::signer::module_signer': {
    charges: { 'type_info.module_signer.base': 1 },
    given: () => [],
    typeArguments: [STRING],
    returns: [type('signer')],
  },
  '0x2::test_helper::destroy': { charges: { 'test_helper.destroy.base': 1 }, given: () => [5n], typeArguments: [U64] },
  '0x2::tx_context::borrow_inner': {
    charges: { 'tx_context.borrow_inner.base': 1 },
    given: () => [],
    returns: [{ item: type('0x2::tx_context::TxContext') } as Type],
  },
  '0x2::tx_context::borrow_mut_inner': {
    charges: { 'tx_context.borrow_mut_inner.base': 1 },
    given: () => [],
    returns: [{ item: type('0x2::tx_context::TxContext') } as Type],
  },
  '0x2::type_info::type_of': {
    charges: linear('type_info.type_of', '0x1::string::String'.length, 'per_byte_in_str'),
    given: () => [],
    typeArguments: [STRING],
    returns: [type('0x2::type_info::TypeInfo')],
  },
};

/** Natives that work on one object, loaded cold. */
const ofObject = (name: string, price: string, returned = HANDLE): readonly [string, Call] => [
  `0x2::object::${name}`,
  {
    charges: { [`object.${price}.base`]: 1, ...loads(1, TIME_BYTES) },
    given: () => [id(TIMESTAMP_ID)],
    typeArguments: [TIME],
    returns: [returned],
  },
];
/** Machines make reference types only where code has them; natives look at nothing but what is behind. */
const REFERENCE = { item: HANDLE } as Type;
const ofHandle = (name: string, ...others: unknown[]): readonly [string, Call] => [
  `0x2::object::${name}`,
  {
    charges: { [`object.${name}.base`]: 1, ...loads(1, TIME_BYTES) },
    given: () => [handle(TIMESTAMP_ID), ...others],
    ...T,
  },
];
/** Natives that work on a field of the root object, which is always there: a key is 32 bytes. */
const ofField = (name: string, price: string): readonly [string, Call] => [
  `0x2::object::${name}`,
  {
    charges: { ...linear(`object.${price}`, 32, 'per_byte_serialized'), ...loads(2, TIME_BYTES) },
    given: () => [id([]), KEY],
    ...T,
  },
];

const OBJECT: Readonly<Record<string, Call>> = Object.fromEntries([
  ...['owner', 'size', 'created_at', 'updated_at'].map((what) =>
    ofObject(`native_object_${what}`, 'native_object_meta'),
  ),
  // One that is not there.
  [
    '0x2::object::native_object_flag',
    {
      charges: {
        'object.native_object_meta.base': 1,
        'object.common.load_base': 1,
        'object.common.load_failure': 1,
      },
      given: () => [id(ABSENT)],
    },
  ],
  ofObject('native_borrow_object', 'native_borrow_object', REFERENCE),
  ofObject('native_borrow_mut_object', 'native_borrow_object', REFERENCE),
  ofObject('native_take_object', 'native_take_object'),
  ofObject('native_clear_fields', 'native_clear_fields'),
  ofHandle('native_transfer_object', addressOf(1)),
  ofHandle('native_to_shared_object'),
  ofHandle('native_to_frozen_object'),
  ofField('native_borrow_field', 'native_borrow_field'),
  ofField('native_borrow_mut_field', 'native_borrow_field'),
  ofField('native_contains_field', 'native_contains_field'),
  ofField('native_contains_field_with_value_type', 'native_contains_field_with_value_type'),
  ofField('native_remove_field', 'native_remove_field'),
  [
    '0x2::object::native_add_field',
    {
      charges: {
        ...linear('object.native_add_field', 32, 'per_byte_serialized'),
        'object.common.load_base': 2,
        'object.common.load_failure': 1,
      },
      given: () => [id([]), ABSENT[0], TIME.decode(new Uint8Array(TIME_BYTES))],
      ...T,
    },
  ],
  [
    '0x2::object::native_list_field_keys',
    { charges: {}, given: () => [id(TIMESTAMP_ID), optionOf('address', 0), 1n], returns: [type('vector<address>')] },
  ],
]);

const ROOCH: Readonly<Record<string, Call>> = {
  '0x3::ed25519::verify': { charges: linear('ed25519.verify', 1 + 2 + 3), given: () => [some(1), some(2), some(3)] },
  '0x3::ecdsa_k1::ecrecover': { charges: { 'ecdsa_k1.ecrecover.base': 1 }, given: () => [some(1), some(2), 0] },
  '0x3::ecdsa_k1::decompress_pubkey': { charges: { 'ecdsa_k1.decompress_pubkey.base': 1 }, given: () => [some(1)] },
  '0x3::ecdsa_k1::verify': {
    charges: linear('ecdsa_k1.verify', 1 + 2 + 3),
    given: () => [some(1), some(2), some(3), 0],
  },
  '0x3::ecdsa_r1::native_verify': {
    charges: linear('ecdsa_r1.verify', 1 + 2 + 3),
    given: () => [some(1), some(2), some(3)],
  },
  '0x3::rs256::native_verify': {
    charges: linear('rs256.verify', 1 + 2 + 3 + 4),
    given: () => [some(1), some(2), some(3), some(4)],
  },
  '0x3::rs256::native_verify_prehash': {
    charges: linear('rs256.verify_prehash', 1 + 2 + 3 + 5),
    given: () => [some(1), some(2), some(3), some(5)],
  },
  '0x3::bitcoin_address::parse': { charges: linear('bitcoin_address.parse', 9), given: () => [some(9)] },
  // The address as BCS: its length before 22 bytes.
  '0x3::bitcoin_address::verify_bitcoin_address_with_public_key': {
    charges: linear('bitcoin_address.verify_bitcoin_address_with_public_key', 23 + 33),
    given: () => [BITCOIN_ADDRESS.make(some(22)), some(33)],
    parameters: [{ item: BITCOIN_ADDRESS } as Type],
  },
  '0x3::bitcoin_address::derive_bitcoin_taproot_address': {
    charges: linear('bitcoin_address.derive_bitcoin_taproot_address', 31 + 1),
    given: () => [some(31), optionOf('address', 0)],
  },
  '0x4::ord::from_witness': {
    charges: linear('ord.from_witness', 7),
    given: () => [WITNESS],
    returns: [type('vector<0x4::ord::Envelope<0x4::ord::InscriptionRecord>>')],
  },
};

const CALLS: Readonly<Record<string, Call>> = { ...STDLIB, ...MOVEOS, ...OBJECT, ...ROOCH };

/** Prices that natives have in a schedule, free ones included. */
const PRICE_NAMES = [...new Map(GENESIS_GAS_ENTRIES).keys(), 'object.native_clear_fields.base'].filter(
  (name) => !/^(instruction|storage)\./.test(name),
);

/** All natives where everything is free but for one price, which is 1. */
const nativesPaying = (price: string): Map<string, NativeFunction<SessionHost>> =>
  nativesAt(new Map(PRICE_NAMES.map((name) => [name, name === price ? 1n : 0n])));

/** What a call is charged, whatever comes of it. */
function chargesOf(native: NativeFunction<SessionHost>, call: Call): number {
  const calls = new DirectCalls(types);
  calls.call(native, { ...call, given: call.given() });
  return calls.gas;
}

describe('natives charge', () => {
  it('are all listed here', () => {
    const declared = [...frameworkNatives().keys(), '0x2::test_helper::destroy'];
    expect(Object.keys(CALLS).sort()).toEqual(declared.sort());
  });

  it('their own prices, and no others, as often as they should', () => {
    const free = nativesPaying('');
    const fixed = new Map(Object.entries(CALLS).map(([name, call]) => [name, chargesOf(free.get(name)!, call)]));
    // In no schedule: 52 for a proof, 2 for each input, begun ones too.
    expect([...fixed].filter(([, units]) => units > 0)).toEqual([
      ['0x2::groth16::verify_groth16_proof_internal', 52 + 2],
    ]);
    const charged = new Map(Object.keys(CALLS).map((name): [string, Record<string, number>] => [name, {}]));
    for (const price of PRICE_NAMES) {
      const natives = nativesPaying(price);
      for (const [name, call] of Object.entries(CALLS)) {
        const units = chargesOf(natives.get(name)!, call) - fixed.get(name)!;
        if (units !== 0) charged.get(name)![price] = units;
      }
    }
    const expected = Object.entries(CALLS).map(([name, { charges }]) => [name, charges]);
    expect(Object.fromEntries(charged)).toEqual(Object.fromEntries(expected));
  });
});
