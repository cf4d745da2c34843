/**
 * How a recorded run is replayed: in full, with each return, or only the branch that leads to the end.
 *
 * A chain in memory can go back, so everything is replayed, and the roots of abandoned branches are compared too. A
 * durable chain never goes back, so it gets only the inputs of the wanted branch.
 *
 * The replay is a turn of the writer: the inputs, each with its recorded clock reading, go through the same
 * step as all inputs. Each result is compared before the next input runs.
 * @module
 */

import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import type { Head } from '../../chain/ledger/head.ts';
import { type Input, isRefusal, type TimedInput } from '../../pipeline/input.ts';
import type { OrderSignature } from '../../pipeline/sequence.ts';
import type { Present } from '../../pipeline/step.ts';
import type { SequencerClock, Turn } from '../../pipeline/turn.ts';
import { inputOf, type RecordedCommit } from '../record.ts';
import { decodeRunEntry, type RunFile } from './run-file.ts';

/** One leg of a replay: play inputs, keep the moment after them for later, or return to a kept moment. */
export type RunLeg =
  | { readonly kind: 'play'; readonly entries: readonly Uint8Array[] }
  | { readonly kind: 'keep'; readonly moment: number }
  | { readonly kind: 'return'; readonly moment: number };

/** The origin of each moment. Moment 0 is the beginning of the run. */
interface Moments {
  /** For each moment, the previous one on its branch; moment 0 for moment 0. */
  readonly parents: readonly number[];
  readonly orders: readonly bigint[];
  /** Index of the entry that first led to each moment; -1 for moment 0. */
  readonly entries: readonly number[];
  /** The moment at which the run ends. */
  readonly last: number;
}

/**
 * The legs that lead to the end of a run, or to the last moment at an order.
 * @param to the order; undefined for the end of the run
 * @param canReturn whether the replaying chain can go back
 * @throws {EngineError} `invalid-argument` for an order that is not on the branch that leads to the end of the run;
 * `malformed-bytes`
 */
export function runPlan(run: RunFile, to: bigint | undefined, canReturn: boolean): RunLeg[] {
  const moments = momentsOf(run);
  const way = wayTo(moments, moments.last);
  const wanted = to === undefined ? moments.last : way.find((moment) => moments.orders[moment] === to);
  if (wanted === undefined) {
    const [first, last] = [moments.orders[0], moments.orders[moments.last]];
    throw new EngineError(
      'invalid-argument',
      `to: expected an order from ${first} to ${last}, as the run has them, got ${to}`,
    );
  }
  if (!canReturn) {
    const entries = wayTo(moments, wanted).slice(1);
    return [{ kind: 'play', entries: entries.map((moment) => run.entries[moments.entries[moment]!]!) }];
  }
  const isEnd = to === undefined;
  return wholePlan(run, isEnd ? run.entries.length : moments.entries[wanted]! + 1);
}

/** The moments from the first one to `moment`. */
function wayTo({ parents }: Moments, moment: number): number[] {
  const way = [moment];
  for (let at = moment; at !== 0; at = parents[at]!) way.push(parents[at]!);
  return way.reverse();
}

function momentsOf({ header, entries }: RunFile): Moments {
  const parents = [0];
  const orders = [header.order];
  const places = [-1];
  let at = 0;
  for (const [index, entry] of entries.entries()) {
    const returned = returnOf(entry);
    if (returned === undefined) {
      parents.push(at);
      orders.push(orders[at]! + 1n);
      places.push(index);
      at = parents.length - 1;
    } else if (returned < parents.length) {
      at = returned;
    } else {
      throw new EngineError(
        'malformed-bytes',
        `entry ${index} of the run returns to input ${returned}, which is not there yet`,
      );
    }
  }
  return { parents, orders, entries: places, last: at };
}

/** The moment that an entry returns to; undefined for an input, which is not decoded because blocks are long. */
function returnOf(entry: Uint8Array): number | undefined {
  if (entry[0] !== RETURN_TAG) return undefined;
  const decoded = decodeRunEntry(entry);
  return decoded.kind === 'return' ? decoded.moment : undefined;
}

