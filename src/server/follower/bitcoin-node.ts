/**
 * A Bitcoin Core node behind its JSON-RPC endpoint: the four calls a follower needs.
 *
 * Everything that can be checked is checked: a block must have the requested hash, a height must be valid, answers are
 * limited in bytes and time while they arrive and before they are parsed, redirects are not followed, and the node's
 * texts are made printable before they are repeated. User and password appear in no message, even if the node repeats
 * them.
 * Source: https://developer.bitcoin.org/reference/rpc/ (getblockcount, getblockhash, getblock, sendrawtransaction).
 * @module
 */

import {
  A_FUNCTION,
  argumentError,
  assertBytes,
  assertFits,
  assertOptions,
  assertText,
  type Expectation,
  TEXT,
  wholeNumber,
} from '../../base/argument.ts';
import { fromHex, toHex } from '../../base/bytes/bytes.ts';
import { reportAtCaller } from '../../base/caller.ts';
import { BITCOIN_HEIGHT_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { sha256d } from '../../base/hash/sha256.ts';
import { basicCredentials, fetchFailure, readHttpAddress } from '../../base/http-address.ts';
import { BITCOIN_BLOCK_BYTES_MAX } from '../../bitcoin/block.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import { HEADER_BYTES } from '../../bitcoin/header.ts';

/** Milliseconds that a Bitcoin node has for one answer: enough for a block of 8 MB of hex from a slow disk. */
const BITCOIN_RPC_TIMEOUT_MS = 30_000;
/** Bytes of one answer of a Bitcoin node: a block as hex, and the JSON around it. */
const BITCOIN_RPC_ANSWER_BYTES_MAX = 2 * BITCOIN_BLOCK_BYTES_MAX + 4_096;
/** The same for answers without a block: a number, a hash, an error. */
const BITCOIN_RPC_SHORT_ANSWER_BYTES_MAX = 65_536;

/** The address of a Bitcoin node, and its credentials. */
export interface BitcoinNodeOptions {
  /** `http://[user:password@]host:port`. */
  readonly url: string;
  /** `user:password`, read before each call, since a cookie changes when the node restarts. */
  readonly credentials?: (() => string | Promise<string>) | undefined;
  /** Milliseconds the node has for an entire answer. Default: BITCOIN_RPC_TIMEOUT_MS. */
  readonly timeoutMilliseconds?: number | undefined;
}

/** An answer's result, and the same as text for a message. */
interface Reply {
  readonly result: unknown;
  readonly quoted: () => string;
}

/** The credentials of one call: its headers, and the texts that no message may repeat. */
interface Login {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

const OPTIONS: Readonly<Record<keyof BitcoinNodeOptions, Expectation>> = {
  url: TEXT,
  credentials: A_FUNCTION,
  timeoutMilliseconds: wholeNumber(1, 0x7fff_ffff),
};
const HEIGHT: Expectation = wholeNumber(0, BITCOIN_HEIGHT_MAX);

function assertSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw argumentError('signal', 'an AbortSignal', signal);
}

/** A Bitcoin Core node, reached over JSON-RPC. */
export class BitcoinNode {
  static {
    reportAtCaller(BitcoinNode);
  }

  /** For messages: without user and password, and without path and query, since some services carry a key there. */
  readonly url: string;
  readonly #address: string;
  readonly #credentials: (() => string | Promise<string>) | undefined;
  readonly #timeoutMs: number;

  /** @throws {EngineError} `invalid-argument`, also for a URL that is not http or https. */
  constructor(options: BitcoinNodeOptions) {
    assertOptions(options, OPTIONS);
    const { url, credentials, timeoutMilliseconds = BITCOIN_RPC_TIMEOUT_MS } = options;
    const address = readHttpAddress(url);
    if (address === undefined) {
      throw new EngineError('invalid-argument', 'url: expected http://[user:password@]host:port as the Bitcoin node');
    }
    const { href, origin, credentials: own } = address;
    this.#credentials = credentials ?? (own === undefined ? undefined : () => own);
    this.#timeoutMs = timeoutMilliseconds;
    this.#address = href;
    this.url = `${origin}/${href === `${origin}/` ? '' : '...'}`;
  }

  /** The height of the best block. */
  async blockCount(signal?: AbortSignal): Promise<number> {
    assertSignal(signal);
    const { result: count, quoted } = await this.#call('getblockcount', [], signal);
    if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= BITCOIN_HEIGHT_MAX)
      return count as number;
    throw this.#failure(`getblockcount gave ${quoted()}, which is no height`);
  }

  /** The hash of the block at a height of the best chain, in display order. */
  async blockHash(height: number, signal?: AbortSignal): Promise<string> {
    assertFits(height, 'height', HEIGHT);
    assertSignal(signal);
    const { result: hash, quoted } = await this.#call('getblockhash', [height], signal);
    if (typeof hash === 'string' && HASH.test(hash)) return hash;
    throw this.#failure(`getblockhash ${height} gave ${quoted()}, which is no hash`);
  }

  /** The consensus bytes of a block. */
  async block(hash: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (typeof hash !== 'string' || !HASH.test(hash))
      throw argumentError('hash', 'a block hash of 64 hex digits', hash);
    assertSignal(signal);
    const { result: hex } = await this.#call('getblock', [hash, 0], signal, BITCOIN_RPC_ANSWER_BYTES_MAX);
    if (typeof hex !== 'string' || hex.length < 2 * HEADER_BYTES || hex.length % 2 !== 0 || !/^[0-9a-f]+$/.test(hex)) {
      throw this.#failure(`getblock ${hash} gave no block`);
    }
    const block = fromHex(hex);
    const own = formatBitcoinHash(sha256d(block.subarray(0, HEADER_BYTES)));
    if (own !== hash) throw this.#failure(`getblock ${hash} gave another block, ${own}`);
    return block;
  }

  /**
   * Sends a transaction to the network.
   * @returns its txid, in display order.
   * @throws {EngineError} `transaction-rejected` with the node's reason.
   */
  async broadcast(transaction: Uint8Array, signal?: AbortSignal): Promise<string> {
    assertBytes(transaction, 'transaction');
    assertSignal(signal);
    const { result: txid } = await this.#call('sendrawtransaction', [toHex(transaction)], signal);
    if (typeof txid === 'string' && HASH.test(txid)) return txid;
    throw this.#failure('sendrawtransaction gave no txid');
  }

  async #call(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal | undefined,
    bytesMax: number = BITCOIN_RPC_SHORT_ANSWER_BYTES_MAX,
  ): Promise<Reply> {
    const body = JSON.stringify({ jsonrpc: '1.0', id: method, method, params });
    // Read for each call: concurrent calls may have different ones.
    const { headers, secrets } = await this.#login();
    const { error, result } = await this.#ask({ body, headers }, bytesMax, signal);
    if (error === undefined || error === null) {
      return { result, quoted: () => printable(JSON.stringify(result), secrets) };
    }
    const [words, code] = typeof error === 'object' ? [error.message, error.code] : [error, undefined];
    const reason = `${printable(words, secrets)}${code === undefined ? '' : ` (Bitcoin error ${printable(code, secrets)})`}`;
    if (method === 'sendrawtransaction') throw new EngineError('transaction-rejected', `${method}: ${reason}`);
    const asked = [method, ...params.slice(0, 1)].join(' ');
    throw new EngineError('not-found', `the Bitcoin node at ${this.url}: ${asked}: ${reason}`);
  }

  async #login(): Promise<Login> {
    try {
      const credentials = await this.#credentials?.();
      return credentials === undefined ? { headers: {}, secrets: [] } : loginOf(credentials);
    } catch (cause) {
      throw cause instanceof EngineError ? cause : this.#failure(fetchFailure(cause), cause);
    }
  }

  async #ask(
    { body, headers }: { readonly body: string; readonly headers: Login['headers'] },
    bytesMax: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const limit = AbortSignal.timeout(this.#timeoutMs);
    let text: string;
    let status: number;
    try {
      const response = await fetch(this.#address, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      status = response.status;
      if (status >= 300 && status < 400) {
        await response.body?.cancel();
        throw this.#failure(`it redirects (HTTP ${status}), which is not followed: give the address itself`);
      }
      text = await this.#bodyOf(response, bytesMax);
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      if (limit.aborted) throw this.#failure(`it did not answer in full within ${this.#timeoutMs} ms`);
      throw this.#failure(fetchFailure(cause), cause);
    }
    if (status === 401 || status === 403) throw this.#failure(`it refuses user and password (HTTP ${status})`);
    return this.#read(text, status);
  }

  /** An answer is an object of three members, one of them long; anything that takes more memory to parse is refused. */
  #read(text: string, status: number): Answer {
    let answer: unknown;
    try {
      answer = isShallow(text) ? JSON.parse(text) : undefined;
    } catch {
      // The parser's error repeats some of the text.
      throw this.#failure(`it answers HTTP ${status} without JSON`);
    }
    if (typeof answer === 'object' && answer !== null) return answer;
    throw this.#failure(`it answers HTTP ${status} without JSON that could be an answer`);
  }

  async #bodyOf(response: Response, bytesMax: number): Promise<string> {
    const body = new Uint8Array(bytesMax);
    let length = 0;
    for await (const chunk of response.body ?? []) {
      const bytes = chunk as Uint8Array;
      if (length + bytes.length > bytesMax) throw this.#failure(`its answer has more than ${bytesMax} bytes`);
      body.set(bytes, length);
      length += bytes.length;
    }
    return new TextDecoder().decode(body.subarray(0, length));
  }

  #failure(reason: string, cause?: unknown): EngineError {
    return new EngineError('transport-failed', `the Bitcoin node at ${this.url}: ${reason}`, { cause });
  }
}

