/**
 * How `expect` compares bytes: all at once. It would compare them as it does objects, by the names of their indices, and
 * half of the time of the tests of the tree went there. Vitest runs this before each file of tests.
 */
import { expect } from 'vitest';

expect.addEqualityTesters([
  (left, right) => {
    if (!(left instanceof Uint8Array) || !(right instanceof Uint8Array)) return undefined;
    // Whether a Buffer may stand for bytes is for the matcher to say.
    return left.constructor === right.constructor ? Buffer.compare(left, right) === 0 : undefined;
  },
]);
