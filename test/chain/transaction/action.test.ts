import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import {
  type Action,
  action,
  formatFunctionId,
  functionCall,
  functionId,
  parseFunctionId,
} from '../../../src/chain/transaction/action.ts';
import { addressOf, formatAddressBech32 } from '../../../src/move/address.ts';
import { actionArbitrary, functionCallArbitrary, functionIdArbitrary } from '../../arbitraries/transaction.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';

describeCodec('FunctionId', functionId, functionIdArbitrary);
describeCodec('FunctionCall', functionCall, functionCallArbitrary);
describeCodec('MoveAction', action, actionArbitrary);

describe('the bytes of actions (spec/state.md 6.2)', () => {
  const owner = `${'0'.repeat(63)}3`;
  it.each<[Action, string]>([
    [{ kind: 'script', code: Uint8Array.of(0xa1), typeArguments: [{ kind: 'bool' }], arguments: [] }, '0001a1010000'],
    [
      {
        kind: 'function',
        function: { address: addressOf(3), module: 'm', name: 'f' },
        typeArguments: [{ kind: 'u8' }, { kind: 'address' }],
        arguments: [Uint8Array.of(7), new Uint8Array(0)],
      },
      `01${owner}016d016602010402010700`,
    ],
    [{ kind: 'modules', modules: [Uint8Array.of(1, 2), Uint8Array.of(3)] }, '02020201020103'],
  ])('of %j', (value, hex) => {
    expect(toHex(encode(action, value))).toBe(hex);
    expect(decode(action, fromHex(hex))).toEqual(value);
  });

  it('there are three kinds', () => {
    expectRefusal(() => decode(action, fromHex('03')), 'malformed-bytes', 'MoveAction has no variant number 3');
  });
});

describe('the text of function ids (spec/rpc.md 2.1)', () => {
  const full = `0x${'0'.repeat(63)}3`;
  it.each([
    ['0x3::m::f', `${full}::m::f`],
    [`${full}::m::f`, `${full}::m::f`],
    [`${full.slice(2)}::m::f`, `${full}::m::f`],
    ['0x0003::m_1::_f', `${full}::m_1::_f`],
    // The reference refuses bech32m here; design/wire.md takes every form of an address everywhere.
    [`${formatAddressBech32(addressOf(3))}::m::f`, `${full}::m::f`],
  ])('reads %s', (text, expected) => {
    expect(formatFunctionId(parseFunctionId(text))).toBe(expected);
  });

  it.each([
    ['', 'expected a function <address>::<module>::<function>, got ""'],
    ['0x3', 'expected a function'],
    ['0x3::m', 'expected a function'],
    ['0x3::m::f::g', 'expected a function'],
    ['0x3::m::', 'expected a function'],
    ['0x3::::f', 'expected a function'],
    ['0x3::1m::f', 'expected a function'],
    ['0x3::m::f<u8>', 'expected a function'],
    ['0x3:: m::f', 'expected a function'],
    ['0x3:m:f', 'expected a function'],
    ['::m::f', 'expected an address'],
    ['3::m::f', 'expected an address'],
    ['0xg::m::f', 'expected an address'],
  ])('refuses %j', (text, message) => {
    expectRefusal(() => parseFunctionId(text), 'invalid-argument', message);
  });

  it('is read back', () => {
    fc.assert(
      fc.property(functionIdArbitrary, (id) => {
        expect(parseFunctionId(formatFunctionId(id))).toEqual(id);
      }),
    );
  });
});
