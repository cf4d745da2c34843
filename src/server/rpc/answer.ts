/**
 * Answers in their wire form, and the limits on an answer while it is made.
 * Source: https://www.jsonrpc.org/specification.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { RESPONSE_CHARACTERS_MAX, VALUE_NODES_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { INVALID_REQUEST, PARSE_ERROR, SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import { answerTooLong, type RpcError, rpcError, tooManyParts } from './error.ts';
import { stringifyJson } from './json.ts';
import type { Room } from './method.ts';
import type { RequestId } from './request.ts';

/** The text of an answer, or its UTF-8; undefined if there is none. */
export type Answer = string | Uint8Array | undefined;

/** A result in its wire form, as text. */
export class WrittenResult {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A whole answer, including its id, as UTF-8. Used for large answers, whose text would be expensive to copy, wrap and
 * encode on the engine's thread.
 */
export class EncodedAnswer {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

const DECODER = new TextDecoder();

export function textOf(answer: string | Uint8Array): string {
  return typeof answer === 'string' ? answer : DECODER.decode(answer);
}

/** `result` is JSON. */
export function resultText(id: RequestId, result: string): string {
  return `${resultHead(id)}${result}${RESULT_END}`;
}

export function resultHead(id: RequestId): string {
  return `${head(id)},"result":`;
}

export const RESULT_END = '}';

export function errorText(id: RequestId, { code, message, data }: RpcError): string {
  return `${head(id)},"error":${stringifyJson({ code, message, data })}}`;
}

export function invalidRequest(reason: string): RpcError {
  return rpcError(INVALID_REQUEST, `Invalid Request: ${reason}`, 'invalid-request', { expected: reason });
}

/** For text that is not JSON, or exceeds the parser's limits. */
export function parseError(error: unknown): RpcError {
  const isLimit = error instanceof EngineError && error.code === 'limit-exceeded';
  const reason = error instanceof Error ? error.message : 'expected JSON';
  return rpcError(PARSE_ERROR, `Parse error: ${reason}`, isLimit ? 'limit-exceeded' : 'malformed-json');
}

function head(id: RequestId): string {
  // The one number that JSON can express but JSON.stringify cannot write.
  return `{"jsonrpc":"2.0","id":${Object.is(id, -0) ? '-0' : stringifyJson(id)}`;
}

/** Parts of the decoded values in one answer: as many as one value may have. */
export const ANSWER_PARTS_MAX: number = VALUE_NODES_MAX;

/**
 * How much an answer may still hold, counted while it is made.
 *
 * The length of an answer is certain only once it is text. But a request of a few kilobytes can name one large object a
 * hundred times, or one large transaction a thousand times. So what makes an answer long is counted beforehand: the
 * hexadecimal digits of bytes, and the parts of decoded values.
 */
export class AnswerRoom implements Room {
  readonly #charactersMax: number;
  readonly #partsMax: number;
  #characters = 0;
  #parts = 0;

  /** `charactersMax`: for an answer that becomes text; without it there is no limit. */
  constructor(charactersMax?: number) {
    this.#charactersMax = charactersMax ?? Number.POSITIVE_INFINITY;
    this.#partsMax = charactersMax === undefined ? Number.POSITIVE_INFINITY : ANSWER_PARTS_MAX;
  }

  hex(bytes: Uint8Array): string {
    this.takeCharacters(2 * bytes.length);
    return toHexPrefixed(bytes);
  }

  takeCharacters(count: number): void {
    this.#characters += count;
    if (this.#characters > this.#charactersMax) throw answerTooLong(this.#characters, this.#charactersMax);
  }

  takeParts(count: number): void {
    this.#parts += count;
    if (this.#parts > this.#partsMax) throw tooManyParts(this.#partsMax);
  }
}

/** Characters of unsent answers in all batches together: two of the longest answers. */
export const BATCHES_CHARACTERS_MAX: number = 2 * RESPONSE_CHARACTERS_MAX;

/** Characters of a batch that do not count towards it. */
export const BATCH_CHARACTERS_FREE: number = 32 * 1024;

/**
 * The answers that all batches together have collected and cannot send yet.
 *
 * The requests of batches are queued one by one, so at any time many batches are partly answered. Once these use more than
 * half of their limit, only the largest continues, since it will finish first. Only characters beyond
 * BATCH_CHARACTERS_FREE count, so small batches never wait.
 */
export class BatchAnswers {
  readonly #batches = new Set<BatchAnswer>();
  #counted = 0;
  /**
   * The batch that continues while the others wait. It stays the same until it ends: choosing the largest each time
   * would let each of them continue now and then.
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
    if (this.#length > charactersMax) throw answerTooLong(this.#length, charactersMax);
    if (!this.#all.count(this, Math.max(0, this.#length - BATCH_CHARACTERS_FREE))) throw busy();
    this.#texts.push(text);
  }

  end(): void {
    this.#all.end(this);
  }
}

function busy(): RpcError {
  const expected = `at most ${BATCHES_CHARACTERS_MAX} characters of answers in all batches together`;
  const hint = 'send smaller batches, or try again later; requests of this one may have been executed';
  return rpcError(SERVICE_UNAVAILABLE, `the node is busy: expected ${expected}: ${hint}`, 'limit-exceeded', {
    expected,
    hint,
  });
}
