import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bool, bytes, encode, string, u8, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { fieldKey, STRING_TYPE } from '../../../src/chain/object/field-key.ts';
import { address, addressOf } from '../../../src/move/address.ts';
import {
  type Codec,
  deriveFieldKey,
  formatFieldKey,
  type ObjectId,
  objectId,
  parseFieldKey,
  parseStructTag,
  parseTypeTag,
  resourceFieldKey,
  type StructTag,
  stringFieldKey,
  type TypeTag,
} from '../../../src/query/transaction-builder.ts';
import { fieldKeyArbitrary } from '../../arbitraries/object.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

describeCodec('FieldKey', fieldKey, fieldKeyArbitrary);

const text = new TextEncoder();

function keyOf<T>(codec: Codec<T>, name: T, type: string): string {
  return formatFieldKey(deriveFieldKey(encode(codec, name), parseTypeTag(type)));
}

describe('the derivation of field keys', () => {
  // spec/state.md 11.1, spec/rpc.md 14.
  it.each([
    [
      'string "1"',
      keyOf(string, '1', '0x1::string::String'),
      '0x5c01fed5cc173458597a3d55ec9942f1a385d5aa66f15e3615378d8a773e4d58',
    ],
    [
      'vector<u8> [0x31]',
      keyOf(bytes, text.encode('1'), 'vector<u8>'),
      '0x7301c6d045ed0df28fa129f5a825b210c8300eb0f44bb302e8a54b5eebeae13f',
    ],
    ['u8 1', keyOf(u8, 1, 'u8'), '0x988ba0cd547556c2014c5e718b15fce912b95aa39db882de598b6ea841cde194'],
    ['u64 1', keyOf(u64, 1n, 'u64'), '0x7eb4036673c8611e43c3eff1202446612f22a4b3bac92b7e14c0562ade5f1a3f'],
    ['u64 0', keyOf(u64, 0n, 'u64'), '0x28b56697e9fd6fbf8d6513b44cbeb793537ef7bd71dbe03c7a8d5cfc992ff407'],
    ['u64 2', keyOf(u64, 2n, 'u64'), '0x14e41f37bef443dbf4163625571e6d035763b553cad649387b41be8f7c4c7569'],
    [
      'address 0x1',
      keyOf(address, addressOf(1), 'address'),
      '0x07d29b5cffb95d39f98baed1a973e676891bc9d379022aba6f4a2e4912a5e552',
    ],
    [
      'string "BTCUSD"',
      formatFieldKey(stringFieldKey('BTCUSD')),
      '0x3c673479a0430319da2a4213852d4a11639b3c244c632d385e3e70b1c8f9a619',
    ],
    ['bool true', keyOf(bool, true, 'bool'), '0x9385475df731a1ccf5fc2cfad000e549d84d8c8539d153795833e96e8ab0559c'],
    ['u128 1', keyOf(u128, 1n, 'u128'), '0x6b83fd11bba7256509ef12803e3fd3101039080e34a9c95182e2e1395a88808d'],
    ['u256 1', keyOf(u256, 1n, 'u256'), '0x9229398b93cddd7dfbc96439a35ddb97a49c4e6d3a9b7521ea622e41eeac52b5'],
    [
      'ObjectID [0x1]',
      keyOf<ObjectId>(objectId, [addressOf(1)], '0x2::object::ObjectID'),
      '0x08cdcdef27d12c6bf96593191acac7ff14cd1cc4be315d4b9e9c7d0e09170bf6',
    ],
    [
      'module "string"',
      formatFieldKey(stringFieldKey('string')),
      '0x111d0b6e61b6de8be3836ff42ce4ea417d66cb07f1ee23de7e1f183b1eaba149',
    ],
    [
      'module "object"',
      formatFieldKey(stringFieldKey('object')),
      '0x162801653d53d6f026df9ed0fc8b2cc11b733dfc7c2abc067eb0d5791ad49105',
    ],
    [
      'module "genesis"',
      formatFieldKey(stringFieldKey('genesis')),
      '0x3019758f40056b91839a1748d44b252d99ff203dcd8705583903254e38725428',
    ],
  ])('%s', (_name, key, expected) => {
    expect(key).toBe(expected);
  });

  it.each([
    ['0x3::account_coin_store::AutoAcceptCoins', '0x385f84a2110d6b31412fab278ea8c321d160fdcfa7b745e66e5bf76106280dc5'],
    [
      '0x3::auth_validator_registry::ValidatorRegistry',
      '0xe34f96396959f43bbade77a4a7f0366ee04e4f3e84b609aa440ace4d897f6c15',
    ],
    [
      '0x4::multisign_account::MultisignAccountInfo',
      '0xbf565100a6db100729092ff94521c83bb1d72d2425e65b278021cafdbfffef2c',
    ],
  ])('resource %s', (type, expected) => {
    expect(formatFieldKey(resourceFieldKey(parseStructTag(type)))).toBe(expected);
  });

  it('the published key of a live network', () => {
    const { live_single_leaf } = readVectors<{ live_single_leaf: { field_key: string } }>('state-model.json');
    expect(formatFieldKey(stringFieldKey('BTCUSD'))).toBe(live_single_leaf.field_key);
  });

  it('agrees with the independent model on random names', () => {
    interface KeyVector {
      readonly idBytes: Uint8Array;
      readonly keyType: TypeTag;
      readonly text: string;
      readonly tag: StructTag;
      readonly fieldKey: Uint8Array;
      readonly stringFieldKey: Uint8Array;
      readonly resourceFieldKey: Uint8Array;
    }
    const { ids } = readValueVectors<{ ids: readonly KeyVector[] }>('random-encodings.json');
    for (const vector of ids) {
      expect(toHexPrefixed(deriveFieldKey(vector.idBytes, vector.keyType))).toBe(toHexPrefixed(vector.fieldKey));
      expect(stringFieldKey(vector.text)).toEqual(vector.stringFieldKey);
      expect(deriveFieldKey(encode(string, vector.text), STRING_TYPE)).toEqual(vector.stringFieldKey);
      expect(resourceFieldKey(vector.tag)).toEqual(vector.resourceFieldKey);
    }
  });
});

describe('the text of field keys (spec/rpc.md 2.1: 0x required, 1 to 64 digits)', () => {
  it('is read back, also without leading zeros', () => {
    fc.assert(
      fc.property(fieldKeyArbitrary, (key) => {
        const written = formatFieldKey(key);
        expect(written).toMatch(/^0x[0-9a-f]{64}$/);
        expect(parseFieldKey(written)).toEqual(key);
        expect(parseFieldKey(written.replace(/^0x0*(?=.)/, '0x'))).toEqual(key);
        expect(parseFieldKey(written.toUpperCase())).toEqual(key);
      }),
    );
  });

  it.each(['', '0x', '1', 'a'.repeat(64), `0x${'0'.repeat(65)}`, '0xg', '0x1 ', '0x1\n', '0x0x1'])(
    'refuses %j',
    (written) => {
      expectRefusal(
        () => parseFieldKey(written),
        'invalid-argument',
        'expected a field key of 0x and 1 to 64 hex digits, got',
      );
    },
  );
});
