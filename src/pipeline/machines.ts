/**
 * The machines of an engine: with all natives, priced by each state's own gas schedule.
 * @module
 */
import { gasEntriesOf } from '../framework/gas-schedule.ts';
import { nativeTable } from '../native/table.ts';
import { MachineCache } from '../runtime/machine-cache.ts';
import type { ExecutionMode } from '../vm/call.ts';

/** @param engine default: translation if the host allows code generation */
export function machineCache(engine?: ExecutionMode): MachineCache {
  return new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine });
}
