import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, u64 } from '../../../src/base/bcs.ts';
import { address, addressOf } from '../../../src/move/address.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { formatObjectId, objectId } from '../../../src/query/transaction-builder.ts';
import { runs } from '../../effort.ts';
import { NativeWorld, pricesWith } from './native-world.ts';
import { byte, hex, short, shownHex, shownText, text } from './values.ts';

const PANIC = 'ABORTED 987654321';

describe('natives of 0x2::hash', () => {
  const world = new NativeWorld(
    '0x2::hash',
    `native fun blake2b256(&vector<u8>): vector<u8>
     native fun keccak256(&vector<u8>): vector<u8>
     native fun ripemd160(&vector<u8>): vector<u8>`,
  );

  // Python's hashlib; the values of the reference's own tests; the RIPEMD-160 home page.
  it.each([
    ['blake2b256', '', '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8'],
    ['blake2b256', 'hello world!', '4fccfb4d98d069558aa93e9565f997d81c33b080364efd586e77a433ddffc5e2'],
    ['keccak256', '', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['keccak256', 'hello world!', '57caa176af1ac0433c5df30e8dabcd2ec1af1e92a26eced5f719b88458777cd6'],
    ['ripemd160', '', '9c1185a5c5e9fc54612808977ee8f548b2258d31'],
    ['ripemd160', 'Hello, World!', '527a6a4b9a6da75607546842e0e00105350b1aaf'],
  ])('%s of "%s"', (name, message, digest) => {
    expect(world.call(name, text(message))).toEqual({
      result: shownHex(digest),
      gas: BigInt(1000 + 30 * message.length),
    });
  });
});

describe('natives of 0x2::bcs', () => {
  const OPTION = 'module 0x1::option\nstruct Option<T> has copy, drop, store { vec: vector<T> }';
  const world = new NativeWorld(
    '0x2::bcs',
    `extern 0x1::option { struct Option<T> has copy, drop, store }
     struct S has copy, drop, store { a: u8, b: vector<u16> }
     native fun native_from_bytes<T>(vector<u8>): 0x1::option::Option<T>`,
    [OPTION],
  );

  it('read the BCS of one value and nothing more', () => {
    const call = (type: string, digits: string) => world.call(`native_from_bytes<${type}>`, hex(digits));
    expect(call('u64', '0201000000000000')).toEqual({ result: '{[258]}', gas: 1160n });
    expect(call('bool', '00')).toEqual({ result: '{[false]}', gas: 1020n });
    expect(call('0x2::bcs::S', '07020100ffff')).toEqual({ result: '{[{7, [1, 65535]}]}', gas: 1120n });
    expect(call('u64', '02010000000000')).toEqual({ result: '{[]}', gas: 1140n });
    expect(call('u64', '020100000000000000')).toEqual({ result: '{[]}', gas: 1180n });
    expect(call('bool', '02')).toEqual({ result: '{[]}', gas: 1020n });
    expect(call('vector<u8>', '8000')).toMatchObject({ result: '{[]}' });
    expect(call('vector<u8>', 'ffffffff7f')).toMatchObject({ result: '{[]}' });
    expect(call('vector<u8>', '')).toEqual({ result: '{[]}', gas: 1000n });
  });

  it('give a value that is independent of the bytes it was read from', () => {
    const bytes = new NativeWorld(
      '0x2::bcs',
      `extern 0x1::option { struct Option<T> has copy, drop, store }
       native fun native_from_bytes<T>(vector<u8>): 0x1::option::Option<T>
       public fun change(bytes: vector<u8>): 0x1::option::Option<vector<u8>> {
         let option: 0x1::option::Option<vector<u8>>;
         CopyLoc bytes; Call native_from_bytes<vector<u8>>; StLoc option;
         LdU8 9; MutBorrowLoc bytes; LdU64 5; VecMutBorrow u8; WriteRef;
         MoveLoc option; Ret
       }`,
      [OPTION],
    );
    const content = new Uint8Array(200).fill(1);
    const given = [202, 1, 200, 1, ...content];
    expect(bytes.run('change', Uint8Array.from(given)).result).toBe(`{[[${[...content].join(', ')}]]}`);
  });

  it('panic for a type without a layout', () => {
    const field = (type: string) => Array.from({ length: 8 }, (_, index) => `f${index}: ${type}`).join(', ');
    const large = new NativeWorld(
      '0x2::bcs',
      `extern 0x1::option { struct Option<T> has copy, drop, store }
       struct A has copy, drop, store { ${field('u8')} }
       struct B has copy, drop, store { ${field('A')} }
       struct C has copy, drop, store { ${field('B')} }
       native fun native_from_bytes<T>(vector<u8>): 0x1::option::Option<T>`,
      [OPTION],
    );
    expect(large.call('native_from_bytes<0x2::bcs::C>', hex(''))).toEqual({ result: `${PANIC} at bcs:0:0`, gas: 0n });
  });
});

describe('natives of 0x2::type_info', () => {
  const world = new NativeWorld(
    '0x2::type_info',
    `struct TypeInfo has copy, drop, store { account_address: address, module_name: vector<u8>, struct_name: vector<u8> }
     struct G<T, U> has copy, drop { x: T, y: U }
     native fun type_of<T>(): TypeInfo`,
  );

  it('tell where a struct comes from, with its arguments in its name', () => {
    const plain = `{0x2, ${shownText('type_info')}, ${shownText('TypeInfo')}}`;
    const gas = BigInt(1000 + 20 * '0x2::type_info::TypeInfo'.length);
    expect(world.call('type_of<0x2::type_info::TypeInfo>')).toEqual({ result: plain, gas });
    const generic = `{0x2, ${shownText('type_info')}, ${shownText('G<u8, vector<0x2::type_info::TypeInfo>>')}}`;
    const genericGas = BigInt(1000 + 20 * '0x2::type_info::G<u8, vector<0x2::type_info::TypeInfo>>'.length);
    const outcome = world.call('type_of<0x2::type_info::G<u8, vector<0x2::type_info::TypeInfo>>>');
    expect(outcome).toEqual({ result: generic, gas: genericGas });
  });

  it('abort for any other type', () => {
    expect(world.call('type_of<vector<u8>>')).toEqual({
      result: 'ABORTED 1 at type_info:0:0',
      gas: BigInt(1000 + 20 * 'vector<u8>'.length),
    });
  });
});

describe('natives of 0x2::ability', () => {
  const STRING = 'module 0x1::string\nstruct String has copy, drop, store { bytes: vector<u8> }';
  const DECLARATIONS = `extern 0x1::string { struct String has copy, drop, store }
    struct Plain { x: u8 }
    struct Key has key, store { x: u8 }
    struct Box<T> has copy, drop, store { x: T }
    native fun native_get_abilities(0x1::string::String): u8`;
  const world = new NativeWorld('0x2::ability', DECLARATIONS, [STRING]);
  const call = (name: string) => world.call('native_get_abilities', text(name));

  // copy 1, drop 2, store 4, key 8.
  it.each([
    ['u8', 7],
    ['address', 7],
    ['signer', 2],
    ['vector<u8>', 7],
    ['vector<signer>', 2],
    ['0x2::ability::Plain', 0],
    ['0x2::ability::Key', 12],
    ['0x2::ability::Box<u8>', 7],
    ['0x2::ability::Box<0x2::ability::Key>', 4],
    ['0x2::ability::Missing', 0],
    ['0x9::missing::Missing', 0],
    ['vector<0x9::missing::Missing>', 7],
  ])('of %s are %i', (name, abilities) => {
    expect(call(name)).toEqual({ result: String(abilities), gas: BigInt(1000 + 150 * name.length) });
  });

  it('panic for what is not a type', () => {
    const panic = { result: `${PANIC} at ability:0:0`, gas: 0n };
    expect(call('')).toEqual(panic);
    expect(call('u9')).toEqual(panic);
    expect(call('0x2::ability')).toEqual(panic);
    expect(world.call('native_get_abilities', hex('ff'))).toEqual(panic);
  });

  it('are free on a chain older than the native', () => {
    const entries = pricesWith({
      'ability.get_abilities.base': undefined,
      'ability.get_abilities.per_byte_in_str': undefined,
    });
    const old = new NativeWorld('0x2::ability', DECLARATIONS, [STRING], entries);
    expect(old.call('native_get_abilities', text('u8'))).toEqual({ result: '7', gas: 0n });
  });
});

describe('natives of 0x2::test_helper', () => {
  it('destroy anything', () => {
    const world = new NativeWorld('0x2::test_helper', 'struct S { x: u8 }\nnative fun destroy<T>(T)');
    expect(world.call('destroy<0x2::test_helper::S>', Uint8Array.of(1))).toEqual({ result: '', gas: 6n });
  });
});

describe('natives of 0x2::base58', () => {
  const world = new NativeWorld(
    '0x2::base58',
    `native fun encoding(&vector<u8>): vector<u8>
     native fun checksum_encoding(&vector<u8>, u8): vector<u8>
     native fun decoding(&vector<u8>): vector<u8>
     native fun checksum_decoding(&vector<u8>, u8): vector<u8>`,
  );

  // draft-msporny-base58-03, section 5; the genesis coinbase's address, as in the reference's tests.
  const VECTORS: readonly (readonly [string, string])[] = [
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    [
      '54686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e',
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
    ],
    ['0000287fb4cd', '11233QC4'],
    ['0062e907b15cbf27d5425399ebf6f0fb50ebb88f18c29b7d93', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['', ''],
    ['00', '1'],
    ['0000', '11'],
    ['ff', '5Q'],
    ['39', 'z'],
    ['3a', '21'],
  ];

  it.each(VECTORS)('write %s as %s and read it back', (digits, encoded) => {
    const gas = BigInt(1000 + 15 * digits.length);
    expect(world.call('encoding', hex(digits))).toEqual({ result: shownText(encoded), gas });
    const readGas = BigInt(1000 + 30 * encoded.length);
    expect(world.call('decoding', text(encoded))).toEqual({ result: shownHex(digits), gas: readGas });
  });

  it.each(['0', 'O', 'I', 'l', 'a b', '1 ', '\u{212a}'])('abort for %j', (encoded) => {
    expect(world.call('decoding', text(encoded)).result).toBe('ABORTED 1 at base58:2:0');
  });

  it('write and read a version and a checksum', () => {
    const payload = '62e907b15cbf27d5425399ebf6f0fb50ebb88f18';
    const address = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
    const written = world.call('checksum_encoding', hex(payload), byte(0));
    expect(written).toEqual({ result: shownText(address), gas: 1600n });
    const read = world.call('checksum_decoding', text(address), byte(0));
    expect(read).toEqual({ result: shownHex(`00${payload}`), gas: BigInt(1000 + 30 * address.length) });
  });

  it.each<[string, string, number]>([
    ['another version', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 5],
    ['a wrong checksum', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 0],
    ['too few bytes for a checksum', '1', 0],
    ['another character', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN0', 0],
    ['nothing', '', 0],
  ])('abort for %s', (_name, address, version) => {
    const { result } = world.call('checksum_decoding', text(address), byte(version));
    expect(result).toBe('ABORTED 1 at base58:3:0');
  });

  it('read back what they write, of any length', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, (data) => {
        const digits = Buffer.from(data).toString('hex');
        const encoded = JSON.parse(world.call('encoding', hex(digits)).result) as number[];
        const decoded = world.call('decoding', text(String.fromCharCode(...encoded)));
        expect(decoded.result).toBe(shownHex(digits));
      }),
      { numRuns: runs(20, 60) },
    );
  });

  // Time that grew with the square of the length would be minutes.
  it('encode long input', () => {
    const outcome = world.call('encoding', hex('ab'.repeat(100_000)));
    expect(outcome.gas).toBe(3_001_000n);
  });
});

