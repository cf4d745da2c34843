/**
 * A Bitcoin Core node behind its JSON-RPC endpoint: the four calls that following needs.
 * Source: https://developer.bitcoin.org/reference/rpc/ (getblockcount, getblockhash, getblock, sendrawtransaction).
 * @module
 */
import { fromHex, toHex } from '../bytes/hex.ts';
import { BITCOIN_RPC_ANSWER_BYTES_MAX, BITCOIN_RPC_TIMEOUT_MS } from '../config.ts';
import { EngineError } from '../error.ts';

export interface BitcoinNodeOptions {
  /** `http://[user:password@]host:port`. */
  readonly url: string;
  /** `user:password`, asked for before each call, since a cookie changes when the node starts again. */
  readonly credentials?: (() => string | Promise<string>) | undefined;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

export class BitcoinNode {
  /** Without user and password, for messages. */
  readonly url: string;
  readonly #credentials: (() => string | Promise<string>) | undefined;

  /** @throws {EngineError} `invalid-argument` for an address that is none of HTTP. */
  constructor({ url, credentials }: BitcoinNodeOptions) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
      throw new EngineError('invalid-argument', 'expected http://[user:password@]host:port as the Bitcoin node');
    }
    const own = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
    this.#credentials = credentials ?? (own === ':' ? undefined : () => own);
    parsed.username = '';
    parsed.password = '';
    this.url = parsed.href;
  }

  /** The height of the best block. */
  async blockCount(signal?: AbortSignal): Promise<number> {
    const count = await this.#call('getblockcount', [], signal);
    if (Number.isSafeInteger(count)) return count as number;
    throw this.#failure(`getblockcount gave ${JSON.stringify(count)}, which is no height`);
  }

  /** The hash of the block at a height of the best chain, as people write it. */
  async blockHash(height: number, signal?: AbortSignal): Promise<string> {
    const hash = await this.#call('getblockhash', [height], signal);
    if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return hash;
    throw this.#failure(`getblockhash ${height} gave ${JSON.stringify(hash)}, which is no hash`);
  }

  /** The consensus bytes of a block. */
  async block(hash: string, signal?: AbortSignal): Promise<Uint8Array> {
    const hex = await this.#call('getblock', [hash, 0], signal);
    if (typeof hex === 'string' && /^([0-9a-f]{2})+$/.test(hex)) return fromHex(hex);
    throw this.#failure(`getblock ${hash} gave no block`);
  }

  /**
   * Hands a transaction to the network.
   * @returns its txid, as people write it.
   * @throws {EngineError} `transaction-rejected` with the node's reason.
   */
  async broadcast(transaction: Uint8Array, signal?: AbortSignal): Promise<string> {
    const txid = await this.#call('sendrawtransaction', [toHex(transaction)], signal, 'transaction-rejected');
    if (typeof txid === 'string') return txid;
    throw this.#failure('sendrawtransaction gave no txid');
  }

  async #call(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal | undefined,
    refusal: 'transaction-rejected' | 'not-found' = 'not-found',
  ): Promise<unknown> {
    const { error, result } = await this.#ask(JSON.stringify({ jsonrpc: '1.0', id: method, method, params }), signal);
    if (error === undefined || error === null) return result;
    throw new EngineError(refusal, `${method}: ${String(error.message)} (Bitcoin error ${String(error.code)})`);
  }

  async #ask(body: string, signal: AbortSignal | undefined): Promise<Answer> {
    const limit = AbortSignal.timeout(BITCOIN_RPC_TIMEOUT_MS);
    let text: string;
    let status: number;
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: await this.#headers(),
        body,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      status = response.status;
      text = await this.#bodyOf(response);
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
      throw this.#failure(inner instanceof Error ? inner.message || inner.name : String(inner), cause);
    }
    if (status === 401 || status === 403) throw this.#failure(`it refuses user and password (HTTP ${status})`);
    try {
      return JSON.parse(text) as Answer;
    } catch (cause) {
      throw this.#failure(`it answers HTTP ${status} without JSON`, cause);
    }
  }

  async #headers(): Promise<Record<string, string>> {
    const headers = { 'content-type': 'application/json' };
    if (this.#credentials === undefined) return headers;
    return { ...headers, authorization: `Basic ${btoa(await this.#credentials())}` };
  }

  async #bodyOf(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += (chunk as Uint8Array).length;
      if (length > BITCOIN_RPC_ANSWER_BYTES_MAX) {
        throw this.#failure(`its answer has more than ${BITCOIN_RPC_ANSWER_BYTES_MAX} bytes`);
      }
      text += decoder.decode(chunk as Uint8Array, { stream: true });
    }
    return text;
  }

  #failure(reason: string, cause?: unknown): EngineError {
    return new EngineError('transport-failed', `the Bitcoin node at ${this.url}: ${reason}`, { cause });
  }
}
