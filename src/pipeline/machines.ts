/**
 * The machines of an engine: with all natives, priced by each state's own gas schedule.
 * @module
 */
import { gasEntriesOf } from '../framework/gas-schedule.ts';
import { nativeTable } from '../native/table.ts';
import { MachineCache } from '../runtime/machine-cache.ts';
import type { ExecutionMode } from '../vm/machine.ts';

/** @param engine by default, translation where the host allows code to be made */
export function machineCache(engine?: ExecutionMode): MachineCache {
  return new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine });
}
