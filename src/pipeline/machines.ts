/**
 * The machines of an engine: with all natives, priced by each state's own gas schedule.
 * @module
 */
import { gasEntriesOf } from '../execution/framework/gas-schedule.ts';
import { localSnapshot } from '../execution/genesis/local-snapshot.ts';
import { nativeTable } from '../execution/native/table.ts';
import { MachineCache } from '../execution/runtime/machine-cache.ts';
import type { ShippedModules } from '../execution/runtime/shipped-modules.ts';
import type { ExecutionMode } from '../vm/call.ts';

/** @param engine default: translation if the host allows code generation */
export function machineCache(engine?: ExecutionMode): MachineCache {
  const shippedModules = (): ShippedModules | undefined => localSnapshot()?.modules;
  return new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine, shippedModules });
}
