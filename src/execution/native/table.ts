/**
 * The natives of the framework: functions that Move modules declare and the host implements.
 *
 * One file holds the natives of one Move module and exports them as `ModuleNatives`; `NATIVE_MODULES` below lists them
 * all. `vm/native.ts` explains how natives are written; each native's file defines its cost and its aborts. Natives
 * that access the objects, events and modules of the running session do so through `context.host`, which is the
 * session's `SessionHost`; all others are functions of their arguments.
 *
 * Invariants: a native reads no clock and no randomness, and has the same value, gas and abort code as in the
 * reference.
 * @module
 */

import { NativeTable } from '../../vm/native.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { BASE58 } from './base58.ts';
import { BASE64 } from './base64.ts';
import { BCS, MOVEOS_BCS } from './bcs.ts';
import { BECH32 } from './bech32.ts';
import { BITCOIN_ADDRESS, ORD } from './bitcoin.ts';
import { BLS12381 } from './bls12381.ts';
import { CBOR } from './cbor.ts';
import { DEBUG, TEST_HELPER } from './debug.ts';
import { ECDSA_K1 } from './ecdsa-k1.ts';
import { ECDSA_R1 } from './ecdsa-r1.ts';
import { ED25519 } from './ed25519.ts';
import { EVENT } from './event.ts';
import { EVM } from './evm.ts';
import { GROTH16 } from './groth16.ts';
import { HASH, MOVEOS_HASH } from './hash.ts';
import { JSON_NATIVES } from './json.ts';
import { type ModuleNatives, NativePrices } from './module-natives.ts';
import { MOVE_MODULE } from './move-module.ts';
import { OBJECT } from './object.ts';
import { RLP } from './rlp.ts';
import { RS256 } from './rs256.ts';
import { ACCOUNT, MOVEOS_SIGNER, STD_SIGNER, TX_CONTEXT } from './signer.ts';
import { STRING } from './string.ts';
import { ABILITY, TYPE_INFO, TYPE_NAME } from './type.ts';
import { VECTOR } from './vector.ts';

/** All natives, by address and then by name. */
export const NATIVE_MODULES: readonly ModuleNatives[] = [
  // 0x1
  BCS,
  DEBUG,
  HASH,
  STD_SIGNER,
  STRING,
  TYPE_NAME,
  VECTOR,
  // 0x2
  ABILITY,
  ACCOUNT,
  BASE58,
  BASE64,
  BECH32,
  BLS12381,
  CBOR,
  EVENT,
  EVM,
  GROTH16,
  JSON_NATIVES,
  MOVE_MODULE,
  MOVEOS_BCS,
  MOVEOS_HASH,
  MOVEOS_SIGNER,
  OBJECT,
  RLP,
  TEST_HELPER,
  TX_CONTEXT,
  TYPE_INFO,
  // 0x3
  BITCOIN_ADDRESS,
  ECDSA_K1,
  ECDSA_R1,
  ED25519,
  RS256,
  // 0x4
  ORD,
];

/**
 * All natives with the prices of a gas schedule.
 * @param entries gas units by parameter name
 * @throws {EngineError} `invalid-argument` for a schedule that lacks a required entry, `limit-exceeded` for a price
 * above 2^32.
 */
export function nativeTable(entries: ReadonlyMap<string, bigint>): NativeTable<SessionHost> {
  const prices = new NativePrices(entries);
  const table = new NativeTable<SessionHost>();
  for (const { module, natives, pure } of NATIVE_MODULES) table.add(module, natives(prices), pure);
  return table;
}
