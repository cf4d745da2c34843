import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex, toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import {
  type BitcoinAddress,
  formatBitcoinAddress,
  nodeAddressOf,
  parseBitcoinAddress,
} from '../../src/bitcoin/address.ts';
import {
  addressOfScript,
  addressOfTaproot,
  isAddressOfPublicKey,
  parseNostrPublicKey,
  scriptOfAddress,
} from '../../src/bitcoin/address-derivation.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork, bitcoinNetworkOf, subsidyOf } from '../../src/bitcoin/network.ts';
import { isPublicKey, tapBranchHash, tapLeafHash } from '../../src/bitcoin/public-key.ts';
import { randomBytes, randomNumbers, runs, seed } from '../effort.ts';
import { readVectors } from '../vectors.ts';
import { addressOfScriptHash } from './derived-address.ts';

const vectors = readVectors<{
  readonly scripts: readonly (readonly [script: string, internal: string, text: string, node: string])[];
  readonly bip350: readonly (readonly [text: string, script: string])[];
}>('bitcoin-addresses.json');

const WITHOUT_ADDRESS: readonly (readonly [string, string])[] = [
  ['an empty script', ''],
  ['OP_1 alone', '51'],
  ['OP_RETURN', '6a0474657374'],
  ['a version 0 program of 19 bytes', `0013${'11'.repeat(19)}`],
  ['a program of one byte', '510111'],
  ['a program of 41 bytes', `5129${'11'.repeat(41)}`],
  ['a push of another length than the script', `5120${'11'.repeat(31)}`],
  ['a bare key that is no point', '21036c6565662c206f6e7464656b2c2067656e6965742e2e2e202020202020202020ac'],
  [
    'a bare key in hybrid form',
    '41066896ecfc449cb8560594eb7f413f199deb9b4e5d947a142e7dc7d2de0b811b8e204833ea2a2fd9d4c7b153a8ca7661d0a0b7fc981df1f42f55d64b26b3da1e9cac',
  ],
  ['a bare key without OP_CHECKSIG', '04f254e36949ec1a7f6e9548f16d4788fb321f429b2c7d2eb44480b2ed0195cbf0'],
  ['bare multisignature', `5121${'02'.repeat(33)}51ae`],
];

describe('script to address', () => {
  it.each(vectors.scripts)('%s', (script, internal, text, node) => {
    const address = addressOfScript(fromHex(script));
    expect(formatBitcoinAddress(address, 'bitcoin')).toBe(text);
    expect(parseBitcoinAddress(text)).toEqual(address);
    expect(toHex(address)).toBe(internal);
    expect(toHexPrefixed(nodeAddressOf(address))).toBe(node);
  });

  it('a bare key has the address of its hash, as the reference asserts', () => {
    const script =
      '4104ea1feff861b51fe3f5f8a3b12d0f4712db80e919548a80839fc47c6a21e66d957e9c5d8cd108c7a2d2324bad71f9904ac0ae7336507d785b17a2c115e427a32fac';
    expect(formatBitcoinAddress(addressOfScript(fromHex(script)), 'bitcoin')).toBe(
      '1BBz9Z15YpELQ4QP5sEKb1SwxkcmPb5TMs',
    );
  });

  it.each(WITHOUT_ADDRESS)('no address: %s', (_name, script) => {
    const address = addressOfScript(fromHex(script));
    expect(address).toHaveLength(0);
    expect(() => nodeAddressOf(address)).toThrow(EngineError);
    expect(() => formatBitcoinAddress(address, 'bitcoin')).toThrow(EngineError);
    expect(() => scriptOfAddress(address)).toThrow(EngineError);
  });
});

