/**
 * Natives whose code is loaded when Move code first links one of them: cryptography, encodings, publishing. Most calls
 * need none of it, and loading it takes longer than a view does.
 *
 * What their prices are called stands here, so that a gas schedule which lacks one is refused before anything runs.
 * @module
 */
import { LateModule } from '../late-module.ts';
import { type Address, BITCOIN_MOVE_ADDRESS, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import type { ModuleNatives } from './module-natives.ts';

export interface LateNatives extends ModuleNatives {
  /** Entries that every schedule has, as `natives` asks for them. */
  readonly prices: readonly string[];
  /** Loads the code unless it can be had at any moment. */
  prepare(): Promise<unknown>;
}

/** The entries of a price for each byte. */
function linear(...names: readonly string[]): string[] {
  return names.flatMap((name) => [`${name}.base`, `${name}.per_byte`]);
}

function late<Exports>(
  address: Address,
  name: string,
  [code, natives]: readonly [code: LateModule<Exports>, natives: (exports: Exports) => ModuleNatives],
  prices: readonly string[],
): LateNatives {
  return {
    module: { address, name },
    prices,
    prepare: () => code.prepare(),
    natives: (schedule) => natives(code.exports).natives(schedule),
  };
}

function from<Exports>(
  path: string,
  load: () => Promise<Exports>,
  natives: (exports: Exports) => ModuleNatives,
): readonly [LateModule<Exports>, (exports: Exports) => ModuleNatives] {
  return [new LateModule(path, load), natives];
}

const ENCODINGS: readonly LateNatives[] = [
  late(
    MOVEOS_STD_ADDRESS,
    'base58',
    from(
      'native/base58',
      () => import('./base58.ts'),
      ({ BASE58 }) => BASE58,
    ),
    linear('base58.encoding', 'base58.checksum_encoding', 'base58.decoding', 'base58.checksum_decoding'),
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'base64',
    from(
      'native/base64',
      () => import('./base64.ts'),
      ({ BASE64 }) => BASE64,
    ),
    [],
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'bech32',
    from(
      'native/bech32',
      () => import('./bech32.ts'),
      ({ BECH32 }) => BECH32,
    ),
    linear('bech32.encode', 'bech32.decode', 'bech32.segwit_encode', 'bech32.segwit_decode'),
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'cbor',
    from(
      'native/cbor',
      () => import('./cbor.ts'),
      ({ CBOR }) => CBOR,
    ),
    ['cbor.from_bytes.base', 'cbor.to_bytes.base'],
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'json',
    from(
      'native/json',
      () => import('./json.ts'),
      ({ JSON_NATIVES }) => JSON_NATIVES,
    ),
    ['json.from_bytes.base', 'json.from_bytes.per_byte_in_str'],
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'rlp',
    from(
      'native/rlp',
      () => import('./rlp.ts'),
      ({ RLP }) => RLP,
    ),
    ['rlp.to_bytes.base', 'rlp.from_bytes.base'],
  ),
  late(
    FRAMEWORK_ADDRESS,
    'bitcoin_address',
    from(
      'native/bitcoin-address',
      () => import('./bitcoin-address.ts'),
      ({ BITCOIN_ADDRESS }) => BITCOIN_ADDRESS,
    ),
    linear('bitcoin_address.parse'),
  ),
  late(
    BITCOIN_MOVE_ADDRESS,
    'ord',
    from(
      'native/ord',
      () => import('./ord.ts'),
      ({ ORD }) => ORD,
    ),
    linear('ord.from_witness'),
  ),
];

const CRYPTOGRAPHY: readonly LateNatives[] = [
  late(
    MOVEOS_STD_ADDRESS,
    'bls12381',
    from(
      'native/bls12381',
      () => import('./bls12381.ts'),
      ({ BLS12381 }) => BLS12381,
    ),
    linear('bls12381.bls12381_min_sig_verify', 'bls12381.bls12381_min_pk_verify'),
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'evm',
    from(
      'native/evm',
      () => import('./evm.ts'),
      ({ EVM }) => EVM,
    ),
    linear(
      'evm.ec_recover',
      'evm.ec_add',
      'evm.ec_mul',
      'evm.modexp',
      'evm.ec_pairing',
      'evm.blake2f',
      'evm.point_evaluation',
    ),
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'groth16',
    from(
      'native/groth16',
      () => import('./groth16.ts'),
      ({ GROTH16 }) => GROTH16,
    ),
    ['groth16.prepare_verifying_key_internal.base', ...linear('groth16.verify_groth16_proof_internal')],
  ),
  late(
    MOVEOS_STD_ADDRESS,
    'hash',
    from(
      'native/moveos-hash',
      () => import('./moveos-hash.ts'),
      ({ MOVEOS_HASH }) => MOVEOS_HASH,
    ),
    linear('hash.keccak256', 'hash.blake2b256', 'hash.ripemd160'),
  ),
  late(
    FRAMEWORK_ADDRESS,
    'ecdsa_k1',
    from(
      'native/ecdsa-k1',
      () => import('./ecdsa-k1.ts'),
      ({ ECDSA_K1 }) => ECDSA_K1,
    ),
    ['ecdsa_k1.ecrecover.base', 'ecdsa_k1.decompress_pubkey.base', ...linear('ecdsa_k1.verify')],
  ),
  late(
    FRAMEWORK_ADDRESS,
    'ecdsa_r1',
    from(
      'native/ecdsa-r1',
      () => import('./ecdsa-r1.ts'),
      ({ ECDSA_R1 }) => ECDSA_R1,
    ),
    [],
  ),
  late(
    FRAMEWORK_ADDRESS,
    'ed25519',
    from(
      'native/ed25519',
      () => import('./ed25519.ts'),
      ({ ED25519 }) => ED25519,
    ),
    linear('ed25519.verify'),
  ),
  late(
    FRAMEWORK_ADDRESS,
    'rs256',
    from(
      'native/rs256',
      () => import('./rs256.ts'),
      ({ RS256 }) => RS256,
    ),
    [],
  ),
];

const PUBLISHING: readonly LateNatives[] = [
  late(
    MOVEOS_STD_ADDRESS,
    'move_module',
    from(
      'native/move-module',
      () => import('./move-module.ts'),
      ({ MOVE_MODULE }) => MOVE_MODULE,
    ),
    [
      'move_module.module_id_inner.base',
      'move_module.module_id_inner.per_byte_in_str',
      ...linear('move_module.sort_and_verify_modules_inner', 'move_module.check_compatibililty_inner'),
      'move_module.sort_and_verify_modules_inner.per_module',
      'move_module.request_init_functions.base',
      'move_module.request_init_functions.per_function',
      ...linear(
        'move_module.replace_address_identifiers',
        'move_module.replace_identifiers',
        'move_module.replace_addresses_constant',
        'move_module.replace_bytes_constant',
        'move_module.replace_u8_constant',
        'move_module.replace_u64_constant',
        'move_module.replace_u256_constant',
      ),
    ],
  ),
];

export const LATE_NATIVES: readonly LateNatives[] = [...ENCODINGS, ...CRYPTOGRAPHY, ...PUBLISHING];
