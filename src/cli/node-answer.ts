/**
 * Answers of nodes as commands read and print them. Whoever answers at `--url` may be no node, and may send characters
 * that a terminal obeys.
 * @module
 */
import { EngineError } from '../base/error.ts';

/** Characters of an answer that a message shows. */
const ANSWER_SHOWN = 80;

/** The control characters that JSON text may have as they are. */
const CONTROLS = /[\x7f-\x9f]/g;

/** The same JSON, in which every control character is escaped. */
export function printableJson(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** The beginning of an answer, quoted for a message. */
export function quotedAnswer(text: string): string {
  return printableJson(JSON.stringify(text.slice(0, ANSWER_SHOWN)));
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/gs;
const CONTROL_ESCAPE = /^\\(?:[bfr]|u00(?:0[0-8b-f]|1.|7f|[89].))$/i;

/**
 * Parses JSON; control characters in its texts, line breaks and tabs excepted, become the escapes that stand for them.
 * @throws {SyntaxError}
 */
export function parsePrintable(text: string): unknown {
  const kept = (sequence: string): string => (CONTROL_ESCAPE.test(sequence) ? `\\${sequence}` : sequence);
  return JSON.parse(printableJson(text).replace(ESCAPE, kept));
}

/**
 * What `read` makes of a result, whose texts can be printed.
 * @param method that was asked, for the message
 * @throws {EngineError} `malformed-bytes` if `read` cannot, since it is not the result of a node
 */
export function readResult<T, U>(method: string, text: string, read: (result: T) => U): U {
  try {
    return read(parsePrintable(text) as T);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const message = `${method}: expected the result that a node gives, got ${quotedAnswer(text)}; is it a node that answers?`;
    throw new EngineError('malformed-bytes', message, { cause: error });
  }
}
