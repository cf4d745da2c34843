import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, u32, u64 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import {
  compareObjectIds,
  customObjectKey,
  equalObjectIds,
  freshAddress,
  MODULE_STORE_ID,
  MODULE_STORE_TYPE,
  OBJECT_ID_DEPTH_MAX,
  PACKAGE_TYPE,
  packageObjectId,
  parentObjectId,
  parseObjectIdHex,
  ROOT_OBJECT_ID,
} from '../../../src/chain/object/object-id.ts';
import { addressOf, parseAddressHex } from '../../../src/move/address.ts';
import { displayStruct, parseStructTag, type StructTag } from '../../../src/move/type-tag.ts';
import {
  accountNamedObjectId,
  accountObjectId,
  childObjectId,
  customObjectId,
  type FieldKey,
  formatObjectId,
  namedObjectId,
  type ObjectId,
  objectId,
  parseObjectId,
  stringFieldKey,
} from '../../../src/query/transaction-builder.ts';
import { fieldKeyArbitrary, objectIdArbitrary } from '../../arbitraries/object.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

describeCodec('ObjectID', objectId, objectIdArbitrary);

const RGAS = '0x3::gas_coin::RGas';

/** Type of a named object and its id: spec/state.md 2.8 and 11.1, spec/rpc.md 14. */
const NAMED: readonly (readonly [string, string])[] = [
  ['0x2::timestamp::Timestamp', '0x3a7dfe7a9a5cd608810b5ebd60c7adf7316667b17ad5ae703af301b74310bcca'],
  ['0x2::module_store::ModuleStore', '0x14481947570f6c2f50d190f9a13bf549ab2f0c9debc41296cd4d506002379659'],
  ['0x2::module_store::Allowlist', '0x4ff47f6a2863d5f3bef901da42c558229a71491256be941ef5dfc0426a9d0500'],
  ['0x2::gas_schedule::GasSchedule', '0x0742c9bdd282f3834424a8a1366825a4c6608f3dab65833d5107256222ba566e'],
  ['0x2::features::FeatureStore', '0xcb4739ccb8b5681d2e208954da032e962ff7e097021aa0e89a4820c96ecfd683'],
  ['0x3::chain_id::ChainID', '0xec610c175ebc424209b0c657851deb77b52ce5f0699b719c77d6a58b89c9bc22'],
  ['0x3::onchain_config::OnchainConfig', '0xae2b488b030fdceffd9a6fd775919a456a3198c802c9933d72e012625d829f12'],
  ['0x3::onchain_config::ConfigUpdateCap', '0xea9b7725f82cc3477593fce594f1d74f646c152fc7e132a7a143ca66e7a50a08'],
  [
    '0x3::address_mapping::RoochToBitcoinAddressMapping',
    '0x2ec24e80179f353555d1012f896a708dcf1f441ffb4131413af0cb245510e721',
  ],
  [
    '0x3::address_mapping::MultiChainAddressMapping',
    '0xabd9afae425c6f707d89248f2afb8f25bd5cf4dccebb072273615d526f1f9e4b',
  ],
  [`0x3::coin::CoinInfo<${RGAS}>`, '0x40b2f8ef9c5fd72f37683bf66138681f08339f154b1d8b8139ac503ffef3f65e'],
  ['0x3::coin::CoinRegistry', '0x543a4207350b787b2df0c06b5d707916c94126ec11e0aba562e488633fca44a3'],
  ['0x3::transaction_fee::TransactionFeePool', '0xd66d0c2e9b47f75f2a6dca80584208333c3327cf89326b905d3850b9970f13f3'],
  ['0x3::indexer::FieldIndexerTablePlaceholder', '0xe4d08f2472a6dc0f5c5028de9b0c50c0c811c9fda3a9146a0536f5f0853e80bb'],
  ['0x3::did::DIDRegistry', '0x482e23c1c432a74beda4988353b415f6a5eea989f673f834d3e365c281da0463'],
  ['0x3::empty::Empty', '0x6d0d3345a5a2139b2fdc5d86c7219799771e2a5da4fdc724d1206b4fb3c86cf0'],
  ['0x4::bitcoin::BitcoinBlockStore', '0x1c1c924dad73da98ed2138a8a971ebe6e029a27d5ebb170236d1af9f44760667'],
  ['0x4::pending_block::PendingStore', '0x420bc855c5d42f766dd81eca2678c39bb8f84ab0e470d9509653191adafc3f55'],
  ['0x4::network::BitcoinNetwork', '0xb213abdec5c7c909093cf7cbab6b02c8330251c1a98ba13c098b263c077e6d0a'],
  ['0x4::utxo::BitcoinUTXOStore', '0xf74d177bfec2d8de0c4893f6502d3e5b55f12f75e158d53b035dcbe33782ef16'],
  ['0x4::ord::InscriptionStore', '0xdb390b6de192a991ddb226b2071545da12e46c9c9477f62ae1b5b4689d7bc293'],
  ['0x4::bbn::BBNGlobalParams', '0xb5f69e21a55ce7e2d3b9e9f6dde00200b76ebf45b84f1aa1424bc27760ff3012'],
  // Event handles have the same rule.
  ['0x3::coin_store::CreateEvent', '0x3797fc63218944e37225cf62545e1bfa77cbd404214017e4ce5effa6e2e62e53'],
  ['0x3::coin_store::DepositEvent', '0xb853393e53406be49dfd6325e65de25eae00c348cbe0b2cec8ea56513fa2c26a'],
  ['0x3::coin_store::WithdrawEvent', '0x18e4e7d4ead4c9a9be261bbe4c140e06c12a6e9bd7cad46a9f44caa4acc4174c'],
  ['0x3::coin::MintEvent', '0x87581b5513794e3d2c31f9e24e13bca0b83f16be3fd711976d4ae511f5d97281'],
  ['0x3::multi_coin_store::CreateEvent', '0xa775863aa14c4bd86e7570f4dd05226f257e98ce67e7548eb9252421b0056390'],
  ['0x3::multi_coin_store::DepositEvent', '0xfbbc6e6eea4ee8607f9483262e56c0b821f189dbe0b630324490838ea3125c59'],
  ['0x2::display::Display<0x4::utxo::UTXO>', '0xf74d865f79a6d313f414f5b4a77484fca3255cb7455519fabbf5cd9f7c085b7b'],
];

