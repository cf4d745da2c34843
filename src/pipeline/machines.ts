/**
 * The machines of an engine: with all natives, priced by each state's own gas schedule.
 * @module
 */
import { gasEntriesOf } from '../framework/gas-schedule.ts';
import { nativeTable, prepareNatives } from '../native/table.ts';
import { MachineCache } from '../runtime/machine-cache.ts';
import { prepareSessions } from '../runtime/session.ts';
import type { Engine } from '../vm/machine.ts';

/** @param engine by default, translation where the host allows code to be made */
export function machineCache(engine?: Engine): MachineCache {
  return new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine });
}

/** Loads ahead what this host cannot load when it is needed. */
export async function prepareMachines(): Promise<void> {
  await Promise.all([prepareNatives(), prepareSessions()]);
}
