/**
 * The code that runs Move, signs and follows Bitcoin: the machine with all its natives and the curves behind them,
 * views, ingestion; and rarely used parts: histories, diffs, recordings. It is twice as much code as reading a chain
 * takes.
 * `Engine.open` loads it, so that nothing can fail to load later.
 *
 * The engine imports this only through `Engine.open`: a program that imports the package and opens no engine does not
 * wait for it (test/floors.test.ts).
 * @module
 */
import { machineCache } from './pipeline/machines.ts';
import { LayoutCache } from './runtime/layout-source.ts';
import type { MachineCache } from './runtime/machine-cache.ts';

export { assertMineOptions } from './bitcoin/mine.ts';
export { releasedGenesis } from './genesis/released-genesis.ts';
export { offerLibrary } from './hash/secp256k1-library.ts';
export { ingestion } from './ingest/block-turn.ts';
export { keptOptions, nextBlock } from './ingest/next-block.ts';
export { blockRules, watchedOwners } from './ingest/options.ts';
export { rescan } from './ingest/rescan.ts';
export { timeOf } from './pipeline/execute-control.ts';
export { ExpectedHashes } from './pipeline/expected-hashes.ts';
export { orderSigner, orderVerifier } from './pipeline/order-signer.ts';
export { publishAction, publishedFirst } from './pipeline/publish.ts';
export { Receipt } from './pipeline/receipt.ts';
export { rerun } from './pipeline/rerun.ts';
export { simulate } from './pipeline/simulate.ts';
export { step } from './pipeline/step.ts';
export { receivedOutcome, sentOutcome } from './pipeline/step-aside.ts';
export { accountsOf, fundedAccounts } from './query/account.ts';
export { BitcoinQueries, toBlockReference } from './query/bitcoin.ts';
export { diffStates } from './query/diff.ts';
export { encodeAction, encodeValue } from './query/function-call.ts';
export { HistoryQueries } from './query/object-version.ts';
export { ViewQueries } from './query/view.ts';
export { Recording } from './recording/recording.ts';
export { PrintLog } from './runtime/print-log.ts';
export { runSession } from './runtime/run-session.ts';
export { SignaturesAhead } from './signature/ahead.ts';
export { moduleLookup } from './trace/explain-failure.ts';
export { Recorder } from './trace/recorder.ts';
export { callStackBy, traceOf } from './trace/traced.ts';
export { Deadline } from './vm/deadline.ts';

/** The machines of all engines of the process, keyed by the code that they run. */
export const machines: MachineCache = machineCache();

/** The layouts of all engines of the process, keyed by the modules that declare the types. */
export const layouts: LayoutCache = new LayoutCache();