const account42 = addressOf(0x42);
const counting = Uint8Array.from({ length: 32 }, (_, index) => index);

/** Ids of accounts, values and transactions: spec/state.md 2.8 and 11.1, spec/rpc.md 14. */
const DERIVED: readonly (readonly [string, Uint8Array | undefined, string])[] = [
  [
    'account coin store',
    accountNamedObjectId(account42, parseStructTag(`0x3::coin_store::CoinStore<${RGAS}>`))[0],
    '0x562409111a2ca55814e56eb42186470c4adda4a04a4a84140690f4d68e8e1c06',
  ],
  [
    'multi coin store',
    accountNamedObjectId(account42, parseStructTag('0x3::multi_coin_store::MultiCoinStore'))[0],
    '0x0e04ae2a1b4351b81d8a40eea8eb3651f4286bf0fdc03408c55b6b751bc7371f',
  ],
  [
    'upgrade capability of 0x1',
    accountNamedObjectId(addressOf(1), parseStructTag('0x2::module_store::UpgradeCap'))[0],
    '0x7f5fe7fe8c26eef3ba7ee6a0f04cfdbb0a3d3cf48d7f75b82287f3e02190eebb',
  ],
  [
    'custom id of u64 1',
    customObjectId(encode(u64, 1n), parseStructTag('0x2::object::TestStruct'))[0],
    '0x6c62fde28fadbe652ba0eec95f5f096c900c94191a2debca96276b2de4b6ee3a',
  ],
  [
    'UTXO of txid 00..1f, vout 1',
    customObjectKey(concatBytes(counting, encode(u32, 1)), parseStructTag('0x4::utxo::UTXO')),
    '0xe92f586eaa5f66cf9f0df8ca8cc924d19a106c3f64c8a87f90bffad411fa3588',
  ],
  [
    'fresh id 0 of the test genesis transaction',
    freshAddress(fromHex('0xec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486'), 0n),
    '0x6f2ec4a11e3d5fadbe2a72ffda439901052c1e1a38cf328375c8c7c770131519',
  ],
  [
    // The same formula as the order witness of spec/state.md 11.7.
    'fresh id 7 of the test genesis transaction',
    freshAddress(fromHex('0xec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486'), 7n),
    '0x3e9af6ff5bc0dfaa13b01d7d688c9ed86332c464ab6069ceae1af7fd06b4a9d5',
  ],
];

