/**
 * The code that runs Move, signs and follows Bitcoin: the machine with its natives and curves, views, ingestion; and
 * rarely used parts: histories, diffs, recordings. It is twice as much code as reading a chain takes. `Engine.open`
 * loads it, so nothing can fail to load later.
 *
 * The engine imports this only through `Engine.open`: a program that imports the package and opens no engine does not
 * wait for it (test/floors.test.ts).
 * @module
 */

import { LayoutCache } from '../execution/runtime/layout-source.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import { machineCache } from '../pipeline/execution-context.ts';

export { assertMineOptions } from '../bitcoin/mine.ts';
export { releasedGenesis } from '../execution/genesis/released-genesis.ts';
export { runSession } from '../execution/runtime/session.ts';
export { PrintLog } from '../execution/runtime/session-host.ts';
export { moduleLookup } from '../execution/trace/explain-failure.ts';
export { Recorder } from '../execution/trace/recorder.ts';
export { callStackBy, traceOf } from '../execution/trace/trace.ts';
export { Recording } from '../log/recording/recording.ts';
export { timeOf } from '../pipeline/execute-control.ts';
export { ingestion, keptOptions, nextBlock } from '../pipeline/ingest/block-turn.ts';
export { blockRules, watchedOwners } from '../pipeline/ingest/options.ts';
export { rescan } from '../pipeline/ingest/rescan.ts';
export { publishAction, publishedFirst } from '../pipeline/publish.ts';
export { Receipt } from '../pipeline/receipt.ts';
export { rerun, simulate } from '../pipeline/rerun.ts';
export { step } from '../pipeline/step.ts';
export { receivedOutcome, sentOutcome } from '../pipeline/step-aside.ts';
export { accountsOf, fundedAccounts } from '../query/account.ts';
export { BitcoinQueries, toBlockReference } from '../query/bitcoin.ts';
export { diffStates } from '../query/diff.ts';
export { encodeAction, encodeValue } from '../query/function-call.ts';
export { HistoryQueries } from '../query/object-version.ts';
export { callView } from '../query/view.ts';
export { Deadline } from '../vm/deadline.ts';
export { canTranslate } from '../vm/translate/translate.ts';

/** The machines of all engines of the process, keyed by the code that they run. */
export const machines: MachineCache = machineCache();

/** The layouts of all engines of the process, keyed by the modules that declare the types. */
export const layouts: LayoutCache = new LayoutCache();
