/**
 * The natives of the framework: functions that Move modules declare and the host implements.
 *
 * One file holds the natives of one Move module and exports them as `ModuleNatives`; `NATIVE_MODULES` below lists them all. How
 * natives are written is told in `vm/native.ts`; what each costs and when it aborts, in spec/execution.md section 4.
 * Natives that reach the objects, events and modules of the running session do so through `context.host`, which is the
 * session's `SessionHost`; all others are functions of their arguments.
 *
 * Invariants: a native reads no clock and no randomness, and gives the same value, gas and abort code as the reference's.
 * @module
 */
import type { SessionHost } from '../runtime/session-host.ts';
import { NativeTable } from '../vm/native-table.ts';
import { ABILITY } from './ability.ts';
import { ACCOUNT } from './account.ts';
import { BCS } from './bcs.ts';
import { DEBUG } from './debug.ts';
import { EVENT } from './event.ts';
import { HASH } from './hash.ts';
import { LATE_NATIVES } from './late-natives.ts';
import type { ModuleNatives } from './module-natives.ts';
import { MOVEOS_BCS } from './moveos-bcs.ts';
import { MOVEOS_SIGNER } from './moveos-signer.ts';
import { OBJECT } from './object.ts';
import { NativePrices } from './prices.ts';
import { SIGNER } from './signer.ts';
import { STRING } from './string.ts';
import { TEST_HELPER } from './test-helper.ts';
import { TX_CONTEXT } from './tx-context.ts';
import { TYPE_INFO } from './type-info.ts';
import { TYPE_NAME } from './type-name.ts';
import { VECTOR } from './vector.ts';

/** What nearly every call needs. By address, then by name. */
const READY_NATIVES: readonly ModuleNatives[] = [
  // 0x1
  BCS,
  DEBUG,
  HASH,
  SIGNER,
  STRING,
  TYPE_NAME,
  VECTOR,
  // 0x2
  ABILITY,
  ACCOUNT,
  EVENT,
  MOVEOS_BCS,
  MOVEOS_SIGNER,
  OBJECT,
  TEST_HELPER,
  TX_CONTEXT,
  TYPE_INFO,
];

/** All natives. Those that are loaded late must have been prepared before they are asked for. */
export const NATIVE_MODULES: readonly ModuleNatives[] = [...READY_NATIVES, ...LATE_NATIVES];

/** Loads ahead what this host cannot load when it is needed. */
export async function prepareNatives(): Promise<void> {
  await Promise.all(LATE_NATIVES.map((natives) => natives.prepare()));
}

/**
 * All natives at the prices of a gas schedule.
 * @param entries gas units by parameter name
 * @throws {EngineError} `invalid-argument` for a schedule that lacks an entry which all have, `limit-exceeded` for a
 * price above 2^32.
 */
export function nativeTable(entries: ReadonlyMap<string, bigint>): NativeTable<SessionHost> {
  const prices = new NativePrices(entries);
  const table = new NativeTable<SessionHost>();
  for (const { module, natives, pure } of READY_NATIVES) table.add(module, natives(prices), pure);
  for (const { module, natives, prices: needed } of LATE_NATIVES) {
    for (const key of needed) prices.of(key);
    for (const key of entries.keys()) if (key.startsWith(`${module.name}.`)) prices.find(key);
    table.addLate(module, () => natives(prices));
  }
  return table;
}
