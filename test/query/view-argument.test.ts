import { describe, expect, it } from 'vitest';
import type { ArgumentType } from '../../src/execution/runtime/call-arguments.ts';
import { encodeArgument, type ViewArgument } from '../../src/query/view-argument.ts';

// Such a struct is decoded to the form that stands for the BCS of any value: docs/testing-contracts.md says what to give.
describe('a struct whose only field is bcs: vector<u8>', () => {
  const vector = { kind: 'vector', isReference: false, item: { kind: 'u8', isReference: false } };
  const struct = {
    module: { address: new Uint8Array(32), name: 'm' },
    name: 'S',
    typeArguments: [],
    fieldNames: ['bcs'],
  };
  const type = { kind: 'struct', isReference: false, struct, fields: [vector] } as unknown as ArgumentType;

  it.each<[string, ViewArgument]>([
    ['its own BCS', { bcs: Uint8Array.of(2, 7, 8) }],
    ['its field as hex text', { bcs: '0x0708' }],
    ['its field as an array', { bcs: [7, 8] }],
    ['the BCS of its field', { bcs: { bcs: Uint8Array.of(2, 7, 8) } }],
  ])('is given as %s', (_what, value) => {
    expect(encodeArgument(type, value, 'argument 0')).toEqual(Uint8Array.of(2, 7, 8));
  });
});