describe('the derivations of object ids', () => {
  it.each(NAMED)('named %s', (type, id) => {
    expect(formatObjectId(namedObjectId(parseStructTag(type)))).toBe(id);
    expect(formatObjectId(parseObjectId(type))).toBe(id);
    expect(formatObjectId(parseObjectId(id))).toBe(id);
  });

  it.each(DERIVED)('%s', (_name, id, expected) => {
    expect(toHexPrefixed(id!)).toBe(expected);
  });

  it('the UTXO of a known outpoint, as a child of the UTXO store', () => {
    const txid = fromHex('77dfc2fe598419b00641c296181a96cf16943697f573480b023b77cce82ada21');
    const store = namedObjectId(parseStructTag('0x4::utxo::BitcoinUTXOStore'));
    const key = customObjectKey(concatBytes(txid, encode(u32, 0)), parseStructTag('0x4::utxo::UTXO'));
    expect(toHex(encode(objectId, childObjectId(store, key)))).toBe(
      '02f74d177bfec2d8de0c4893f6502d3e5b55f12f75e158d53b035dcbe33782ef166056a4a7b33326d5fb811c95b39cbca0743662e14fa3b904c41fa07d4b5c3956',
    );
  });

  it('a package: the module store and the address, unhashed', () => {
    const { ids } = readVectors<{ ids: { module_store: string; package_0x1: string } }>('state-model.json');
    const store = namedObjectId(parseStructTag('0x2::module_store::ModuleStore'));
    expect(formatObjectId(store)).toBe(ids.module_store);
    expect(formatObjectId(childObjectId(store, addressOf(1)))).toBe(ids.package_0x1);
  });

  it('agree with the independent model on random values', () => {
    interface IdVector {
      readonly tag: StructTag;
      readonly owner: Uint8Array;
      readonly idBytes: Uint8Array;
      readonly counter: bigint;
      readonly named: Uint8Array;
      readonly accountNamed: Uint8Array;
      readonly custom: Uint8Array;
      readonly fresh: Uint8Array;
    }
    const { ids } = readValueVectors<{ ids: readonly IdVector[] }>('random-encodings.json');
    expect(ids.length).toBeGreaterThan(10);
    for (const { tag, owner, idBytes, counter, named, accountNamed, custom, fresh } of ids) {
      expect(namedObjectId(tag)).toEqual([named]);
      expect(accountNamedObjectId(owner, tag)).toEqual([accountNamed]);
      expect(customObjectId(idBytes, tag)).toEqual([custom]);
      expect(freshAddress(owner, counter)).toEqual(fresh);
    }
  });
});

describe('the bytes of object ids (spec/state.md 2.1)', () => {
  it.each<[string, ObjectId, string]>([
    ['the root', ROOT_OBJECT_ID, '00'],
    ['an object', [addressOf(3)], `01${'0'.repeat(63)}3`],
    ['a child', [addressOf(3), addressOf(4)], `02${'0'.repeat(63)}3${'0'.repeat(63)}4`],
  ])('%s', (_name, id, hex) => {
    expect(toHex(encode(objectId, id))).toBe(hex);
    expect(decode(objectId, fromHex(hex))).toEqual(id);
  });

  it('hold a bounded number of parts', () => {
    const deep = (parts: number): ObjectId => Array.from({ length: parts }, () => addressOf(1));
    expect(decode(objectId, encode(objectId, deep(OBJECT_ID_DEPTH_MAX)))).toHaveLength(OBJECT_ID_DEPTH_MAX);
    expectRefusal(() => encode(objectId, deep(17)), 'invalid-argument', 'at most 16 parts, got 17');
    for (const count of ['11', 'ffffffff0f']) {
      const bytes = concatBytes(fromHex(count), new Uint8Array(17 * 32));
      expectRefusal(() => decode(objectId, bytes), 'malformed-bytes', 'at most 16 parts');
    }
    expectRefusal(() => parseObjectId(`0x${'0'.repeat(17 * 64)}`), 'invalid-argument', 'at most 16 parts, got 17');
    expectRefusal(() => encode(objectId, [new Uint8Array(31)]), 'invalid-argument', 'expected 32 bytes, got 31');
  });
});

