/**
 * The entry point `movelet/rooch`, for what is written for the reference network: the official SDK's client on an engine of
 * this process, and a `TestBox` for suites of `@roochnetwork/test-suite`.
 *
 * ```ts
 * import { TestBox } from 'movelet/rooch';        // instead of '@roochnetwork/test-suite'
 * ```
 * @module
 */
export {
  type RoochRequest,
  RoochRpcError,
  type RoochSseSubscription,
  type RoochSubscription,
  type RoochTransport,
  type RoochTransportOptions,
  roochTransport,
  type Unsubscribe,
} from '../../server/rooch.ts';
export type { ExecutedCommand, OrdProgram, RegtestNode } from './regtest-node.ts';
export { getUnusedPort, RoochContainer, TestBox, type TestDirectory } from './test-box.ts';
