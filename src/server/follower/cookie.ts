/**
 * The cookie file of a Bitcoin Core node: user and password, which the node regenerates each time it starts.
 * Source: https://github.com/bitcoin/bitcoin/blob/master/doc/JSON-RPC-interface.md
 * @module
 */
import { assertText } from '../../base/argument.ts';
import { EngineError } from '../../base/error.ts';

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
