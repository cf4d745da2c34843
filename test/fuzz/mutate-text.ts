/**
 * Changes to what a reader of JSON or of a protocol of lines is given.
 * @module
 */
import { mutate } from '../bitcoin/mutate.ts';
import type { RandomNumber } from '../random.ts';

/** Words that mean something to such a reader. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'null',
  '-',
  '1e999',
  '"id":',
  '"jsonrpc":"2.0"',
  '"__proto__":',
  '\u0000',
  'ε',
  '9'.repeat(40),
  '18446744073709551615',
  '\r\n',
  '0x',
];

/** One change: to its bytes, as for anything binary, or a token put in once or many times. */
export function mutateText(input: Uint8Array, random: RandomNumber): Uint8Array {
  if (random(3) > 0) return mutate(input, random);
  const token = new TextEncoder().encode(TOKENS[random(TOKENS.length)]);
  const at = random(input.length + 1);
  const times = random(8) === 0 ? 1 + random(2_000) : 1;
  return Buffer.concat([input.subarray(0, at), ...Array(times).fill(token), input.subarray(at + random(3))]);
}