describe('text to address', () => {
  it.each(vectors.bip350)('%s', (text, script) => {
    expect(toHex(scriptOfAddress(parseBitcoinAddress(text)))).toBe(script);
  });

  // BIP 350, invalid addresses, then our own.
  it.each([
    ['another network', 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
    ['bech32 for version 1', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['bech32 for version 2', 'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf'],
    ['bech32 for version 16', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
    ['bech32m for version 0', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['bech32m for version 0, 32 bytes', 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47'],
    ['a character outside the alphabet', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['version 17', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['a program of one byte', 'bc1pw5dgrnzv'],
    ['a program of 41 bytes', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    ['version 0 of 16 bytes', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['mixed case', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq'],
    ['padding of more than 4 bits', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['padding that is not zero', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j'],
    ['no program', 'bc1gmk9yu'],
    ['no text', ''],
    ['a base58 checksum off by one', '18cBEMRxXHqzWWCxZNtU91F5sbUNKhL5PY'],
    ['a long word', '1'.repeat(10_000)],
    ['a node address', 'rooch10lnft7hhq37vl0y97lwvkmzqt48fk76y0z88rfcu8zg6qm8qegfqx0rq2h'],
  ])('refuses %s', (_name, text) => {
    expect(() => parseBitcoinAddress(text)).toThrow(/^expected a Bitcoin address/);
  });

  it('gives the node addresses that the reference asserts', () => {
    const nodeAddress = (text: string) => toHexPrefixed(nodeAddressOf(parseBitcoinAddress(text)));
    expect(nodeAddress('bc1q262qeyyhdakrje5qaux8m2a3r4z8sw8vu5mysh')).toBe(
      '0x7fe695faf7047ccfbc85f7dccb6c405d4e9b7b44788e71a71c3891a06ce0ca12',
    );
    expect(nodeAddress('18cBEMRxXHqzWWCxZNtU91F5sbUNKhL5PX')).toBe(
      '0x419791e7f82060465cf8c16c8f45ab9930b3a944b18e1df2278807c12ea32c65',
    );
  });

  it('is the same on all networks: one script has one address', () => {
    const addresses = ['1KFHE7w8BhaENAswwryaoccDb6qcT6DbYY', '38L8mLgn3aKxUhhMThgMLoLsyKFirSesEt', 'bc1pfeessrawgf'];
    for (const address of addresses.map(parseBitcoinAddress)) {
      for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
        expect(parseBitcoinAddress(formatBitcoinAddress(address, network))).toEqual(address);
      }
    }
    // Bitcoin Core's address of the compressed generator point on regtest.
    const generator = fromHex('00751e76e8199196d454941c45d1b3a323f1433bd6');
    expect(formatBitcoinAddress(generator, 'bitcoin')).toBe('1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH');
    expect(formatBitcoinAddress(generator, 'regtest')).toBe('mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r');
  });
});

const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 });
const addresses: fc.Arbitrary<BitcoinAddress> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1), hashes).map(([kind, hash]) => Uint8Array.of(kind, ...hash)),
  hashes.map((hash) => Uint8Array.of(2, 0, ...hash)),
  fc
    .tuple(fc.integer({ min: 1, max: 16 }), fc.uint8Array({ minLength: 2, maxLength: 40 }))
    .map(([version, program]) => Uint8Array.of(2, version, ...program)),
);

describe('properties', () => {
  it('address to script and back, address to text and back', () => {
    fc.assert(
      fc.property(addresses, fc.integer({ min: 1, max: 4 }), (address, id) => {
        expect(addressOfScript(scriptOfAddress(address))).toEqual(address);
        expect(parseBitcoinAddress(formatBitcoinAddress(address, bitcoinNetworkOf(id)))).toEqual(address);
      }),
    );
  });

  it('any script gives an address or none, and none fails', () => {
    const script = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ minLength: 35, maxLength: 35 }));
    fc.assert(
      fc.property(script, (bytes) => {
        const address = addressOfScript(bytes);
        if (address.length > 0) expect(nodeAddressOf(address)).toHaveLength(32);
      }),
      { numRuns: runs(333, 1_000) },
    );
  });
});

describe('keys', () => {
  const key = fromHex('03ff7e1d7b4a152671124545f4fb68efe2a9bd0b3870ac22fee4afd4ecdfa8a19c');

  it('taproot from a key alone', () => {
    // bitcoin.md section 10.1, and bitcoin_address.move's test for a compressed and an x-only key.
    expect(formatBitcoinAddress(addressOfTaproot(key), 'bitcoin')).toBe(
      'bc1pxup9p7um3t5knqn0yxfrq5d0mgul9ts993j32tsfxn68qa4pl3nq2qhh2e',
    );
    const expected = 'bc1p72fvqwm9w4wcsd205maky9qejf6dwa6qeku5f5vnu4phpp3vvpws0p2f4g';
    const other = fromHex('034cdb7426f6cebd2e69630c5214fac8dee6a999b43b22907d1d8e4a9363a96a14');
    expect(formatBitcoinAddress(addressOfTaproot(other), 'bitcoin')).toBe(expected);
    expect(formatBitcoinAddress(addressOfTaproot(other.subarray(1)), 'bitcoin')).toBe(expected);
    const noPoint = fromHex('3d29b653e40f5b620f9443ee05222d1e40be58f544b6fed3d464edd54db883');
    expect(() => addressOfTaproot(noPoint)).toThrow(/secp256k1 public key/);
  });

  it('BIP 86 and BIP 341 vectors', () => {
    const bip86 = fromHex('cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115');
    expect(formatBitcoinAddress(addressOfTaproot(bip86), 'bitcoin')).toBe(
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    );
    const leaf = tapLeafHash(fromHex('20d85a959b0290bf19bb89ed43c916be835475d013da4b362117393e25a48229b8ac'));
    expect(toHex(leaf)).toBe('5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21');
    const internal = fromHex('187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27');
    expect(formatBitcoinAddress(addressOfTaproot(internal, leaf), 'bitcoin')).toBe(
      'bc1pz37fc4cn9ah8anwm4xqqhvxygjf9rjf2resrw8h8w4tmvcs0863sa2e586',
    );
    expect(tapBranchHash(leaf, internal)).toEqual(tapBranchHash(internal, leaf));
  });

  it('a Nostr key (NIP 19) is the internal key of its address', () => {
    const nostr = parseNostrPublicKey('npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg');
    expect(toHex(nostr)).toBe('7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e');
    expect(addressOfTaproot(nostr)).toEqual(addressOfTaproot(Uint8Array.of(2, ...nostr)));
    for (const text of ['npub1', 'bc1pfeessrawgf', 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptq']) {
      expect(() => parseNostrPublicKey(text)).toThrow(/^expected a Nostr public key/);
    }
  });

  // bitcoin_address.move's tests.
  it.each([
    [
      'taproot',
      'bc1p8xpjpkc9uzj2dexcxjg9sw8lxje85xa4070zpcys589e3rf6k20qm6gjrt',
      '038e3d29b653e40f5b620f9443ee05222d1e40be58f544b6fed3d464edd54db883',
    ],
    [
      'witness key hash',
      'bc1q9ymlna2efqx5arvcszu633rzfxq77ce9c3z34l',
      '02481521eb57656db4bc9ec81857e105cc7853fe8cad61be23667bb401840fc7f8',
    ],
    [
      'key hash',
      '1516MgBKZ1t8xFArmGZzyncTqABRoveyLG',
      '02c3bc6ff4dec7f43dd4f587d4dc227fb171755779425ca032e0fcb2f0bb639cc2',
    ],
    [
      'witness key hash inside a script hash',
      '38YrTMTpQ4ZUsjvcsweWgmHikUmgFcV7D5',
      '02ebdc1107552f81d188a2c63806cb6fa5d734eaa7316a85dc1f608fcaee412b72',
    ],
  ])('controls: %s', (_name, text, publicKey) => {
    const address = parseBitcoinAddress(text);
    expect(isAddressOfPublicKey(address, fromHex(publicKey))).toBe(true);
    expect(isAddressOfPublicKey(address, key)).toBe(false);
    expect(isAddressOfPublicKey(address, fromHex(publicKey).fill(0xff))).toBe(false);
  });

  it('a redeem script has the address of its hash', () => {
    const redeem = fromHex('001497cdff4fd3ed6f885d54a52b79d7a2141072ae3f');
    expect(scriptOfAddress(addressOfScriptHash(redeem))).toHaveLength(23);
  });
});

describe('networks', () => {
  it('have the numbers of the chain', () => {
    expect([1, 2, 3, 4].map(bitcoinNetworkOf)).toEqual(['bitcoin', 'testnet', 'signet', 'regtest']);
    expect(() => bitcoinNetworkOf(5)).toThrow(/1 to 4/);
  });

  it('halve the subsidy every 210,000 blocks until it is gone', () => {
    expect(subsidyOf(0)).toBe(5_000_000_000n);
    expect(subsidyOf(209_999)).toBe(5_000_000_000n);
    expect(subsidyOf(818_677)).toBe(625_000_000n);
    expect(subsidyOf(210_000 * 32)).toBe(1n);
    expect(subsidyOf(210_000 * 33)).toBe(0n);
  });
});

const { ORDER } = secp256k1.Point.Fp;
const bytes32 = (number: bigint): Uint8Array => numberToBytesBE(number, 32);

function expectAsNoble(key: Uint8Array): void {
  const isHybrid = key.length === 65 && key[0] !== 4;
  const expected = !isHybrid && secp256k1.utils.isValidPublicKey(key);
  // Twice, since the last valid key is remembered.
  expect([toHex(key), isPublicKey(key), isPublicKey(key)]).toEqual([toHex(key), expected, expected]);
}

describe('isPublicKey', () => {
  it(`is what noble-curves says of random and changed keys, seed ${seed}`, () => {
    const random = randomNumbers(seed);
    const bytes = randomBytes(seed);
    for (let run = 0; run < runs(100, 2_000); run++) {
      expectAsNoble(concatBytes(Uint8Array.of(run % 5), bytes(32)));
      const point = secp256k1.Point.BASE.multiply(1n + BigInt(random(2 ** 32)));
      for (const compressed of [true, false]) {
        const key = point.toBytes(compressed);
        expectAsNoble(key);
        key[random(key.length)]! ^= 1 << random(8);
        expectAsNoble(key);
      }
    }
  });

  it('is what noble-curves says where numbers wrap', () => {
    const points: bigint[] = [];
    for (let x = 1n; points.length < 3; x++) {
      if (secp256k1.utils.isValidPublicKey(concatBytes(Uint8Array.of(2), bytes32(x)))) points.push(x);
    }
    const numbers = [
      0n,
      1n,
      ORDER - 1n,
      ORDER,
      ORDER + 1n,
      2n ** 256n - 1n,
      ...points,
      ...points.map((x) => ORDER + x),
    ];
    for (const x of numbers) {
      for (const prefix of [2, 3]) expectAsNoble(concatBytes(Uint8Array.of(prefix), bytes32(x)));
      for (const y of numbers) expectAsNoble(concatBytes(Uint8Array.of(4), bytes32(x), bytes32(y)));
    }
    for (const x of points) {
      const { y } = secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), bytes32(x))).toAffine();
      for (const other of [y, ORDER - y, y + 1n]) {
        for (const prefix of [4, 5, 6, 7])
          expectAsNoble(concatBytes(Uint8Array.of(prefix), bytes32(x), bytes32(other)));
      }
      expectAsNoble(concatBytes(Uint8Array.of(4), bytes32(ORDER + x), bytes32(y)));
    }
  });
});
