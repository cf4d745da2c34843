/**
 * The controls of a test node: unsigned calls, changes that no Move code could make, and operations on the chain as a
 * whole.
 *
 * They exist only if `createRpc` enables them, and serve only callers on this machine unless the transport is told
 * otherwise. A method that changes the state answers once the change can be read. The reference has no such methods.
 * @module
 */
import { type DevAccountMethods, devAccountMethods } from './dev-accounts.ts';
import { type DevCallMethods, devCallMethods } from './dev-call.ts';
import { type DevChainMethods, devChainMethods } from './dev-chain.ts';
import { type DevStateMethods, devStateMethods } from './dev-state.ts';
import { type DevTraceMethods, devTraceMethods } from './dev-trace.ts';

export interface DevMethods
  extends DevAccountMethods,
    DevCallMethods,
    DevStateMethods,
    DevChainMethods,
    DevTraceMethods {}

export const devMethods: DevMethods = {
  ...devAccountMethods,
  ...devCallMethods,
  ...devStateMethods,
  ...devChainMethods,
  ...devTraceMethods,
};
