/**
 * What the RPC needs of an engine. `Engine` is one; a test may bring another.
 * @module
 */
import type { LayoutSource } from '../move/layout.ts';
import type { BalanceQueries } from '../query/balance.ts';
import type { BitcoinQueries } from '../query/bitcoin.ts';
import type { EventQueries } from '../query/event.ts';
import type { FieldQueries } from '../query/field.ts';
import type { ObjectQueries } from '../query/object.ts';
import type { StateQueries } from '../query/state.ts';
import type { Status } from '../query/status.ts';
import type { TransactionQueries } from '../query/transaction.ts';
import type { ViewCall, ViewResult } from '../query/view.ts';
import type { State } from '../state/state.ts';

export interface RpcEngine {
  readonly chainId: bigint;
  readonly states: Pick<StateQueries, keyof StateQueries>;
  readonly balances: Pick<BalanceQueries, keyof BalanceQueries>;
  readonly transactions: Pick<TransactionQueries, keyof TransactionQueries>;
  readonly events: Pick<EventQueries, keyof EventQueries>;
  readonly objects: Pick<ObjectQueries, keyof ObjectQueries>;
  readonly fields: Pick<FieldQueries, keyof FieldQueries>;
  readonly bitcoin: Pick<BitcoinQueries, keyof BitcoinQueries>;
  /** The state at the head, or at an earlier root. */
  stateAt(root?: Uint8Array): State;
  /** The layouts of types by the modules of that state. */
  layouts(root?: Uint8Array): LayoutSource;
  /** Runs a function for what it returns, at the head or at an earlier root. */
  view(call: ViewCall, stateRoot?: Uint8Array): ViewResult;
  status(): Status;
}
