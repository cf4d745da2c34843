/**
 * Signs transactions: with a Bitcoin key, as a wallet does, or with a session key that an account has registered.
 *
 * Nonces are deterministic (RFC 6979 and RFC 8032), so signing the same transaction yields the same bytes.
 * Source: crates/rooch-types/src/transaction/authenticator.rs of the reference.
 * @module
 */

import { argumentError, assertFits, assertOptions, BYTES, eachOf, oneOf, TEXT } from '../../base/argument.ts';
import { encode } from '../../base/bcs.ts';
import { equalBytes, fromHex } from '../../base/bytes/bytes.ts';
import { CHAIN_ID_MAIN, CHAIN_ID_TEST } from '../../base/config.ts';
import { invalidArgument } from '../../base/error.ts';
import { ed25519, p256 } from '../../base/hash/noble.ts';
import { isSecp256k1Secret, publicKeyOf, signSecp256k1 } from '../../base/hash/secp256k1.ts';
import {
  type AddressInput,
  assertBitcoinAddress,
  type BitcoinAddress,
  formatBitcoinAddress,
  nodeAddressOf,
  toAddress,
} from '../../bitcoin/address.ts';
import { addressOfTaproot, isAddressOfPublicKey } from '../../bitcoin/address-derivation.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../../bitcoin/network.ts';
import { type Address, formatAddress } from '../../move/address.ts';
import {
  bitcoinPayload,
  encodeSessionPayload,
  multisignPayload,
  type SessionScheme,
} from '../transaction/auth-payload.ts';
import {
  assertTransactionData,
  type SignedTransaction,
  type TransactionData,
  transactionHash,
  VALIDATOR_BITCOIN,
  VALIDATOR_BITCOIN_MULTISIGN,
  VALIDATOR_SESSION,
} from '../transaction/signed.ts';
import { type MessageForm, messageParts, multisignMessage, signedMessage } from './bitcoin-message.ts';
import { SESSION_SCHEME, sessionAuthenticationKey } from './verify.ts';

/** Signs the transactions of one account. */
export interface Signer {
  /** The sender of what it signs. */
  readonly address: string;
  /**
   * @throws {EngineError} `invalid-argument` for another sender's transaction, which no chain would accept
   */
  sign(data: TransactionData): SignedTransaction;
}

/** Signs as a Bitcoin wallet does. */
export interface BitcoinSigner extends Signer {
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly bitcoinAddress: BitcoinAddress;
}

/** Signs with a session key, which an account has registered. */
export interface SessionSigner extends Signer {
  readonly scheme: SessionScheme;
  readonly publicKey: Uint8Array;
  /** The key that `0x3::session_key` takes when the account creates the session. */
  readonly authenticationKey: Uint8Array;
}

/** The options of signing with a Bitcoin key. */
export interface BitcoinSignerOptions {
  /** An address that the key controls. Default: taproot, with the key as internal key and no scripts (BIP 86). */
  readonly bitcoinAddress?: BitcoinAddress | undefined;
  /** Network of the address text in the payload. Default: the one paired with the transaction's chain. */
  readonly network?: BitcoinNetwork | undefined;
  /** Text for the wallet to show before the transaction hash. Default: none. */
  readonly info?: string | undefined;
  /** Default: 'consensus'. */
  readonly messageForm?: MessageForm | undefined;
}

/**
 * Signs as a Bitcoin wallet does: ECDSA over secp256k1 of a message that names the transaction.
 * @param privateKey 32 bytes, or their hexadecimal digits
 * @throws {EngineError} `invalid-argument` for bytes that are not a secret key, or an address that is not the key's
 */
export function bitcoinSigner(privateKey: Uint8Array | string, options: BitcoinSignerOptions = {}): BitcoinSigner {
  const secret = secretKey(privateKey, 'privateKey', isSecp256k1Secret, 'secp256k1');
  const publicKey = publicKeyOf(secret);
  assertOptions(options, SIGNER_OPTIONS);
  const { bitcoinAddress = addressOfTaproot(publicKey), ...form } = options;
  assertBitcoinAddress(bitcoinAddress, 'bitcoinAddress');
  if (options.bitcoinAddress !== undefined && !isAddressOfPublicKey(bitcoinAddress, publicKey)) {
    throw invalidArgument('bitcoinAddress: expected an address of the key, got one of another key');
  }
  const address = nodeAddressOf(bitcoinAddress);
  return knownKeySigner({ secret, publicKey, address, bitcoinAddress }, form);
}

/** A secret key with its public parts. */
export interface KnownKey {
  readonly secret: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly address: Address;
  readonly bitcoinAddress: BitcoinAddress;
}

/** `bitcoinSigner` for known public parts: computing them takes a new process some milliseconds. */
export function knownKeySigner(
  key: KnownKey,
  options: Omit<BitcoinSignerOptions, 'bitcoinAddress'> = {},
): BitcoinSigner {
  const { secret, publicKey, address, bitcoinAddress } = key;
  const { network, info = '', messageForm = 'consensus' } = options;
  const parts = messageParts(info, messageForm);
  return {
    address: formatAddress(address),
    publicKey,
    bitcoinAddress,
    sign: (data) => {
      assertSender(address, data);
      // Defined, since the message has the required start.
      const message = signedMessage(parts, transactionHash(data))!;
      const payload = {
        signature: signSecp256k1(message, secret),
        ...parts,
        publicKey,
        fromAddress: formatBitcoinAddress(bitcoinAddress, network ?? pairedNetwork(data.chainId)),
      };
      return { data, authenticator: { validatorId: VALIDATOR_BITCOIN, payload: encode(bitcoinPayload, payload) } };
    },
  };
}

