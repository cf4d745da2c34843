/**
 * Signs transactions as a Bitcoin wallet does, from the rules: spec/execution.md 1.5.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytes, encode, string } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { sha256 } from '../../src/base/hash/sha256.ts';
import {
  type Authenticator,
  signedTransaction,
  type TransactionData,
  transactionHash,
  VALIDATOR_BITCOIN,
} from '../../src/chain/transaction/signed.ts';
import type { DevAccount } from '../../src/execution/framework/accounts.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const PREFIX = 'Bitcoin Signed Message:\n';
const INFO = 'Rooch Transaction:\n';

/** The parts of a Bitcoin authenticator; any of them may be overridden. */
export interface BitcoinParts {
  readonly signature: Uint8Array;
  readonly messagePrefix: Uint8Array;
  readonly messageInfo: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly fromAddress: string;
}

/** What a wallet signs: both parts after their lengths, which are below 253 here. */
export function walletMessage(hash: Uint8Array): Uint8Array {
  const info = `${INFO}${toHex(hash)}`;
  return concatBytes(Uint8Array.of(PREFIX.length), text(PREFIX), Uint8Array.of(info.length), text(info));
}

export function signEcdsa(key: string, message: Uint8Array): Uint8Array {
  return secp256k1.sign(sha256(message), fromHex(key), { prehash: false, lowS: true });
}

export function bitcoinParts(account: DevAccount, hash: Uint8Array): BitcoinParts {
  return {
    signature: signEcdsa(account.privateKey, sha256(walletMessage(hash))),
    messagePrefix: text(PREFIX),
    messageInfo: text(INFO),
    publicKey: fromHex(account.publicKey),
    fromAddress: account.mainnetAddress,
  };
}

export function bitcoinAuthenticator(parts: BitcoinParts): Authenticator {
  const { signature, messagePrefix, messageInfo, publicKey, fromAddress } = parts;
  const payload = concatBytes(
    ...[signature, messagePrefix, messageInfo, publicKey].map((part) => encode(bytes, part)),
    encode(string, fromAddress),
  );
  return { validatorId: VALIDATOR_BITCOIN, payload };
}

/** Signed with an account's Bitcoin key. */
export function signBitcoin(
  account: DevAccount,
  data: TransactionData,
  change: (parts: BitcoinParts) => BitcoinParts = (parts) => parts,
): Uint8Array {
  const authenticator = bitcoinAuthenticator(change(bitcoinParts(account, transactionHash(data))));
  return encode(signedTransaction, { data, authenticator });
}
