/**
 * The gas schedule of local and dev chains (a table): version 6 of the reference network's, the newest when this was
 * written, without the entries of its nursery package. Gas amounts in internal units; a chain reads its own schedule
 * from the object `0x2::gas_schedule::GasSchedule`, which later transactions may change. Source: the schedule recorded
 * in the test network's genesis (version 1) with the changes of versions 2 to 6.
 * @module
 */
import { type Codec, decode } from '../../base/bcs/codec.ts';
import { pair, struct, vector } from '../../base/bcs/composite.ts';
import { string, u64 } from '../../base/bcs/primitive.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import { EngineError } from '../../base/error.ts';
import type { StateChangeSet } from '../../chain/object/change-set.ts';
import { equalObjectIds, namedObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { INITIAL_GAS_SCHEDULE, type InstructionPrices, listPrices } from '../../vm/gas/schedule.ts';

/** Gas schedules read last, some 20 kB each. */
const GAS_SCHEDULES_KNOWN_MAX = 8;

export const GAS_SCHEDULE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'gas_schedule', 'GasSchedule');

interface GasSchedule {
  readonly version: bigint;
  /** Largest amount that a transaction may ask for. */
  readonly maxGasAmount: bigint;
  /** By parameter name, in the order in which genesis lists them. */
  readonly entries: readonly (readonly [name: string, amount: bigint])[];
}

export const gasSchedule: Codec<GasSchedule> = struct<GasSchedule>({
  version: u64,
  maxGasAmount: u64,
  entries: vector(pair(string, u64)),
});

const GAS_SCHEDULE_ID = namedObjectId(GAS_SCHEDULE_TYPE);

/** A gas schedule read from a state. */
interface ReadGasSchedule {
  readonly maxGasAmount: bigint;
  /** Gas units by parameter name. */
  readonly entries: ReadonlyMap<string, bigint>;
}

/**
 * Schedules read so far, the latest last. Machines are cached by the entries, so equal schedules must be the same map.
 */
const known: { readonly value: Uint8Array; readonly schedule: ReadGasSchedule }[] = [];
const scheduleByObject = new WeakMap<ObjectState, ReadGasSchedule>();

/**
 * The gas schedule of a state: the same object for the same schedule.
 * @throws {EngineError} `not-found` if the state has none.
 */
export function gasScheduleOf(state: State): ReadGasSchedule {
  const { derived } = state;
  derived.gasSchedule ??= findSchedule(state);
  return derived.gasSchedule as ReadGasSchedule;
}

function findSchedule(state: State): ReadGasSchedule {
  const object = state.object(GAS_SCHEDULE_ID);
  if (object === undefined) throw new EngineError('not-found', 'the state holds no gas schedule');
  let schedule = scheduleByObject.get(object);
  if (schedule === undefined) {
    schedule = readSchedule(object.value);
    scheduleByObject.set(object, schedule);
  }
  return schedule;
}

/**
 * Its entries, by parameter name.
 * @throws {EngineError} as `gasScheduleOf`
 */
export function gasEntriesOf(state: State): ReadonlyMap<string, bigint> {
  return gasScheduleOf(state).entries;
}

const genesisPrices = new WeakMap<ReadonlyMap<string, bigint>, boolean>();

/** Whether a chain charges what new local and dev chains charge. */
export function hasGenesisPrices(state: State): boolean {
  const entries = gasEntriesOf(state);
  let isSame = genesisPrices.get(entries);
  if (isSame === undefined) {
    isSame =
      entries.size === GENESIS_GAS_ENTRIES.length &&
      GENESIS_GAS_ENTRIES.every(([name, amount]) => entries.get(name) === amount);
    genesisPrices.set(entries, isSame);
  }
  return isSame;
}

/** The schedule that a change set sets, by parameter name; undefined if it does not change the schedule. */
export function changedGasEntries({ changes }: StateChangeSet): ReadonlyMap<string, bigint> | undefined {
  const change = changes.find(([, { meta }]) => equalObjectIds(meta.id, GAS_SCHEDULE_ID))?.[1].value;
  return change === undefined || change.kind === 'delete'
    ? undefined
    : new Map(decode(gasSchedule, change.value).entries);
}

function readSchedule(value: Uint8Array): ReadGasSchedule {
  const same = known.find((schedule) => equalBytes(schedule.value, value));
  if (same !== undefined) return same.schedule;
  const { maxGasAmount, entries } = decode(gasSchedule, value);
  const schedule = { maxGasAmount, entries: new Map(entries) };
  known.push({ value, schedule });
  if (known.length > GAS_SCHEDULES_KNOWN_MAX) known.shift();
  return schedule;
}

/** The most gas that a transaction may ask for on a new chain. */
export const GENESIS_TRANSACTION_GAS_MAX = 1_000_000_000n;

/** Calls cost less than in the first version. */
const CALLS: Partial<InstructionPrices> = {
  call_base: 167,
  call_per_arg: 15,
  call_per_local: 15,
  call_generic_base: 167,
  call_generic_per_ty_arg: 15,
  call_generic_per_arg: 15,
  call_generic_per_local: 15,
};

