/**
 * The states of a slot of the global state within a session.
 *
 * | state | filled | emptied | effect at the end |
 * | --- | --- | --- | --- |
 * | none | fresh | - | none |
 * | fresh | - | none | new |
 * | cached | - | deleted | none, or modify if the value was written to |
 * | deleted | refilled | - | delete |
 * | refilled | - | deleted | modify |
 *
 * Source: `GlobalValue` of the reference.
 * @module
 */
import { assert } from '../../base/error.ts';

export type SlotState = 'none' | 'fresh' | 'cached' | 'deleted' | 'refilled';

export function isFilled(state: SlotState): boolean {
  return state !== 'none' && state !== 'deleted';
}

/** What an empty slot becomes when it is filled. */
export function filled(state: SlotState): SlotState {
  assert(!isFilled(state), `expected an empty slot, got a ${state} one`);
  return state === 'none' ? 'fresh' : 'refilled';
}

/** What a filled slot becomes when it is emptied. */
export function emptied(state: SlotState): SlotState {
  assert(isFilled(state), `expected a filled slot, got ${state}`);
  return state === 'fresh' ? 'none' : 'deleted';
}
