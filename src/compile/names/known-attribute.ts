/**
 * The attributes that have a meaning for the compiler, and where they may stand.
 * Source: the reference's `move-compiler/src/shared/mod.rs`.
 * @module
 */

/** What an attribute is attached to. */
export type AttributePosition =
  | 'module'
  | 'script'
  | 'use'
  | 'friend'
  | 'constant'
  | 'struct'
  | 'function'
  | 'specification';

const MEMBERS: readonly AttributePosition[] = ['module', 'use', 'friend', 'constant', 'struct', 'function'];

/** By the name of the attribute. */
const POSITIONS: ReadonlyMap<string, readonly AttributePosition[]> = new Map([
  ['test', ['function']],
  // Of Sui: https://docs.sui.io/guides/developer/first-app/build-test
  ['random_test', ['function']],
  ['test_only', MEMBERS],
  ['expected_failure', ['function']],
  ['verify_only', MEMBERS],
  ['bytecode_instruction', ['function']],
]);

/** Where an attribute may stand; `undefined` for one without a meaning, which may stand anywhere. */
export function positionsOf(name: string): readonly AttributePosition[] | undefined {
  return POSITIONS.get(name);
}

/** Whether an attribute makes a function a test. */
export function isTest(name: string): boolean {
  return name === 'test' || name === 'random_test';
}

/** Whether an attribute is about tests. */
export function isForTests(name: string): boolean {
  return isTest(name) || name === 'test_only' || name === 'expected_failure';
}

/** The natives of the standard library that are instructions, by module and name; of addresses that are 0x1 or `std`. */
export const INSTRUCTION_NATIVES: ReadonlySet<string> = new Set(
  ['empty', 'length', 'borrow', 'push_back', 'borrow_mut', 'pop_back', 'destroy_empty', 'swap'].map(
    (name) => `vector::${name}`,
  ),
);
