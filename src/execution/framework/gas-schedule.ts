/**
 * The gas schedule of local and dev chains (a table): version 6 of the reference network's, the newest when this was
 * written, without the entries of its nursery package. Gas amounts in internal units; a chain reads its own schedule
 * from the object `0x2::gas_schedule::GasSchedule`, which later transactions may change. Source: the schedule recorded
 * in the test network's genesis (version 1) with the changes of versions 2 to 6.
 * @module
 */
import { type Codec, decode, pair, string, struct, u64, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import type { StateChangeSet } from '../../chain/object/change-set.ts';
import { equalObjectIds, namedObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { INITIAL_GAS_SCHEDULE, type InstructionPrices, listPrices } from '../../vm/gas/schedule.ts';

/** Number of recently read gas schedules that are kept, about 20 kB each. */
const GAS_SCHEDULES_KNOWN_MAX = 8;

export const GAS_SCHEDULE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'gas_schedule', 'GasSchedule');

interface GasSchedule {
  readonly version: bigint;
  /** Maximum gas limit of a transaction. */
  readonly maxGasAmount: bigint;
  /** By parameter name, in the order in which genesis lists them. */
  readonly entries: readonly Entry[];
}

export const gasSchedule: Codec<GasSchedule> = struct({
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
 * @throws {EngineError} `not-found` if the state has no schedule.
 */
export function gasScheduleOf(state: State): ReadGasSchedule {
  const { derived } = state;
  derived.gasSchedule ??= findSchedule(state);
  return derived.gasSchedule as ReadGasSchedule;
}

function findSchedule(state: State): ReadGasSchedule {
  const object = state.object(GAS_SCHEDULE_ID);
  if (object === undefined) throw new EngineError('not-found', 'the state holds no gas schedule');
  return getOrInsert(scheduleByObject, object, () => readSchedule(object.value));
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
  const isSame = (): boolean =>
    entries.size === GENESIS_GAS_ENTRIES.length &&
    GENESIS_GAS_ENTRIES.every(([name, amount]) => entries.get(name) === amount);
  return getOrInsert(genesisPrices, entries, isSame);
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

/** The maximum gas limit of a transaction on a new chain. */
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

type Entry = readonly [name: string, amount: bigint];

/** A price per call and one per byte of input. */
function linear(name: string, base: bigint, perByte: bigint, perByteName = 'per_byte'): Entry[] {
  return [
    [`${name}.base`, base],
    [`${name}.${perByteName}`, perByte],
  ];
}

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
  ...linear('type_info.type_of', 1000n, 20n, 'per_byte_in_str'),
  ['rlp.to_bytes.base', 1000n],
  ['rlp.from_bytes.base', 20n],
  ...linear('bcs.from_bytes', 1000n, 20n, 'per_byte_deserialize'),
  ...linear('events.emit', 53n, 6n, 'per_byte_in_str'),
  ['test_helper.destroy.base', 6n],
  ['type_info.module_signer.base', 1000n],
  ...linear('move_module.module_id_inner', 1000n, 20n, 'per_byte_in_str'),
  ...linear('move_module.sort_and_verify_modules_inner', 100000n, 20n),
  ['move_module.sort_and_verify_modules_inner.per_module', 10000n],
  ['move_module.request_init_functions.base', 100000n],
  ['move_module.request_init_functions.per_function', 1000n],
  ...linear('move_module.check_compatibililty_inner', 100000n, 20n),
  ...linear('move_module.replace_address_identifiers', 5000n, 20n),
  ...linear('move_module.replace_addresses_constant', 5000n, 20n),
  ...linear('move_module.replace_identifiers', 5000n, 20n),
  ...linear('move_module.replace_bytes_constant', 5000n, 20n),
  ...linear('move_module.replace_u8_constant', 5000n, 20n),
  ...linear('move_module.replace_u64_constant', 5000n, 20n),
  ...linear('move_module.replace_u256_constant', 5000n, 20n),
  ['object.common.load_base', 1000n],
  ['object.common.load_per_byte', 10n],
  ['object.common.load_failure', 5n],
  ['object.native_object_meta.base', 100n],
  ['object.native_borrow_object.base', 500n],
  ['object.native_take_object.base', 500n],
  ['object.native_transfer_object.base', 500n],
  ['object.native_to_shared_object.base', 500n],
  ['object.native_to_frozen_object.base', 500n],
  ...linear('object.native_add_field', 500n, 10n, 'per_byte_serialized'),
  ...linear('object.native_borrow_field', 500n, 10n, 'per_byte_serialized'),
  ...linear('object.native_contains_field', 500n, 10n, 'per_byte_serialized'),
  ...linear('object.native_contains_field_with_value_type', 500n, 10n, 'per_byte_serialized'),
  ...linear('object.native_remove_field', 500n, 10n, 'per_byte_serialized'),
  ...linear('json.from_bytes', 1000n, 20n, 'per_byte_in_str'),
  ...linear('json.to_bytes', 1000n, 20n, 'per_byte_in_str'),
  ['cbor.to_bytes.base', 1000n],
  ['cbor.from_bytes.base', 20n],
  ['tx_context.borrow_inner.base', 500n],
  ['tx_context.borrow_mut_inner.base', 1000n],
  ...linear('base58.encoding', 1000n, 30n),
  ...linear('base58.checksum_encoding', 1000n, 30n),
  ...linear('base58.decoding', 1000n, 30n),
  ...linear('base58.checksum_decoding', 1000n, 30n),
  ...linear('base64.encode', 1000n, 30n),
  ...linear('base64.decode', 1000n, 30n),
  ...linear('bech32.encode', 1000n, 30n),
  ...linear('bech32.segwit_encode', 1000n, 30n),
  ...linear('bech32.decode', 1000n, 30n),
  ...linear('bech32.segwit_decode', 1000n, 30n),
  ...linear('hash.keccak256', 1000n, 30n),
  ...linear('hash.blake2b256', 1000n, 30n),
  ...linear('hash.ripemd160', 1000n, 30n),
  ...linear('bls12381.bls12381_min_sig_verify', 1000n, 30n),
  ...linear('bls12381.bls12381_min_pk_verify', 1000n, 30n),
  ...linear('evm.modexp', 1000n, 30n),
  ...linear('evm.ec_recover', 1000n, 30n),
  ...linear('evm.ec_add', 1000n, 30n),
  ...linear('evm.ec_mul', 1000n, 30n),
  ...linear('evm.ec_pairing', 1000n, 30n),
  ...linear('evm.blake2f', 1000n, 30n),
  ...linear('evm.point_evaluation', 1000n, 30n),
  ...linear('groth16.prepare_verifying_key_internal', 1000n, 30n),
  ...linear('groth16.verify_groth16_proof_internal', 1000n, 30n),
  ...linear('ed25519.verify', 1000n, 30n),
  ['ecdsa_k1.ecrecover.base', 1000n],
  ['ecdsa_k1.decompress_pubkey.base', 1000n],
  ...linear('ecdsa_k1.verify', 1000n, 30n),
  ...linear('bitcoin_address.parse', 1000n, 30n),
  ...linear('bitcoin_address.verify_bitcoin_address_with_public_key', 1000n, 30n),
  ...linear('bitcoin_address.derive_bitcoin_taproot_address', 1000n, 30n),
  ...linear('ord.from_witness', 10000n, 50n),
  ...linear('native_list_field_keys.list_field_keys', 1000n, 150n),
  ...linear('events.emit_with_handle', 1000n, 150n, 'per_byte_in_str'),
  ...linear('ability.get_abilities', 1000n, 150n, 'per_byte_in_str'),
  ...linear('ecdsa_r1.verify', 1000n, 30n),
  ...linear('rs256.verify', 1000n, 30n),
  ...linear('rs256.verify_prehash', 1000n, 30n),
];
