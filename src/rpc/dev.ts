/**
 * The controls of a test node: what nobody signed, what no Move code could do, and what no chain does to itself.
 *
 * They are methods only where `createRpc` was asked for them, and answer only callers of this machine unless the
 * transport was told otherwise. What changes the state is answered when the change can be read.
 * The methods are our own.
 * @module
 */
import { type DevAccountMethods, devAccountMethods } from './dev-accounts.ts';
import { type DevCallMethods, devCallMethods } from './dev-call.ts';
import { type DevChainMethods, devChainMethods } from './dev-chain.ts';
import { type DevStateMethods, devStateMethods } from './dev-state.ts';

export interface DevMethods extends DevAccountMethods, DevCallMethods, DevStateMethods, DevChainMethods {}

export const devMethods: DevMethods = {
  ...devAccountMethods,
  ...devCallMethods,
  ...devStateMethods,
  ...devChainMethods,
};
