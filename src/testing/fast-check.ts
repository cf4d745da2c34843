/**
 * The entry point `movelet/fast-check`: contracts under random values and random sequences of calls. It needs fast-check.
 * @module
 */
export {
  InvariantBroken,
  type InvariantOptions,
  type InvariantReport,
  invariant,
  type RandomCall,
  type Step,
} from './invariant.ts';
export { argumentsOf } from './random-call.ts';
