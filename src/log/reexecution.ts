/**
 * Re-executing the inputs of records: a reader that does so trusts the writer only with their order, not with their
 * effects. The input runs on the same state with the recorded clock reading, so everything must come out the same:
 * status, gas, changes, roots and events.
 *
 * Cost: that of the commit on its writer. The engine must be opened with the writer's `ingest` options, which say what
 * is kept of Bitcoin blocks.
 * @module
 */

import { encode } from '../base/bcs/codec.ts';
import { equalBytes } from '../base/bytes/compare.ts';
import { toHexPrefixed } from '../base/bytes/hex.ts';
import { EngineError } from '../base/error.ts';
import { applyChangeSet } from '../chain/state/apply.ts';
import type { WriterTools } from '../pipeline/group-filler.ts';
import type { Present, SequencedOutcome } from '../pipeline/step.ts';
import { eventRoot } from '../store/accumulator/accumulator.ts';
import { type CommitRecord, inputOf, type RecordBody, recordBody, recordedRowOf } from './record.ts';

/** Which records are re-executed: all, or those whose order is a multiple of this number. */
export type ReexecutedShare = 'all' | number;

/** What re-execution needs from the writer's tools. */
export type ExecutionTools = Pick<WriterTools, 'step' | 'machines' | 'settings'>;

export class Reexecution {
  readonly #every: bigint;
  readonly #tools: () => ExecutionTools;

  constructor(share: ReexecutedShare, tools: () => ExecutionTools) {
    this.#every = share === 'all' ? 1n : BigInt(share);
    this.#tools = tools;
  }

  /**
   * Re-executes the input of a record, if it belongs to the share.
   * @param present the chain before it
   * @throws {EngineError} `replay-differs`, naming what differs, with both state roots; what the store throws
   */
  check(record: CommitRecord, present: Pick<Present, 'head' | 'state' | 'rows'>): void {
    const { order } = record;
    if (order % this.#every !== 0n) return;
    const { step, machines, settings } = this.#tools();
    const { input, now, clockOffset } = inputOf(record);
    const outcome = step(input, { ...present, machines, settings, now, clockOffset, sign: undefined });
    if (outcome.kind === 'refused') {
      throw differs(order, 'outcome', `a refusal (${outcome.error.message})`, record.executionInfo.status.kind);
    }
    compare(record, bodyAgain(record, outcome, present));
  }
}

/** The body the record would have if this node had written it. */
function bodyAgain(record: CommitRecord, { sequenced, output }: SequencedOutcome, { state }: Pick<Present, 'state'>) {
  const { changeSet } = applyChangeSet(state, output.changeSet);
  const { events, status, gasUsed } = output;
  const { txOrderSignature } = record.transaction.sequenceInfo;
  const body: RecordBody = {
    ...record,
    transaction: { data: sequenced.data, sequenceInfo: { ...sequenced.sequenceInfo, txOrderSignature } },
    executionInfo: {
      txHash: sequenced.hash,
      stateRoot: changeSet.stateRoot,
      size: changeSet.globalSize,
      eventRoot: eventRoot(events),
      gasUsed,
      status,
    },
    changeSet,
    events,
    rows: (output.rows ?? []).map(recordedRowOf),
  };
  return body;
}

function compare(record: CommitRecord, again: RecordBody): void {
  if (equalBytes(encode(recordBody, record), encode(recordBody, again))) return;
  const { order, executionInfo: theirs } = record;
  const ours = again.executionInfo;
  const pairs: readonly (readonly [what: string, expected: string, received: string])[] = [
    ['status', ours.status.kind, theirs.status.kind],
    ['gas', String(ours.gasUsed), String(theirs.gasUsed)],
    ['state root', toHexPrefixed(ours.stateRoot), toHexPrefixed(theirs.stateRoot)],
    ['event root', toHexPrefixed(ours.eventRoot), toHexPrefixed(theirs.eventRoot)],
  ];
  const found = pairs.find(([, expected, received]) => expected !== received);
  const [what, expected, received] = found ?? ['result', 'the same in all its parts', 'others'];
  const error = differs(order, what, expected, received);
  const roots = { ourStateRoot: toHexPrefixed(ours.stateRoot), stateRoot: toHexPrefixed(theirs.stateRoot) };
  throw new EngineError(
    error.code,
    `${error.message}; the state root is ${roots.ourStateRoot} here and ${roots.stateRoot} in the record`,
    { details: { ...error.details, ...roots } },
  );
}

function differs(order: bigint, what: string, expected: string, received: string): EngineError {
  return new EngineError(
    'replay-differs',
    `executed here it has another ${what}: expected ${expected}, got ${received}`,
    {
      details: { order: String(order), what, expected, received },
    },
  );
}
