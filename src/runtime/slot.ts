/**
 * The states that a place of the global state goes through within a session.
 *
 * | state | filled | emptied | effect at the end |
 * | --- | --- | --- | --- |
 * | none | fresh | - | none |
 * | fresh | - | none | new |
 * | cached | - | deleted | none, or modify if what stands there was written to |
 * | deleted | refilled | - | delete |
 * | refilled | - | deleted | modify |
 *
 * Source: `GlobalValue` of the reference.
 * @module
 */
import { assert } from '../error.ts';

export type SlotState = 'none' | 'fresh' | 'cached' | 'deleted' | 'refilled';

export function isFilled(state: SlotState): boolean {
  return state !== 'none' && state !== 'deleted';
}

/** What an empty slot becomes when something is put in. */
export function filled(state: SlotState): SlotState {
  assert(!isFilled(state), `expected an empty slot, got a ${state} one`);
  return state === 'none' ? 'fresh' : 'refilled';
}

/** What a filled slot becomes when what stands there is taken out. */
export function emptied(state: SlotState): SlotState {
  assert(isFilled(state), `expected a filled slot, got ${state}`);
  return state === 'fresh' ? 'none' : 'deleted';
}