export const GENESIS_GAS_ENTRIES: GasSchedule['entries'] = [
  ...listPrices('instruction', { ...INITIAL_GAS_SCHEDULE.instruction, ...CALLS }),
  ['storage.io_read_price', 6n],
  ['storage.storage_fee_per_event_byte', 6n],
  ['storage.storage_fee_per_op_new_byte', 6n],
  ['storage.storage_fee_per_op_modify_byte', 6n],
  ['storage.storage_fee_per_op_delete', 6n],
  ['storage.storage_fee_per_transaction_byte', 176n],
  ...listPrices('storage', INITIAL_GAS_SCHEDULE.size),
  ['move_stdlib.bcs.to_bytes.per_byte_serialized', 182n],
  ['move_stdlib.bcs.to_bytes.failure', 182n],
  ['move_stdlib.bcs.to_bytes.legacy_min_output_size', 1n],
  ['move_stdlib.hash.sha2_256.per_byte', 22n],
  ['move_stdlib.hash.sha2_256.legacy_min_input_len', 1n],
  ['move_stdlib.hash.sha3_256.per_byte', 65n],
  ['move_stdlib.hash.sha3_256.legacy_min_input_len', 1n],
  ['move_stdlib.signer.borrow_address.base', 354n],
  ['move_stdlib.string.check_utf8.per_byte', 5n],
  ['move_stdlib.string.is_char_boundary.base', 5n],
  ['move_stdlib.string.sub_string.per_byte', 5n],
  ['move_stdlib.string.index_of.per_byte_searched', 5n],
  ['move_stdlib.vector.length.base', 99n],
  ['move_stdlib.vector.empty.base', 85n],
  ['move_stdlib.vector.borrow.base', 1335n],
  ['move_stdlib.vector.push_back.legacy_per_abstract_memory_unit', 54n],
  ['move_stdlib.vector.pop_back.base', 228n],
  ['move_stdlib.vector.destroy_empty.base', 573n],
  ['move_stdlib.vector.swap.base', 1437n],
  ['nursery.event.write_to_event_store.unit_cost', 6n],
  ['nursery.debug.print.base_cost', 1n],
  ['nursery.debug.print_stack_trace.base_cost', 1n],
  ['account.create_signer.base', 10000n],
  ['type_info.type_of.base', 1000n],
  ['type_info.type_of.per_byte_in_str', 20n],
  ['rlp.to_bytes.base', 1000n],
  ['rlp.from_bytes.base', 20n],
  ['bcs.from_bytes.base', 1000n],
  ['bcs.from_bytes.per_byte_deserialize', 20n],
  ['events.emit.base', 53n],
  ['events.emit.per_byte_in_str', 6n],
  ['test_helper.destroy.base', 6n],
  ['type_info.module_signer.base', 1000n],
  ['move_module.module_id_inner.base', 1000n],
  ['move_module.module_id_inner.per_byte_in_str', 20n],
  ['move_module.sort_and_verify_modules_inner.base', 100000n],
  ['move_module.sort_and_verify_modules_inner.per_byte', 20n],
  ['move_module.sort_and_verify_modules_inner.per_module', 10000n],
  ['move_module.request_init_functions.base', 100000n],
  ['move_module.request_init_functions.per_function', 1000n],
  ['move_module.check_compatibililty_inner.base', 100000n],
  ['move_module.check_compatibililty_inner.per_byte', 20n],
  ['move_module.replace_address_identifiers.base', 5000n],
  ['move_module.replace_address_identifiers.per_byte', 20n],
  ['move_module.replace_addresses_constant.base', 5000n],
  ['move_module.replace_addresses_constant.per_byte', 20n],
  ['move_module.replace_identifiers.base', 5000n],
  ['move_module.replace_identifiers.per_byte', 20n],
  ['move_module.replace_bytes_constant.base', 5000n],
  ['move_module.replace_bytes_constant.per_byte', 20n],
  ['move_module.replace_u8_constant.base', 5000n],
  ['move_module.replace_u8_constant.per_byte', 20n],
  ['move_module.replace_u64_constant.base', 5000n],
  ['move_module.replace_u64_constant.per_byte', 20n],
  ['move_module.replace_u256_constant.base', 5000n],
  ['move_module.replace_u256_constant.per_byte', 20n],
  ['object.common.load_base', 1000n],
  ['object.common.load_per_byte', 10n],
  ['object.common.load_failure', 5n],
  ['object.native_object_meta.base', 100n],
  ['object.native_borrow_object.base', 500n],
  ['object.native_take_object.base', 500n],
  ['object.native_transfer_object.base', 500n],
  ['object.native_to_shared_object.base', 500n],
  ['object.native_to_frozen_object.base', 500n],
  ['object.native_add_field.base', 500n],
  ['object.native_add_field.per_byte_serialized', 10n],
  ['object.native_borrow_field.base', 500n],
  ['object.native_borrow_field.per_byte_serialized', 10n],
  ['object.native_contains_field.base', 500n],
  ['object.native_contains_field.per_byte_serialized', 10n],
  ['object.native_contains_field_with_value_type.base', 500n],
  ['object.native_contains_field_with_value_type.per_byte_serialized', 10n],
  ['object.native_remove_field.base', 500n],
  ['object.native_remove_field.per_byte_serialized', 10n],
  ['json.from_bytes.base', 1000n],
  ['json.from_bytes.per_byte_in_str', 20n],
  ['json.to_bytes.base', 1000n],
  ['json.to_bytes.per_byte_in_str', 20n],
  ['cbor.to_bytes.base', 1000n],
  ['cbor.from_bytes.base', 20n],
  ['tx_context.borrow_inner.base', 500n],
  ['tx_context.borrow_mut_inner.base', 1000n],
  ['base58.encoding.base', 1000n],
  ['base58.encoding.per_byte', 30n],
  ['base58.checksum_encoding.base', 1000n],
  ['base58.checksum_encoding.per_byte', 30n],
  ['base58.decoding.base', 1000n],
  ['base58.decoding.per_byte', 30n],
  ['base58.checksum_decoding.base', 1000n],
  ['base58.checksum_decoding.per_byte', 30n],
  ['base64.encode.base', 1000n],
  ['base64.encode.per_byte', 30n],
  ['base64.decode.base', 1000n],
  ['base64.decode.per_byte', 30n],
  ['bech32.encode.base', 1000n],
  ['bech32.encode.per_byte', 30n],
  ['bech32.segwit_encode.base', 1000n],
  ['bech32.segwit_encode.per_byte', 30n],
  ['bech32.decode.base', 1000n],
  ['bech32.decode.per_byte', 30n],
  ['bech32.segwit_decode.base', 1000n],
  ['bech32.segwit_decode.per_byte', 30n],
  ['hash.keccak256.base', 1000n],
  ['hash.keccak256.per_byte', 30n],
  ['hash.blake2b256.base', 1000n],
  ['hash.blake2b256.per_byte', 30n],
  ['hash.ripemd160.base', 1000n],
  ['hash.ripemd160.per_byte', 30n],
  ['bls12381.bls12381_min_sig_verify.base', 1000n],
  ['bls12381.bls12381_min_sig_verify.per_byte', 30n],
  ['bls12381.bls12381_min_pk_verify.base', 1000n],
  ['bls12381.bls12381_min_pk_verify.per_byte', 30n],
  ['evm.modexp.base', 1000n],
  ['evm.modexp.per_byte', 30n],
  ['evm.ec_recover.base', 1000n],
  ['evm.ec_recover.per_byte', 30n],
  ['evm.ec_add.base', 1000n],
  ['evm.ec_add.per_byte', 30n],
  ['evm.ec_mul.base', 1000n],
  ['evm.ec_mul.per_byte', 30n],
  ['evm.ec_pairing.base', 1000n],
  ['evm.ec_pairing.per_byte', 30n],
  ['evm.blake2f.base', 1000n],
  ['evm.blake2f.per_byte', 30n],
  ['evm.point_evaluation.base', 1000n],
  ['evm.point_evaluation.per_byte', 30n],
  ['groth16.prepare_verifying_key_internal.base', 1000n],
  ['groth16.prepare_verifying_key_internal.per_byte', 30n],
  ['groth16.verify_groth16_proof_internal.base', 1000n],
  ['groth16.verify_groth16_proof_internal.per_byte', 30n],
  ['ed25519.verify.base', 1000n],
  ['ed25519.verify.per_byte', 30n],
  ['ecdsa_k1.ecrecover.base', 1000n],
  ['ecdsa_k1.decompress_pubkey.base', 1000n],
  ['ecdsa_k1.verify.base', 1000n],
  ['ecdsa_k1.verify.per_byte', 30n],
  ['bitcoin_address.parse.base', 1000n],
  ['bitcoin_address.parse.per_byte', 30n],
  ['bitcoin_address.verify_bitcoin_address_with_public_key.base', 1000n],
  ['bitcoin_address.verify_bitcoin_address_with_public_key.per_byte', 30n],
  ['bitcoin_address.derive_bitcoin_taproot_address.base', 1000n],
  ['bitcoin_address.derive_bitcoin_taproot_address.per_byte', 30n],
  ['ord.from_witness.base', 10000n],
  ['ord.from_witness.per_byte', 50n],
  ['native_list_field_keys.list_field_keys.base', 1000n],
  ['native_list_field_keys.list_field_keys.per_byte', 150n],
  ['events.emit_with_handle.base', 1000n],
  ['events.emit_with_handle.per_byte_in_str', 150n],
  ['ability.get_abilities.base', 1000n],
  ['ability.get_abilities.per_byte_in_str', 150n],
  ['ecdsa_r1.verify.base', 1000n],
  ['ecdsa_r1.verify.per_byte', 30n],
  ['rs256.verify.base', 1000n],
  ['rs256.verify.per_byte', 30n],
  ['rs256.verify_prehash.base', 1000n],
  ['rs256.verify_prehash.per_byte', 30n],
];