describe('natives of 0x2::base64', () => {
  const DECLARATIONS = `native fun encode(&vector<u8>): vector<u8>
    native fun decode(&vector<u8>): vector<u8>`;
  const world = new NativeWorld('0x2::base64', DECLARATIONS);

  // RFC 4648, section 10.
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('write %j as %j, and read it with and without padding', (plain, encoded) => {
    const written = world.call('encode', text(plain));
    expect(written).toEqual({ result: shownText(encoded), gas: BigInt(1000 + 30 * plain.length) });
    for (const form of [encoded, encoded.replaceAll('=', '')]) {
      const read = world.call('decode', text(form));
      expect(read).toEqual({ result: shownText(plain), gas: BigInt(1000 + 30 * form.length) });
    }
  });

  // The values of the reference's own tests.
  it('read both alphabets', () => {
    expect(world.call('decode', text('/////w==')).result).toBe('[255, 255, 255, 255]');
    expect(world.call('decode', text('_____w')).result).toBe('[255, 255, 255, 255]');
    expect(world.call('decode', text('--__')).result).toBe('[251, 239, 255]');
  });

  it.each(['A', 'AAAAA', 'Zg=', 'Zg===', 'Zh==', 'Zh', '_w==', '+_AA', 'Z g=', 'Zg==\n', '====', '=', 'é'])(
    'abort for %j',
    (encoded) => {
      expect(world.call('decode', text(encoded)).result).toBe('ABORTED 1 at base64:1:0');
    },
  );

  it('abort for bytes that are not text', () => {
    expect(world.call('decode', hex('ff')).result).toBe('ABORTED 1 at base64:1:0');
  });

  it('are free on a chain older than the natives', () => {
    const names = ['encode.base', 'encode.per_byte', 'decode.base', 'decode.per_byte'];
    const entries = pricesWith(Object.fromEntries(names.map((name) => [`base64.${name}`, undefined])));
    const old = new NativeWorld('0x2::base64', DECLARATIONS, [], entries);
    expect(old.call('decode', text('Zm9v'))).toEqual({ result: shownText('foo'), gas: 0n });
  });
});

