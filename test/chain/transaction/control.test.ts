import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { CONTROL_VALIDATOR_ID, IMPERSONATION_VALIDATOR_ID } from '../../../src/base/config.ts';
import { type Control, control, controlRecord, recordedControl } from '../../../src/chain/transaction/control.ts';
import { ledgerTransactionData } from '../../../src/chain/transaction/ledger.ts';
import { objectIdArbitrary, stateChangeSetArbitrary } from '../../arbitraries/object.ts';
import { addressArbitrary } from '../../arbitraries/primitive.ts';
import { structTagArbitrary, typeTagArbitrary } from '../../arbitraries/type-tag.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';

const bytes = fc.uint8Array({ maxLength: 40 });
const optional = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined });

const controls: fc.Arbitrary<Control> = fc.oneof(
  fc.record({
    kind: fc.constant('fund' as const),
    account: addressArbitrary,
    coin: structTagArbitrary,
    amount: fc.bigInt(0n, 2n ** 256n - 1n),
  }),
  fc.record({
    kind: fc.constant('set-object' as const),
    id: objectIdArbitrary,
    owner: optional(addressArbitrary),
    flag: optional(fc.nat(255)),
    type: optional(structTagArbitrary),
    value: optional(bytes),
  }),
  fc.record({
    kind: fc.constant('set-field' as const),
    parent: objectIdArbitrary,
    keyType: typeTagArbitrary,
    key: bytes,
    valueType: typeTagArbitrary,
    value: bytes,
  }),
  fc.record({ kind: fc.constant('set-time' as const), milliseconds: fc.bigInt(0n, 2n ** 64n - 1n) }),
  fc.record({ kind: fc.constant('rescan' as const), found: bytes }),
);

describeCodec('Control', control, controls);

describe('the record of a control', () => {
  it('gives the control and its change set back, through the form of the ledger', () => {
    fc.assert(
      fc.property(controls, stateChangeSetArbitrary, fc.bigInt(1n, 2n ** 63n), (done, changeSet, order) => {
        const record = controlRecord({ control: done, changeSet }, order, 4n);
        expect(record.authenticator).toEqual({ validatorId: CONTROL_VALIDATOR_ID, payload: new Uint8Array(0) });
        const stored = decode(ledgerTransactionData, encode(ledgerTransactionData, record));
        expect(recordedControl(stored)).toEqual({ control: done, changeSet });
      }),
    );
  });

  it('cannot be mistaken for a different transaction', () => {
    const changeSet = { stateRoot: new Uint8Array(32), globalSize: 0n, changes: [] };
    const record = controlRecord({ control: { kind: 'set-time', milliseconds: 1n }, changeSet }, 1n, 4n);
    const payload = new Uint8Array(0);
    expect(recordedControl({ ...record, authenticator: { validatorId: IMPERSONATION_VALIDATOR_ID, payload } })).toBe(
      undefined,
    );
    expect(recordedControl({ kind: 'l1-block', chainId: 0n, blockHeight: 1n, blockHash: payload })).toBe(undefined);
    const modules = { ...record, data: { ...record.data, action: { kind: 'modules', modules: [] } as const } };
    expect(() => recordedControl(modules)).toThrow(/expected a control and its change set, got 0 arguments/);
  });
});
