/**
 * What the RPC needs of an engine. `Engine` is one; a test may bring another.
 * @module
 */
import type { Moment } from '../query/moment.ts';

/** The chain at one moment: what one request is answered from. */
export type RpcChain = Pick<Moment, keyof Moment>;

export interface RpcEngine {
  /** Runs `query` on the chain as one commit left it, whatever is committed meanwhile. */
  moment<T>(query: (chain: RpcChain) => T | Promise<T>): Promise<T>;
}
