/**
 * The header that says which order the chain must have reached before the request is answered.
 * @module
 */
import type { IncomingMessage } from 'node:http';

/** A client can set it once, for all of its requests. */
export const MIN_ORDER_HEADER = 'x-movelet-min-order';

/** The order a request asks for: undefined if it asks for none, null if the value is not an order. */
export function minOrderOf({ headers }: IncomingMessage): bigint | undefined | null {
  const given = headers[MIN_ORDER_HEADER];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !/^\d{1,20}$/.test(given)) return null;
  const order = BigInt(given);
  return order < 1n << 64n ? order : null;
}
