/**
 * The natives of the framework: functions that Move modules declare and the host implements.
 *
 * One file holds the natives of one Move module and exports them as `ModuleNatives`; `MODULES` below lists them all. How
 * natives are written is told in `vm/native.ts`; what each costs and when it aborts, in spec/execution.md section 4.
 * Natives that reach the objects, events and modules of the running session do so through `context.host`, which is the
 * session's `SessionHost`; all others are functions of their arguments.
 *
 * Invariants: a native reads no clock and no randomness, and gives the same value, gas and abort code as the reference's.
 * @module
 */
import type { SessionHost } from '../runtime/session-host.ts';
import { NativeTable } from '../vm/native-table.ts';
import { ACCOUNT } from './account.ts';
import { EVENT } from './event.ts';
import type { ModuleNatives } from './module-natives.ts';
import { MOVE_MODULE } from './move-module.ts';
import { MOVEOS_SIGNER } from './moveos-signer.ts';
import { OBJECT } from './object.ts';
import { NativePrices } from './prices.ts';
import { TX_CONTEXT } from './tx-context.ts';

/** By address, then by name. */
const MODULES: readonly ModuleNatives[] = [
  // 0x2
  ACCOUNT,
  EVENT,
  MOVE_MODULE,
  MOVEOS_SIGNER,
  OBJECT,
  TX_CONTEXT,
];

/**
 * All natives at the prices of a gas schedule.
 * @param entries gas units by parameter name
 * @throws {EngineError} `invalid-argument` for a schedule that lacks an entry which all have.
 */
export function nativeTable(entries: ReadonlyMap<string, bigint>): NativeTable<SessionHost> {
  const prices = new NativePrices(entries);
  const table = new NativeTable<SessionHost>();
  for (const { module, natives } of MODULES) table.add(module, natives(prices));
  return table;
}