const HASH = /^[0-9a-f]{64}$/;

/** How many characters of foreign text to repeat. */
const PRINTED_LENGTH_MAX = 200;

/** Control characters, and those that change the direction of text or break lines. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

function loginOf(credentials: string): Login {
  const coded = basicCredentials(credentials);
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const quoted = JSON.stringify(password).slice(1, -1);
  const secrets = [credentials, coded, password, quoted].filter((secret) => secret !== '');
  return { headers: { authorization: `Basic ${coded}` }, secrets };
}

/** Foreign JSON as text that is safe for a log or a terminal. */
function printable(given: unknown, secrets: readonly string[]): string {
  let whole = typeof given === 'string' ? given : (JSON.stringify(given) ?? 'nothing');
  for (const secret of secrets) whole = whole.replaceAll(secret, '***');
  const shown = whole.slice(0, PRINTED_LENGTH_MAX).replace(UNPRINTABLE, ' ');
  return whole.length > PRINTED_LENGTH_MAX ? `${shown}...` : shown;
}

/** Maximum number of characters in an answer outside its strings. */
const SHALLOW_CHARACTERS_MAX = 4_096;

/** Whether a JSON text consists of a few strings and little else. */
function isShallow(text: string): boolean {
  let outside = 0;
  let at = 0;
  while (at < text.length) {
    const quoteAt = text.indexOf('"', at);
    outside += (quoteAt === -1 ? text.length : quoteAt) - at + 1;
    if (outside > SHALLOW_CHARACTERS_MAX) return false;
    if (quoteAt === -1) return true;
    at = stringEnd(text, quoteAt + 1);
  }
  return true;
}

/** The position after the closing quotation mark of the string at `at`. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** A user without a colon, and a password: one line. */
const COOKIE = /^[^:\s]+:\S+$/;

/**
 * Reads user and password from a node's `.cookie` file, for `BitcoinNode`: `{ url, credentials: cookieFile(path) }`.
 * The file is read before each call, so following survives a restart of the node.
 * @returns a function that throws an {EngineError} `not-found` while the file cannot be read, `malformed-bytes` if it
 * holds anything else. No error repeats the file's contents.
 * @throws {EngineError} `invalid-argument`
 */
export function cookieFile(path: string): () => Promise<string> {
  assertText(path, 'path');
  return async () => {
    const { readFile } = await import('node:fs/promises');
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (cause) {
      const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be read';
      throw new EngineError(
        'not-found',
        `the Bitcoin node's cookie file ${path}: ${why}; the node writes it when it starts`,
      );
    }
    const cookie = text.trim();
    if (COOKIE.test(cookie)) return cookie;
    throw new EngineError(
      'malformed-bytes',
      `the Bitcoin node's cookie file ${path}: expected user:password in one line`,
    );
  };
}