/**
 * Signs with several keys for a multisign account (`0x4::multisign_account`).
 * @param account the sender
 * @param privateKeys as `bitcoinSigner` takes them, as many as the account asks for
 * @throws {EngineError} `invalid-argument` for bytes that are not a secret key
 */
export function multisignSigner(account: AddressInput, privateKeys: readonly (Uint8Array | string)[]): Signer {
  const address = toAddress(account, 'account');
  const secrets = eachOf(privateKeys, 'privateKeys', (key, name) =>
    secretKey(key, name, isSecp256k1Secret, 'secp256k1'),
  );
  if (secrets.length === 0) throw argumentError('privateKeys', 'at least one key', privateKeys);
  const publicKeys = secrets.map(publicKeyOf);
  const parts = messageParts('', 'consensus');
  return {
    address: formatAddress(address),
    sign: (data) => {
      assertSender(address, data);
      const message = multisignMessage(parts, transactionHash(data));
      const signatures = secrets.map((secret) => signSecp256k1(message, secret));
      const payload = encode(multisignPayload, { signatures, ...parts, publicKeys });
      return { data, authenticator: { validatorId: VALIDATOR_BITCOIN_MULTISIGN, payload } };
    },
  };
}

/**
 * Signs with a session key, for an account that registered it (`0x3::session_key::create_session_key_entry`).
 * @param account the sender
 * @param privateKey 32 bytes, or their hexadecimal digits
 * @throws {EngineError} `invalid-argument` for bytes that are not a secret key
 */
export function sessionSigner(
  account: AddressInput,
  privateKey: Uint8Array | string,
  scheme: SessionScheme = 'ed25519',
): SessionSigner {
  const address = toAddress(account, 'account');
  assertFits(scheme, 'scheme', SESSION_SCHEME);
  const { isSecret, publicKeyOf, sign } = SCHEMES[scheme];
  const secret = secretKey(privateKey, 'privateKey', isSecret, scheme);
  const publicKey = publicKeyOf(secret);
  return {
    address: formatAddress(address),
    publicKey,
    scheme,
    authenticationKey: sessionAuthenticationKey(scheme, publicKey),
    sign: (data) => {
      assertSender(address, data);
      const signature = sign(transactionHash(data), secret);
      const payload = encodeSessionPayload({ scheme, signature, publicKey });
      return { data, authenticator: { validatorId: VALIDATOR_SESSION, payload } };
    },
  };
}

interface Scheme {
  readonly isSecret: (key: Uint8Array) => boolean;
  readonly publicKeyOf: (secret: Uint8Array) => Uint8Array;
  readonly sign: (message: Uint8Array, secret: Uint8Array) => Uint8Array;
}

const SCHEMES: Readonly<Record<SessionScheme, Scheme>> = {
  ed25519: {
    isSecret: (secret) => ed25519().utils.isValidSecretKey(secret),
    publicKeyOf: (secret) => ed25519().getPublicKey(secret),
    sign: (message, secret) => ed25519().sign(message, secret),
  },
  secp256k1: {
    isSecret: isSecp256k1Secret,
    publicKeyOf,
    sign: signSecp256k1,
  },
  p256: {
    isSecret: (secret) => p256().utils.isValidSecretKey(secret),
    publicKeyOf: (secret) => p256().getPublicKey(secret, true),
    sign: (message, secret) => p256().sign(message, secret, { lowS: true }),
  },
};

const SIGNER_OPTIONS = {
  bitcoinAddress: BYTES,
  network: oneOf(Object.keys(BITCOIN_NETWORKS)),
  info: TEXT,
  messageForm: oneOf(['consensus', 'legacy']),
};

function secretKey(
  given: Uint8Array | string,
  name: string,
  isSecret: (key: Uint8Array) => boolean,
  scheme: string,
): Uint8Array {
  const key = typeof given === 'string' ? secretDigits(given) : given;
  // The argument may be a secret even if it is malformed, so the message does not repeat it.
  if (key instanceof Uint8Array && isSecret(key)) return key.slice();
  throw invalidArgument(`${name}: expected 32 bytes, or their hex digits, of a ${scheme} key`);
}

function secretDigits(text: string): Uint8Array | undefined {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(text) ? fromHex(text) : undefined;
}

function assertSender(address: Address, data: TransactionData): void {
  assertTransactionData(data);
  const { sender } = data;
  if (equalBytes(sender, address)) return;
  const message = `data: expected a transaction of ${formatAddress(address)}, got one of ${formatAddress(sender)}`;
  throw invalidArgument(message);
}

/** The network whose addresses the chain writes. Source: crates/rooch-types/src/rooch_network.rs of the reference. */
function pairedNetwork(chainId: bigint): BitcoinNetwork {
  if (chainId === CHAIN_ID_MAIN) return 'bitcoin';
  return chainId === CHAIN_ID_TEST ? 'testnet' : 'regtest';
}