describe('the text of object ids (spec/rpc.md 5.4)', () => {
  const one = `${'0'.repeat(63)}1`;
  it.each([
    ['0x', '0x'],
    ['', '0x'],
    ['0X', '0x'],
    ['0x1', `0x${one}`],
    ['1', `0x${one}`],
    ['0x01', `0x${one}`],
    [one, `0x${one}`],
    [`0x${one}`, `0x${one}`],
    [`0x${'A'.repeat(64)}`, `0x${'a'.repeat(64)}`],
    [`0x${one}${one}`, `0x${one}${one}`],
    [`${one}${one}${one}`, `0x${one}${one}${one}`],
    ['0x2::timestamp::Timestamp', NAMED[0]![1]],
    [' 0x02 :: timestamp :: Timestamp ', NAMED[0]![1]],
    [`0x3::coin::CoinInfo< ${RGAS}, >`, NAMED[10]![1]],
  ])('reads %j', (text, expected) => {
    expect(formatObjectId(parseObjectId(text))).toBe(expected);
  });

  it.each([
    // The reference drops the last, incomplete part in silence; here it is an error.
    [`0x${one}1`, 'expected an object id of at most 64 hex digits or a multiple of 64, got 65 digits'],
    [`0x${one}${one.slice(1)}`, 'a multiple of 64, got 127 digits'],
    ['0xg', 'expected an object id of 0x and hex digits, or <address>::<module>::<name>, got "0xg"'],
    ['hello', 'expected an object id of 0x and hex digits'],
    ['0x 1', 'expected an object id of 0x and hex digits'],
    ['0x1\n', 'expected an object id of 0x and hex digits'],
    ['0x0x1', 'expected an object id of 0x and hex digits'],
    [`0x0x${'0'.repeat(62)}`, 'expected an object id of 0x and hex digits'],
    [`0x${'0'.repeat(64)}0x${'0'.repeat(62)}`, 'expected an object id of 0x and hex digits'],
    ['rooch1qqq', 'expected an object id of 0x and hex digits'],
    ['0x1,0x2', 'expected an object id of 0x and hex digits'],
    ['::', 'expected a type at position 0'],
    ['0x2::timestamp', 'expected "::"'],
    ['vector<0x2::m::S>', 'expected a struct type'],
  ])('refuses %j', (text, message) => {
    expectRefusal(() => parseObjectId(text), 'invalid-argument', message);
  });

  it('reads no type where only digits may be', () => {
    expectRefusal(() => parseObjectIdHex('0x2::timestamp::Timestamp'), 'invalid-argument', 'got "0x2::timestamp');
  });

  it('is read back', () => {
    fc.assert(
      fc.property(objectIdArbitrary, (id) => {
        expect(parseObjectId(formatObjectId(id))).toEqual(id);
        expect(parseObjectIdHex(formatObjectId(id).slice(2).toUpperCase())).toEqual(id);
      }),
    );
  });
});

describe('the order and family of object ids', () => {
  it('is that of the text: parents before their children', () => {
    fc.assert(
      fc.property(objectIdArbitrary, objectIdArbitrary, fieldKeyArbitrary, (left, right, key: FieldKey) => {
        const [a, b] = [formatObjectId(left), formatObjectId(right)];
        expect(Math.sign(compareObjectIds(left, right))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(equalObjectIds(left, right)).toBe(a === b);
        expect(equalObjectIds(left, parseObjectId(a))).toBe(true);
        const child = childObjectId(left, key);
        expect(compareObjectIds(left, child)).toBeLessThan(0);
        expect(parentObjectId(child)).toEqual(left);
        expect(equalObjectIds(left, child)).toBe(false);
      }),
    );
  });

  it('begins at the root, which has no parent', () => {
    expect(parentObjectId(ROOT_OBJECT_ID)).toBeUndefined();
    expect(parentObjectId(accountObjectId(account42))).toEqual(ROOT_OBJECT_ID);
    expect(accountObjectId(account42)).toEqual([parseAddressHex('0x42')]);
  });
});

describe('where modules live (spec/state.md 2.6, 2.8 and 11.1)', () => {
  interface Ids {
    readonly ids: { readonly module_store: string; readonly package_0x1: string; readonly module_key_string: string };
  }
  const { ids } = readVectors<Ids>('state-model.json');

  it('in the module store, by package address and hashed name', () => {
    expect(formatObjectId(MODULE_STORE_ID)).toBe(ids.module_store);
    expect(formatObjectId(packageObjectId(addressOf(1)))).toBe(ids.package_0x1);
    expect(formatObjectId([...packageObjectId(addressOf(1)), stringFieldKey('string')])).toBe(
      `${ids.package_0x1}${ids.module_key_string.slice(2)}`,
    );
  });

  it('are under objects of these types', () => {
    expect([MODULE_STORE_TYPE, PACKAGE_TYPE].map(displayStruct)).toEqual([
      '0x2::module_store::ModuleStore',
      '0x2::module_store::Package',
    ]);
  });
});
