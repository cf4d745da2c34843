/**
 * Bytes, texts and values that functions of the framework read: keys, signatures, addresses, encodings, Bitcoin's data.
 * What a module itself compares with is among its constants, which are taken too.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { base58, base58check, base64, bech32 } from '@scure/base';
import { encode } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { sha256 } from '../../../src/base/hash/sha256.ts';
import { bitcoinBlock } from '../../../src/bitcoin/block.ts';
import {
  blockHeader,
  encodeBlock,
  parseBitcoinAddress,
  RegtestChain,
  reveal,
  spend,
} from '../../../src/bitcoin/index.ts';
import { bitcoinTransaction, encodeBitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { canonicalType, parseTypeTag } from '../../../src/query/transaction-builder.ts';
import type { Kept } from './framework-world.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const [alice, bob] = DEV_ACCOUNTS as [(typeof DEV_ACCOUNTS)[0], (typeof DEV_ACCOUNTS)[0]];
const MESSAGE = utf8('hello');
const SECRET = fromHex(alice.privateKey);

const KEYS = {
  ed25519: ed25519.getPublicKey(SECRET),
  secp256k1: secp256k1.getPublicKey(SECRET, true),
  secp256r1: p256.getPublicKey(SECRET, true),
};
const PREFIXES = { ed25519: [0xed, 0x01], secp256k1: [0xe7, 0x01], secp256r1: [0x80, 0x24] };

/** As in documents: without the two bytes that name the kind. */
export const MULTIBASE_KEYS: Readonly<Record<'ed25519' | 'secp256k1' | 'secp256r1', string>> = {
  ed25519: `z${base58.encode(KEYS.ed25519)}`,
  secp256k1: `z${base58.encode(KEYS.secp256k1)}`,
  secp256r1: `z${base58.encode(KEYS.secp256r1)}`,
};
const didKeys = (['ed25519', 'secp256k1', 'secp256r1'] as const).map(
  (kind) => `z${base58.encode(concatBytes(Uint8Array.from(PREFIXES[kind]), KEYS[kind]))}`,
);
const nodeText = bech32.encode('rooch', bech32.toWords(fromHex(alice.address.slice(2))), false);
const legacy = base58check(sha256).encode(Uint8Array.of(0, ...new Uint8Array(20).fill(7)));

const chain = new RegtestChain();
const first = chain.mine({ to: alice.regtestAddress });
const coins = { txid: first.transactions[0]!.txid, vout: 0 };
const inscribed = reveal(coins, { contentType: 'text/plain', body: 'hello' }, [
  { to: alice.regtestAddress, value: 10_000n },
]);
const moved = spend(
  [{ outpoint: { txid: inscribed.txid, vout: 0 } }],
  [
    { to: bob.regtestAddress, value: 4_000n },
    { to: alice.mainnetAddress, value: 1n },
  ],
);
const second = chain.mine({ to: bob.regtestAddress, transactions: [inscribed, moved] });

/** Texts, all of them UTF-8. */
export const TEXTS: readonly string[] = [
  ...['', '*', 'a', 'abc', 'did', 'account-key', 'key-1', 'grüezi', '1.25', '-7', '100', '0x1f', '00ff10ab', 'value'],
  ...['{"a":1}', '{"name":"x","amount":12,"list":[1,2]}', '[]', 'null', 'text/plain', 'CadopCustodianService'],
  ...['Ed25519VerificationKey2020', 'EcdsaSecp256k1VerificationKey2019', 'EcdsaSecp256r1VerificationKey2019'],
  ...['0x3::did::*', '0x3::*::*', '0x3::gas_coin::RGas', '0x1::string::String', 'did::x', 'https://example.org'],
  ...Object.values(MULTIBASE_KEYS),
  ...didKeys,
  ...didKeys.map((key) => `did:key:${key}`),
  ...[`did:rooch:${nodeText}`, `did:bitcoin:${alice.mainnetAddress}`, `did:bitcoin:${alice.regtestAddress}`, nodeText],
  ...[alice.mainnetAddress, alice.regtestAddress, bob.regtestAddress, legacy, alice.address, 'x'.repeat(130)],
  `${toHex(inscribed.txid)}i0`,
];

const multisignKeys = DEV_ACCOUNTS.map(({ publicKey }) => fromHex(publicKey));

/** Values of `vector<u8>`. */
export const BYTES: readonly Uint8Array[] = [
  ...[new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(1, 2, 3), new Uint8Array(20).fill(7), new Uint8Array(32)],
  ...TEXTS.map(utf8),
  ...Object.values(KEYS),
  ...multisignKeys.slice(0, 3),
  ...[secp256k1.getPublicKey(SECRET, false), schnorr.getPublicKey(SECRET), p256.getPublicKey(SECRET, false)],
  ...[ed25519.sign(MESSAGE, SECRET), secp256k1.sign(MESSAGE, SECRET), p256.sign(MESSAGE, SECRET)],
  ...[secp256k1.sign(MESSAGE, SECRET, { format: 'recovered' }), schnorr.sign(sha256(MESSAGE), SECRET), sha256(MESSAGE)],
  ...[utf8(base64.encode(MESSAGE)), utf8(base58.encode(MESSAGE)), utf8(`0x${toHex(MESSAGE)}`), utf8(toHex(MESSAGE))],
  ...[parseBitcoinAddress(alice.regtestAddress), parseBitcoinAddress(legacy), fromHex(alice.address.slice(2))],
  ...[
    encode(bitcoinBlock, second),
    encodeBlock(second),
    encode(bitcoinTransaction, moved),
    encodeBitcoinTransaction(inscribed),
  ],
  ...[encode(blockHeader, first.header), inscribed.inputs[0]!.witness[1] ?? MESSAGE, moved.outputs[0]!.scriptPubkey],
  FRAMEWORK_PACKAGES[0]!.modules[0]!.bytes,
  ...[1, 4, 8, 16, 32].map((length) => new Uint8Array(length).fill(1, 0, 1)),
  Uint8Array.of(0xc8, 0x83, 0x63, 0x61, 0x74, 0x83, 0x64, 0x6f, 0x67), // RLP of a list of two strings
  Uint8Array.of(0xa1, 0x61, 0x61, 0x01), // CBOR of { "a": 1 }
];

/** Addresses that occur in this file's data. */
export const ADDRESSES: readonly Uint8Array[] = [
  ...[alice, bob].map(({ address }) => fromHex(address.slice(2))),
  ...[first, second].map(({ hash }) => hash),
  ...[inscribed.txid, moved.txid, coins.txid],
];

function kept(type: string, bytes: Uint8Array): Kept {
  const tag = parseTypeTag(type);
  return { tag, type: canonicalType(tag), bytes };
}

/** Values to begin with, of types that a chain gets from outside. */
export const VALUES: readonly Kept[] = [
  kept('0x4::types::Block', encode(bitcoinBlock, second)),
  kept('0x4::types::Header', encode(blockHeader, first.header)),
  kept('0x4::types::Header', encode(blockHeader, second.header)),
  ...[...first.transactions, inscribed, moved].map((transaction) =>
    kept('0x4::types::Transaction', encode(bitcoinTransaction, transaction)),
  ),
  kept(
    '0x3::bitcoin_address::BitcoinAddress',
    concatBytes(Uint8Array.of(34), parseBitcoinAddress(alice.regtestAddress)),
  ),
  kept(
    'vector<vector<u8>>',
    concatBytes(Uint8Array.of(2), ...multisignKeys.slice(0, 2).map((key) => concatBytes(Uint8Array.of(33), key))),
  ),
];
