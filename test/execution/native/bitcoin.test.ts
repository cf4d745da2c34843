import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, encode, vector } from '../../../src/base/bcs.ts';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { hash160 } from '../../../src/base/hash/sha256.ts';
import { sharedFile, sharedPresent, skipNote } from '../../bitcoin/shared.ts';
import { runs } from '../../effort.ts';
import { NativeWorld, pricesWith } from './native-world.ts';
import { hex, shownHex, shownText, text, withoutPlace } from './values.ts';

const OPTION = 'module 0x1::option\nstruct Option<T> has copy, drop, store { vec: vector<T> }';
const PANIC = 'ABORTED 987654321';

describe('natives of 0x3::bitcoin_address', () => {
  const declarations = (natives: readonly string[]) =>
    `extern 0x1::option { struct Option<T> has copy, drop, store }
     struct BitcoinAddress has copy, drop, store { bytes: vector<u8> }
     ${natives.join('\n')}`;
  const PARSE = 'native fun parse(&vector<u8>): BitcoinAddress';
  const VERIFY = 'native fun verify_bitcoin_address_with_public_key(&BitcoinAddress, &vector<u8>): bool';
  const DERIVE = 'native fun derive_bitcoin_taproot_address(&vector<u8>, 0x1::option::Option<address>): BitcoinAddress';
  const world = new NativeWorld('0x3::bitcoin_address', declarations([PARSE, VERIFY, DERIVE]), [OPTION]);
  const parse = (address: string) => withoutPlace(world.call('parse', text(address)));
  const verify = (address: Uint8Array, key: string) =>
    withoutPlace(world.call('verify_bitcoin_address_with_public_key', encode(bytes, address), hex(key)));
  const derive = (key: string, root = '') =>
    withoutPlace(world.call('derive_bitcoin_taproot_address', hex(key), fromHex(root === '' ? '00' : `01${root}`)));
  const addressOf = (address: string): Uint8Array =>
    Uint8Array.from(JSON.parse(parse(address).result.slice(1, -1)) as number[]);

  // Addresses and keys of the reference's tests.
  const PAIRS: readonly (readonly [string, string])[] = [
    [
      'bc1p8xpjpkc9uzj2dexcxjg9sw8lxje85xa4070zpcys589e3rf6k20qm6gjrt',
      '038e3d29b653e40f5b620f9443ee05222d1e40be58f544b6fed3d464edd54db883',
    ],
    [
      'bc1q9ymlna2efqx5arvcszu633rzfxq77ce9c3z34l',
      '02481521eb57656db4bc9ec81857e105cc7853fe8cad61be23667bb401840fc7f8',
    ],
    ['1516MgBKZ1t8xFArmGZzyncTqABRoveyLG', '02c3bc6ff4dec7f43dd4f587d4dc227fb171755779425ca032e0fcb2f0bb639cc2'],
    ['38YrTMTpQ4ZUsjvcsweWgmHikUmgFcV7D5', '02ebdc1107552f81d188a2c63806cb6fa5d734eaa7316a85dc1f608fcaee412b72'],
  ];

  it.each(PAIRS)('%s belongs to the key %s', (address, key) => {
    const parsed = addressOf(address);
    const gas = 1000n + 30n * BigInt(33 + 1 + parsed.length);
    expect(verify(parsed, key)).toEqual({ result: 'true', gas });
    for (const [other, otherKey] of PAIRS) {
      if (other !== address) expect(verify(parsed, otherKey)).toEqual({ result: 'false', gas });
    }
  });

  it('read addresses of all networks', () => {
    // BIP 173 and BIP 350; the first address of the chain.
    const program = '751e76e8199196d454941c45d1b3a323f1433bd6';
    for (const prefix of ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx']) {
      expect(parse(prefix)).toEqual({ result: `{${shownHex(`0200${program}`)}}`, gas: 2260n });
    }
    expect(parse('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa').result).toBe(
      `{${shownHex('0062e907b15cbf27d5425399ebf6f0fb50ebb88f18')}}`,
    );
    for (const other of ['', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'é']) {
      const gas = 1000n + 30n * BigInt(new TextEncoder().encode(other).length);
      expect(parse(other)).toEqual({ result: 'ABORTED 1', gas });
    }
    expect(withoutPlace(world.call('parse', hex('ff'))).result).toBe('ABORTED 1');
  });

  it('take the key itself as its taproot address, and its hash as given', () => {
    const [, key] = PAIRS[0]!;
    expect(verify(fromHex(`0201${key.slice(2)}`), key).result).toBe('true');
    expect(verify(Uint8Array.of(0, ...hash160(fromHex(key))), key).result).toBe('true');
    const generator = `79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798`;
    const long = `04${generator}483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8`;
    expect(verify(Uint8Array.of(0, ...hash160(fromHex(long))), long)).toEqual({ result: 'true', gas: 3610n });
    expect(verify(Uint8Array.of(0, ...hash160(fromHex(long))), `02${generator}`).result).toBe('false');
  });

  it('verify nothing with a malformed key or address', () => {
    const [address, key] = PAIRS[0]!;
    for (const other of ['', '00', key.slice(2), `05${key.slice(2)}`, `02${'f'.repeat(64)}`]) {
      const gas = 1000n + 30n * BigInt(other.length / 2 + 35);
      expect(verify(addressOf(address), other)).toEqual({ result: 'false', gas });
    }
    for (const other of ['00', '0000', '0211', '0300', `0202${'00'.repeat(41)}`]) {
      expect(verify(fromHex(other), key).result).toBe('false');
    }
    // The reference's native fails where it looks for a kind, or a witness version, that is not there.
    expect(verify(new Uint8Array(0), key)).toEqual({ result: PANIC, gas: 0n });
    expect(verify(Uint8Array.of(2), key)).toEqual({ result: PANIC, gas: 0n });
    expect(verify(new Uint8Array(0), '')).toEqual({ result: 'false', gas: 1030n });
  });

  it('derive taproot addresses', () => {
    const key = '034cdb7426f6cebd2e69630c5214fac8dee6a999b43b22907d1d8e4a9363a96a14';
    const expected = parse('bc1p72fvqwm9w4wcsd205maky9qejf6dwa6qeku5f5vnu4phpp3vvpws0p2f4g').result;
    expect(derive(key)).toEqual({ result: expected, gas: 1000n + 30n * 34n });
    expect(derive(key.slice(2))).toEqual({ result: expected, gas: 1000n + 30n * 33n });
    // BIP 341: the second key path test.
    const internal = '187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27';
    const root = '5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21';
    expect(derive(internal, root)).toEqual({
      result: parse('bc1pz37fc4cn9ah8anwm4xqqhvxygjf9rjf2resrw8h8w4tmvcs0863sa2e586').result,
      gas: 1000n + 30n * 64n,
    });
    for (const other of [
      '',
      '3d29b653e40f5b620f9443ee05222d1e40be58f544b6fed3d464edd54db883',
      'ff'.repeat(32),
      `06${internal}`,
    ]) {
      expect(derive(other)).toEqual({ result: 'ABORTED 3', gas: 1000n + 30n * BigInt(other.length / 2 + 1) });
    }
  });

  it.each([
    [VERIFY, 'bitcoin_address.verify_bitcoin_address_with_public_key.base'],
    [DERIVE, 'bitcoin_address.derive_bitcoin_taproot_address.per_byte'],
  ])('%s is left out if the schedule lacks %s', (declaration, key) => {
    const make = (entries: Map<string, bigint>) =>
      new NativeWorld('0x3::bitcoin_address', declarations([declaration]), [OPTION], entries);
    const name = /fun (\w+)/.exec(declaration)![1]!;
    const given = name.startsWith('verify') ? [hex('00'), hex('00')] : [hex('00'), Uint8Array.of(0)];
    expect(make(pricesWith({ [key]: undefined })).call(name, ...given).result).toMatch(/MISSING_DEPENDENCY/);
    expect(make(pricesWith()).call(name, ...given).result).toMatch(/^false$|ABORTED 3/);
  });
});

