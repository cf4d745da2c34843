/**
 * The answers that all batches together have collected and cannot send yet.
 *
 * The requests of batches take turns, so many batches are half answered at any time: 240 connections asking for fifty
 * pages each made a node hold 1.4 GB. So once batches use more than half of their limit, only the largest continues,
 * since it will finish first. Only characters beyond BATCH_CHARACTERS_FREE count, so small batches are never held up.
 * @module
 */
import { RESPONSE_CHARACTERS_MAX } from '../../base/config.ts';
import { SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import { type RpcError, responseTooBig, rpcError } from './error.ts';

/** Characters of answers that all batches together have gathered and not sent: two of the longest. */
export const BATCHES_CHARACTERS_MAX: number = 2 * RESPONSE_CHARACTERS_MAX;

/** Characters of a batch that do not count: a hundred balances, and more. */
export const BATCH_CHARACTERS_FREE: number = 32 * 1024;

export class BatchAnswers {
  readonly #batches = new Set<BatchAnswer>();
  #counted = 0;
  /**
   * The batch that continues while the others wait. It stays the same until it ends: choosing the largest each time
   * would let all of them continue in turn.
   */
  #ahead: BatchAnswer | undefined;

  /** Begins a batch. The caller must end it. */
  begin(): BatchAnswer {
    const batch = new BatchAnswer(this);
    this.#batches.add(batch);
    return batch;
  }

  /** Whether a batch has to wait. */
  holdsUp(batch: BatchAnswer): boolean {
    if (batch.counted === 0 || this.#counted <= BATCHES_CHARACTERS_MAX / 2) return false;
    this.#ahead ??= this.#largest(batch);
    return this.#ahead !== batch;
  }

  #largest(batch: BatchAnswer): BatchAnswer {
    let largest = batch;
    for (const other of this.#batches) if (other.counted > largest.counted) largest = other;
    return largest;
  }

  /** Sets the characters counted for a batch. Returns false, and changes nothing, if there is no room for them. */
  count(batch: BatchAnswer, counted: number): boolean {
    const more = counted - batch.counted;
    if (more > 0 && this.#counted + more > BATCHES_CHARACTERS_MAX) return false;
    this.#counted += more;
    batch.counted = counted;
    return true;
  }

  end(batch: BatchAnswer): void {
    this.count(batch, 0);
    this.#batches.delete(batch);
    if (this.#ahead === batch) this.#ahead = undefined;
    for (const other of this.#batches) other.look();
  }
}

/** The answers of one batch. */
class BatchAnswer {
  /** Characters counted towards the limit. */
  counted = 0;
  readonly #all: BatchAnswers;
  readonly #texts: string[] = [];
  #length = 0;
  #goOn: (() => void) | undefined;

  constructor(all: BatchAnswers) {
    this.#all = all;
  }

  /** The text of the batch; undefined if nothing is to be answered. */
  get text(): string | undefined {
    return this.#texts.length === 0 ? undefined : `[${this.#texts.join(',')}]`;
  }

  /** Resolves when its next request may start. */
  async mayGoOn(): Promise<void> {
    while (this.#all.holdsUp(this)) {
      await new Promise<void>((goOn) => {
        this.#goOn = goOn;
      });
    }
  }

  /** Checks again whether it may continue. */
  look(): void {
    this.#goOn?.();
    this.#goOn = undefined;
  }

  /**
   * Keeps an answer.
   * @throws {RpcError} `limit-exceeded` if the batch is too long, or the batches together are
   */
  add(text: string, charactersMax: number): void {
    this.#length += text.length;
    if (this.#length > charactersMax) throw responseTooBig(this.#length, charactersMax);
    if (!this.#all.count(this, Math.max(0, this.#length - BATCH_CHARACTERS_FREE))) throw busy();
    this.#texts.push(text);
  }

  end(): void {
    this.#all.end(this);
  }
}

function busy(): RpcError {
  const expected = `at most ${BATCHES_CHARACTERS_MAX} characters of answers in all batches together`;
  const hint = 'send smaller batches, or ask again later; requests of this one may have been carried out';
  return rpcError(SERVICE_UNAVAILABLE, `the node is busy: expected ${expected}: ${hint}`, 'limit-exceeded', {
    expected,
    hint,
  });
}