describe('natives of 0x2::bech32', () => {
  const world = new NativeWorld(
    '0x2::bech32',
    `native fun encode(u16, vector<u8>, vector<u8>): vector<u8>
     native fun segwit_encode(vector<u8>, u8, vector<u8>): vector<u8>
     native fun decode(vector<u8>, vector<u8>): vector<u8>
     native fun segwit_decode(vector<u8>, u8, vector<u8>): vector<u8>`,
  );

  // The values of the reference's own tests.
  const DATA = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const TEXT = 'bc1qfumuen7l8wthtz45p3ftn58pvrs9xlumvkuu2xet8egzkcklqtesjm9aq0';

  it.each([
    [173, 'bc', DATA, TEXT],
    [350, 'rooch', 'b19ced819df50b20648cfcabb75c4f216c77991f36d6', 'rooch1kxwwmqva759jqeyvlj4mwhz0y9k80xglxmtqxdfdl5'],
    [
      0,
      'rooch',
      '45348f7e62331ace696702f2910e32efceb601a341644d4fac07',
      'rooch1g56g7lnzxvdvu6t8qtefzr3jal8tvqdrg9jy6navqu',
    ],
    [350, 'A', '', 'a1lqfn3a'],
  ])('write by BIP %i', (bip, prefix, digits, encoded) => {
    const gas = BigInt(1000 + 30 * (prefix.length + digits.length / 2 + bip));
    expect(world.call('encode', short(bip), text(prefix), hex(digits))).toEqual({ result: shownText(encoded), gas });
  });

  it('refuse a prefix before a BIP', () => {
    const call = (bip: number, prefix: string) => world.call('encode', short(bip), text(prefix), hex('00')).result;
    expect(call(1, 'bc')).toBe('ABORTED 3 at bech32:0:0');
    for (const prefix of ['', 'Bc', 'b c', 'é', 'a'.repeat(84), '\u{212a}']) {
      expect(call(1, prefix)).toBe('ABORTED 1 at bech32:0:0');
    }
    expect(world.call('encode', short(173), hex('ff'), hex('00')).result).toBe('ABORTED 1 at bech32:0:0');
  });

  it('write up to 1,023 characters with a checksum, and any number without', () => {
    const call = (bip: number, count: number) =>
      world.call('encode', short(bip), text('abcd'), hex('00'.repeat(count)));
    // 4 and 1 and 6 and 1,012 for 632 bytes, as the tests of the reference's library have it.
    expect(JSON.parse(call(350, 632).result)).toHaveLength(1023);
    expect(call(350, 633).result).toBe('ABORTED 1 at bech32:0:0');
    expect(JSON.parse(call(0, 633).result)).toHaveLength(4 + 1 + 1013);
  });

  // BIP 350, valid and invalid texts; BIP 173 gives those with the older checksum.
  it.each(['A1LQFN3A', 'a1lqfn3a', 'A12UEL5L', 'a12uel5l', '?1v759aa'])('read %s', (encoded) => {
    const prefix = encoded.slice(0, encoded.lastIndexOf('1'));
    const outcome = world.call('decode', text(prefix.toLowerCase()), text(encoded));
    const gas = BigInt(1000 + 30 * (prefix.length + encoded.length));
    expect(outcome).toEqual({ result: '[]', gas });
    expect(world.call('decode', text(prefix.toUpperCase()), text(encoded))).toEqual({ result: '[]', gas });
  });

  it.each([
    'A1G7SGD8',
    'a1Lqfn3a',
    'a1lqfn3b',
    '10a06t8',
    '1qzzfhee',
    '1p2gdwpf',
    'in1muywd',
    'mm1crxm3i',
    'au1s5cgom',
    'M1VUXWEZ',
    '16plkw9',
    'y1b0jsk6g',
    'lt1igcx5c0',
    'x',
    '',
    `a1${'q'.repeat(1200)}`,
  ])('abort for %s', (encoded) => {
    const prefix = encoded.slice(0, Math.max(encoded.lastIndexOf('1'), 1)) || 'a';
    expect(world.call('decode', text(prefix.toLowerCase()), text(encoded)).result).toBe('ABORTED 2 at bech32:2:0');
  });

  it('read data, whatever the bits after it', () => {
    expect(world.call('decode', text('bc'), text(TEXT)).result).toBe(shownHex(DATA));
    // One word of ones, two words of 0 and 1, of 7 and 31 (BIP 173): written by BIP 350's Python code, which has words.
    expect(world.call('decode', text('a'), text('a1lwc3nuc')).result).toBe('[]');
    expect(world.call('decode', text('a'), text('a1qpg8r8qs')).result).toBe('[0]');
    expect(world.call('decode', text('a'), text('a18lwqcw2e')).result).toBe('[63]');
    expect(world.call('decode', text('tb'), text(TEXT)).result).toBe('ABORTED 2 at bech32:2:0');
    expect(world.call('decode', text(''), text(TEXT)).result).toBe('ABORTED 2 at bech32:2:0');
    expect(world.call('decode', text('bc'), hex('ff')).result).toBe('ABORTED 2 at bech32:2:0');
  });

  // The reference's own tests; BIP 173 and BIP 350 for the programs.
  const SEGWIT: readonly (readonly [string, number, string, string])[] = [
    [
      'tb',
      1,
      '41876e7b954162eea060743e8489df36454a50eddd60046c85ac4e67a88ef5fc3320321cd79bee',
      'tb1pgxrku7u4g93wagrqwslgfzwlxez5558dm4sqgmy9438x02yw7h7rxgpjrntehmsj7d5je',
    ],
    ['bc', 0, '751e76e8199196d454941c45d1b3a323f1433bd6', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    [
      'bc',
      1,
      '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ],
  ];

  it.each(SEGWIT)('write and read a program of %s, version %i', (network, version, digits, encoded) => {
    const gas = BigInt(1000 + 30 * (network.length + digits.length / 2 + version));
    const written = world.call('segwit_encode', text(network), byte(version), hex(digits));
    expect(written).toEqual({ result: shownText(encoded), gas });
    const character = encoded.charCodeAt(network.length + 1);
    const read = world.call('segwit_decode', text(network), byte(character), text(encoded));
    const readGas = BigInt(1000 + 30 * (network.length + encoded.length + character));
    expect(read).toEqual({ result: shownHex(digits), gas: readGas });
    const upper = world.call('segwit_decode', text(network), byte(character - 32), text(encoded.toUpperCase()));
    expect(upper.result).toBe(shownHex(digits));
  });

  it('write every version from 1 on as 1', () => {
    const [network, , digits, encoded] = SEGWIT[2]!;
    for (const version of [1, 2, 16]) {
      const outcome = world.call('segwit_encode', text(network), byte(version), hex(digits));
      expect(outcome.result).toBe(shownText(encoded));
    }
  });

  it('abort for programs that do not exist', () => {
    const call = (network: Uint8Array, version: number, digits: string) =>
      world.call('segwit_encode', network, byte(version), hex(digits)).result;
    expect(call(text('ltc'), 0, '00'.repeat(20))).toBe('ABORTED 4 at bech32:1:0');
    expect(call(text('BC'), 0, '00'.repeat(20))).toBe('ABORTED 4 at bech32:1:0');
    expect(call(hex('ff'), 0, '00'.repeat(20))).toBe('ABORTED 1 at bech32:1:0');
    expect(call(text('bc'), 17, '00'.repeat(20))).toBe('ABORTED 5 at bech32:1:0');
    expect(call(text('bc'), 0, '00'.repeat(21))).toBe('ABORTED 1 at bech32:1:0');
    expect(call(text('bc'), 1, '00')).toBe('ABORTED 1 at bech32:1:0');
    expect(call(text('bc'), 1, '00'.repeat(41))).toBe('ABORTED 1 at bech32:1:0');
    expect(call(text('bcrt'), 1, '0000')).toMatch(/^\[/);
  });

  // BIP 350: addresses that are not valid.
  it.each([
    ['bc', 'p', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['tb', 'z', 'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf'],
    ['bc', 'q', 'BC1Q0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
    ['bc', 'p', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['bc', '3', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['bc', 'p', 'bc1pw5dgrnzv'],
    ['bc', 'p', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    ['bc', 'q', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['bc', 'p', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['tb', 'p', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j'],
    ['bc', 'g', 'bc1gmk9yu'],
  ])('abort for the address of %s and version %s: %s', (prefix, version, encoded) => {
    const outcome = world.call('segwit_decode', text(prefix), byte(version.charCodeAt(0)), text(encoded));
    expect(outcome.result).toBe('ABORTED 2 at bech32:3:0');
  });

  it('abort for another prefix or version, and panic for a version that is not ASCII', () => {
    const [network, , , encoded] = SEGWIT[1]!;
    const call = (prefix: string, version: number, address: Uint8Array = text(encoded)) =>
      world.call('segwit_decode', text(prefix), byte(version), address);
    expect(call('tb', 0x71).result).toBe('ABORTED 2 at bech32:3:0');
    expect(call(network, 0x70).result).toBe('ABORTED 2 at bech32:3:0');
    expect(call(network, 0).result).toBe('ABORTED 2 at bech32:3:0');
    expect(call(network, 0x80)).toEqual({ result: `${PANIC} at bech32:3:0`, gas: 0n });
    expect(call('', 0x80).result).toBe('ABORTED 2 at bech32:3:0');
    expect(call(network, 0x80, hex('ff')).result).toBe('ABORTED 2 at bech32:3:0');
  });
});

describe('natives of 0x2::account', () => {
  it('make the signer of any address', () => {
    const world = new NativeWorld('0x2::account', 'native fun create_signer(address): signer');
    expect(world.call('create_signer', encode(address, addressOf(0xabc)))).toEqual({ result: '0xabc', gas: 10_000n });
  });
});

describe('natives of 0x2::signer', () => {
  const world = new NativeWorld(
    '0x2::signer',
    `struct S has drop { x: u64 }
     native fun module_signer<T>(): signer`,
  );

  it('make the signer of a module’s address', () => {
    expect(world.call('module_signer<0x2::signer::S>')).toEqual({ result: '0x2', gas: 1000n });
  });

  it('refuse types that no module defines, free of charge', () => {
    const refused = { result: 'TYPE_MISMATCH at signer:0:0', gas: 0n };
    expect(world.call('module_signer<u64>')).toEqual(refused);
    expect(world.call('module_signer<vector<0x2::signer::S>>')).toEqual(refused);
  });
});

const NATIVES = `
  struct Name has copy, drop, store { bytes: vector<u8> }
  struct Any has copy, drop, store { type_name: Name, data: vector<u8> }
  struct Entry has copy, drop, store { key: Name, value: Any }
  struct Entries has copy, drop, store { data: vector<Entry> }
  struct TxContext has drop {
    sender: address, sequence_number: u64, max_gas_amount: u64, tx_hash: vector<u8>, tx_size: u64, ids_created: u64,
    map: Entries
  }
  native private fun borrow_inner(): &TxContext
  native private fun borrow_mut_inner(): &mut TxContext
  public fun sender(): address { Call borrow_inner; ImmBorrowField TxContext.sender; ReadRef; Ret }
  public fun count(): u64 { Call borrow_inner; ImmBorrowField TxContext.ids_created; ReadRef; Ret }
  public fun raise(): u64 {
    Call count; LdU64 1; Add; Call borrow_mut_inner; MutBorrowField TxContext.ids_created; WriteRef; Call count; Ret
  }`;

describe('natives of 0x2::tx_context', () => {
  const world = new NativeWorld('0x2::tx_context', NATIVES);

  it('lend the one context of the session, to read and to write', () => {
    expect(world.run('sender')).toEqual({ result: '0x5e', gas: 500n });
    expect(world.run('raise')).toEqual({ result: '1', gas: 500n + 1000n + 500n });
    expect(world.host.txContext.context.idsCreated).toBe(1n);
  });
});

const OBJECT = `module 0x2::object
  struct ObjectID has copy, drop, store { path: vector<address> }`;
const EVENT = `extern 0x2::object { struct ObjectID has copy, drop, store }
  struct E has copy, drop { x: u64 }
  native fun native_emit<T>(T)
  native fun native_emit_with_handle<T>(0x2::object::ObjectID, T)`;
const PART = new Uint8Array(32).fill(7);

describe('natives of 0x2::event', () => {
  it('emit to the named object of the event type', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    const outcome = world.call('native_emit<0x2::event::E>', encode(u64, 5n));
    expect(outcome).toEqual({ result: '', gas: 53n + 6n * 8n });
    const [first, ...more] = world.host.events.finish();
    expect(more).toEqual([]);
    expect(first!.eventIndex).toBe(0n);
    expect(displayStruct(first!.eventType)).toBe('0x2::event::E');
    expect(first!.eventData).toEqual(encode(u64, 5n));
    // Python: sha3_256(b'0x' + b'0' * 63 + b'2::event::E')
    expect(formatObjectId(first!.handle)).toBe('0x2e0b0094ed24e63032d402b6a35ab79e4139735c0af0f17b68e040990682fbd9');
  });

  it('emit to a handle', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    const outcome = world.call(
      'native_emit_with_handle<0x2::event::E>',
      encode(objectId, [PART, PART]),
      encode(u64, 9n),
    );
    expect(outcome).toEqual({ result: '', gas: 1000n + 150n * 8n });
    expect(world.host.events.finish()[0]!.handle).toEqual([PART, PART]);
  });

  it('emit to a handle free of charge on a chain older than the native', () => {
    const entries = pricesWith({
      'events.emit_with_handle.base': undefined,
      'events.emit_with_handle.per_byte_in_str': undefined,
    });
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT], entries);
    const outcome = world.call('native_emit_with_handle<0x2::event::E>', encode(objectId, [PART]), encode(u64, 9n));
    expect(outcome).toEqual({ result: '', gas: 0n });
  });

  it('panic, as an abort with its own code, on what is not a struct', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    expect(world.call('native_emit<u64>', encode(u64, 5n))).toEqual({
      result: 'ABORTED 987654321 at event:0:0',
      gas: 0n,
    });
  });
});
