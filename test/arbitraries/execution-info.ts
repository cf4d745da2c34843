/** What execution adds to a transaction. */
import fc from 'fast-check';
import type { ExecutionInfo, KeptStatus, Location } from '../../src/chain/transaction/execution-info.ts';
import { addressArbitrary } from './address.ts';
import { bytes32Arbitrary } from './bytes.ts';
import { identifierArbitrary } from './identifier.ts';
import { u16Arbitrary, u64Arbitrary } from './integer.ts';

export const locationArbitrary: fc.Arbitrary<Location> = fc.oneof(
  fc.record({ kind: fc.constant('module' as const), address: addressArbitrary, name: identifierArbitrary }),
  fc.constant<Location>({ kind: 'script' }),
);

export const keptStatusArbitrary: fc.Arbitrary<KeptStatus> = fc.oneof(
  fc.constantFrom<KeptStatus>({ kind: 'executed' }, { kind: 'out-of-gas' }, { kind: 'miscellaneous-error' }),
  fc.record({ kind: fc.constant('move-abort' as const), location: locationArbitrary, code: u64Arbitrary }),
  fc.record({
    kind: fc.constant('execution-failure' as const),
    location: locationArbitrary,
    function: u16Arbitrary,
    codeOffset: u16Arbitrary,
  }),
);

export const executionInfoArbitrary: fc.Arbitrary<ExecutionInfo> = fc.record({
  txHash: bytes32Arbitrary,
  stateRoot: bytes32Arbitrary,
  size: u64Arbitrary,
  eventRoot: bytes32Arbitrary,
  gasUsed: u64Arbitrary,
  status: keptStatusArbitrary,
});
