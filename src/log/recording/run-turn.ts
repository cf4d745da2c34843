/**
 * Replays a recorded run as a turn of the writer: the inputs, each with its recorded clock reading, go through the same
 * step as all inputs. Each result is compared before the next input runs.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import type { Head } from '../../chain/ledger/head.ts';
import type { Input, TimedInput } from '../../pipeline/input.ts';
import { isRefusal } from '../../pipeline/refusal.ts';
import type { OrderSignature } from '../../pipeline/sequence.ts';
import type { Present } from '../../pipeline/step.ts';
import type { SequencerClock, Turn } from '../../pipeline/turn.ts';
import { inputOf, type RecordedCommit } from '../record.ts';
import { decodeRunEntry } from './run-file.ts';

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