/** The first byte of a return in BCS. */
const RETURN_TAG = 1;

/** Everything up to entry `end`, exclusive. */
function wholePlan({ entries }: RunFile, end: number): RunLeg[] {
  const returns = entries.slice(0, end).map(returnOf);
  const targets = new Set(returns);
  const legs: RunLeg[] = targets.has(0) ? [{ kind: 'keep', moment: 0 }] : [];
  let played: Uint8Array[] = [];
  let moment = 0;
  const close = (): void => {
    if (played.length > 0) legs.push({ kind: 'play', entries: played });
    played = [];
  };
  for (const [index, returned] of returns.entries()) {
    if (returned !== undefined) {
      close();
      legs.push({ kind: 'return', moment: returned });
      continue;
    }
    played.push(entries[index]!);
    moment++;
    if (!targets.has(moment)) continue;
    close();
    legs.push({ kind: 'keep', moment });
  }
  close();
  return legs;
}

/** The last commit whose input was given. */
interface Given extends TimedInput {
  readonly commit: RecordedCommit;
}

export class RunTurn implements Turn {
  readonly clock: SequencerClock;
  readonly sign: OrderSignature;
  readonly #entries: Iterator<Uint8Array>;
  readonly #recordedBy: string;
  readonly #done: (error: unknown) => void;
  #given: Given | undefined;

  /**
   * @param entries inputs as they are in the file
   * @param recordedBy version of the program that recorded them
   * @param done called at the end, with the error that ended the run early, if any
   */
  constructor(entries: readonly Uint8Array[], recordedBy: string, done: (error: unknown) => void) {
    this.#entries = entries[Symbol.iterator]();
    this.#recordedBy = recordedBy;
    this.#done = done;
    const given = (): Given => this.#given!;
    this.clock = {
      read: () => given().now,
      get offset() {
        return given().clockOffset;
      },
    };
    this.sign = () => given().commit.transaction.sequenceInfo.txOrderSignature;
  }

  next({ head }: Present): Input | undefined {
    if (this.#given !== undefined) this.#compare(head);
    const { value, done } = this.#entries.next();
    if (done === true) {
      this.#given = undefined;
      return undefined;
    }
    const entry = decodeRunEntry(value);
    if (entry.kind !== 'commit') throw new EngineError('malformed-bytes', 'expected a commit of the run, got a return');
    this.#given = { ...inputOf(entry), commit: entry };
    return this.#given.input;
  }

  committed(): void {}

  end(error?: unknown): void {
    const given = this.#given;
    const isOwn = error instanceof EngineError && error.code === 'replay-differs';
    if (given === undefined || isOwn || !isRefusal(error)) {
      this.#done(error);
      return;
    }
    const received = `a refusal: ${error.message}`;
    this.#done(
      this.#difference(given, 'state root', toHexPrefixed(given.commit.executionInfo.stateRoot), received, error),
    );
  }

  /** Compares the result of the previous input. */
  #compare({ stateRoot, accumulator }: Head): void {
    const given = this.#given!;
    const { transaction, executionInfo } = given.commit;
    // The accumulator first: if the input became a different transaction, the state differs too.
    const pairs = [
      ['accumulator root', transaction.sequenceInfo.txAccumulatorRoot, accumulator.root],
      ['state root', executionInfo.stateRoot, stateRoot],
    ] as const;
    for (const [what, expected, received] of pairs) {
      if (equalBytes(expected, received)) continue;
      throw this.#difference(given, what, toHexPrefixed(expected), toHexPrefixed(received));
    }
  }

  #difference(
    { input: { kind }, commit }: Given,
    what: string,
    expected: string,
    received: string,
    cause?: unknown,
  ): EngineError {
    const { txOrder: order } = commit.transaction.sequenceInfo;
    return new EngineError(
      'replay-differs',
      `order ${order} (${kind}): expected the ${what} ${expected}, as movelet ${this.#recordedBy} recorded it, got ${received}`,
      { details: { order: String(order), input: kind, what, expected, received }, cause },
    );
  }
}