describe('native of 0x4::ord', () => {
  const STRING = 'module 0x1::string\nstruct String has copy, drop, store { bytes: vector<u8> }';
  const TYPES = 'module 0x4::types\nstruct Witness has copy, drop, store { witness: vector<vector<u8>> }';
  const world = new NativeWorld(
    '0x4::ord',
    `extern 0x1::option { struct Option<T> has copy, drop, store }
     extern 0x1::string { struct String has copy, drop, store }
     extern 0x4::types { struct Witness has copy, drop, store }
     struct InscriptionID has copy, drop, store { txid: address, index: u32 }
     struct Envelope<T> has copy, drop, store { input: u32, offset: u32, pushnum: bool, stutter: bool, payload: T }
     struct InscriptionRecord has copy, drop, store {
       body: vector<u8>,
       content_encoding: 0x1::option::Option<0x1::string::String>,
       content_type: 0x1::option::Option<0x1::string::String>,
       duplicate_field: bool,
       incomplete_field: bool,
       metadata: vector<u8>,
       metaprotocol: 0x1::option::Option<0x1::string::String>,
       parents: vector<InscriptionID>,
       pointer: 0x1::option::Option<u64>,
       unrecognized_even_field: bool,
       rune: 0x1::option::Option<u128>
     }
     native fun from_witness(&0x4::types::Witness): vector<Envelope<InscriptionRecord>>`,
    [OPTION, STRING, TYPES],
  );
  const fromWitness = (...items: readonly Uint8Array[]) =>
    world.call('from_witness', encode(vector(bytes), [...items]));
  const key = new Uint8Array(33).fill(0xc0);

  interface Described {
    readonly offset: number;
    readonly pushnum: boolean;
    readonly stutter: boolean;
    readonly content_type: string | null;
    readonly content_encoding: string | null;
    readonly metaprotocol: string | null;
    readonly body: string;
    readonly metadata: string;
    readonly pointer: string | null;
    readonly parents: readonly string[];
    readonly duplicate_field: boolean;
    readonly incomplete_field: boolean;
    readonly unrecognized_even_field: boolean;
  }

  const option = (value: string | null) => (value === null ? '{[]}' : `{[${value}]}`);
  const string = (value: string | null) => option(value === null ? null : `{${shownText(value)}}`);
  const parent = (id: string) => {
    const [txid, index] = id.split('i');
    return `{0x${toHex(fromHex(txid!).reverse()).replace(/^0+(?=.)/, '')}, ${index}}`;
  };
  const shown = (found: Described) =>
    `{0, ${found.offset}, ${found.pushnum}, ${found.stutter}, {${[
      shownHex(found.body),
      string(found.content_encoding),
      string(found.content_type),
      found.duplicate_field,
      found.incomplete_field,
      shownHex(found.metadata),
      string(found.metaprotocol),
      `[${found.parents.map(parent).join(', ')}]`,
      option(found.pointer),
      found.unrecognized_even_field,
      '{[]}',
    ].join(', ')}}}`;

  const vectors: readonly { name: string; script: string; envelopes: readonly Described[] }[] = sharedPresent
    ? JSON.parse(Buffer.from(sharedFile('spec/bitcoin-vectors.json')).toString()).envelopes
    : [];

  it.skipIf(!sharedPresent)(`reads the micro-vectors of bitcoin.md 12.2${skipNote}`, () => {
    for (const { name, script, envelopes } of vectors) {
      const gas = 10_000n + 50n * BigInt(script.length / 2 + key.length);
      expect(fromWitness(fromHex(script), key), name).toEqual({ result: `[${envelopes.map(shown).join(', ')}]`, gas });
    }
  });

  it('finds nothing where there is no script', () => {
    const script = fromHex('0063036f726468');
    expect(fromWitness()).toEqual({ result: '[]', gas: 10_000n });
    expect(fromWitness(script)).toEqual({ result: '[]', gas: 10_350n });
    expect(fromWitness(script, key).result).not.toBe('[]');
    expect(fromWitness(script, key, Uint8Array.of(0x50)).result).toBe(fromWitness(script, key).result);
    expect(fromWitness(script, Uint8Array.of(0x50))).toEqual({ result: '[]', gas: 10_400n });
  });

  it('never fails', () => {
    const part = fc.constantFrom('00', '63', '03', '6f7264', '0101', '51', '4f', '68', '4c', '4d05', '0102', '0302');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const script = fromHex(`0063036f7264${parts.join('')}`);
        const { result, gas } = fromWitness(script, key);
        expect(result.startsWith('[')).toBe(true);
        expect(gas).toBe(10_000n + 50n * BigInt(script.length + key.length));
      }),
      { numRuns: runs(16, 50) },
    );
  });
});
