/**
 * What the validation and execution of a transaction depend on, besides the transaction itself.
 * @module
 */
import { TRANSACTION_NATIVE_WORK_MAX } from '../base/config.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { State } from '../chain/state/state.ts';
import { gasEntriesOf } from '../execution/framework/gas-schedule.ts';
import { localSnapshot } from '../execution/genesis/local-snapshot.ts';
import { nativeTable } from '../execution/native/table.ts';
import { MachineCache } from '../execution/runtime/machine-cache.ts';
import type { ShippedModules } from '../execution/runtime/module-cache.ts';
import type { SessionSettings, SessionTracer } from '../execution/runtime/session.ts';
import type { TxContext } from '../execution/runtime/tx-context.ts';
import type { Deadline } from '../vm/deadline.ts';

export interface ExecutionSettings {
  /** Whether signatures are checked. Everything else is validated in any case. */
  readonly verifySignatures: boolean;
  /**
   * Whether, on a local or dev chain, the framework may give 10^12 gas coins to a sender who has none. If not, senders
   * have to be able to pay, as on the other chains.
   */
  readonly gasGift: boolean;
}

export interface ExecutionContext {
  /** The head that the transaction follows. */
  readonly head: Head;
  readonly state: State;
  readonly machines: MachineCache;
  readonly settings: ExecutionSettings;
  /** When a dry run must end. Never set for a transaction that will be written. */
  readonly deadline?: Deadline | undefined;
  /** Told of the calls of the execution, not of the validation. Never set for a transaction that will be written. */
  readonly tracer?: SessionTracer | undefined;
}

/**
 * The settings of a session on the state before the transaction, metered with the transaction's limits.
 * @param told is told of its calls and of what they print
 */
export function sessionSettings(
  { state, machines, deadline }: ExecutionContext,
  transaction: TxContext,
  told?: Pick<SessionSettings, 'tracer' | 'prints'>,
): SessionSettings {
  return {
    state,
    machine: machines.at(state),
    modules: machines.modules,
    context: transaction,
    gasBudget: transaction.maxGasAmount,
    nativeWorkMax: TRANSACTION_NATIVE_WORK_MAX,
    deadline,
    tracer: told?.tracer,
    prints: told?.prints,
  };
}

export function machineCache(): MachineCache {
  const shippedModules = (): ShippedModules | undefined => localSnapshot()?.modules;
  return new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, shippedModules });
}
