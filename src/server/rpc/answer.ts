/**
 * Answers in their wire form.
 * @module
 */

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
 * A whole answer, including its id, as UTF-8. Used for large answers: copying, wrapping and encoding 16 MB of text held
 * the engine's thread for a tenth of a second.
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
