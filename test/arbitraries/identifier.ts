/** Move identifiers. */
import fc from 'fast-check';

/** A letter first, as every name in a type has that was compiled from source. */
export const nameArbitrary: fc.Arbitrary<string> = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,30}$/);

/** Every form: a leading underscore, the longest name and the reserved `<SELF>` among them. */
export const identifierArbitrary: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: nameArbitrary },
  { weight: 2, arbitrary: fc.stringMatching(/^_[a-zA-Z0-9_]{1,30}$/) },
  { weight: 1, arbitrary: fc.constantFrom('<SELF>', 'a'.repeat(255), '__', '_0') },
);
