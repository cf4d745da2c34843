/**
 * The header by which a client says which order the chain must have come to before it is answered.
 * @module
 */
import type { IncomingMessage } from 'node:http';

/** Set once in a client, for all of its requests. */
export const MIN_ORDER_HEADER = 'x-movelet-min-order';

/** The order that a request asks for; undefined where it asks for none, null where what it says is none. */
export function minOrderOf({ headers }: IncomingMessage): bigint | undefined | null {
  const given = headers[MIN_ORDER_HEADER];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !/^\d{1,20}$/.test(given)) return null;
  const order = BigInt(given);
  return order < 1n << 64n ? order : null;
}
