/**
 * Signs transactions in every way the chain knows besides a Bitcoin wallet's, from the rules: spec/execution.md 1.5.
 * Signing functions take a change to the bare signature, to make a wrong one.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58, base64 } from '@scure/base';
import { bytes, encode, option, string, u8, u64, vector } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { blake2b256 } from '../../src/base/hash/blake2.ts';
import { sha256 } from '../../src/base/hash/sha256.ts';
import { VALIDATOR_BITCOIN_MULTISIGN, VALIDATOR_DID, VALIDATOR_SESSION } from '../../src/chain/transaction/signed.ts';
import type { DevAccount } from '../../src/execution/framework/accounts.ts';
import { address, FRAMEWORK_ADDRESS } from '../../src/move/address.ts';
import {
  type Action,
  type Address,
  type StateChangeSet,
  signedTransaction,
  type TransactionData,
  transactionHash,
} from '../../src/query/transaction-builder.ts';
import { signEcdsa, walletMessage } from './signer.ts';
import { callOf } from './step-chain.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** What is done to a signature before it goes out. */
export type Change = (signature: Uint8Array) => Uint8Array;
const unchanged: Change = (signature) => signature;

/** BCS of a transaction with any authenticator. */
export function withPayload(data: TransactionData, validatorId: bigint, payload: Uint8Array): Uint8Array {
  return encode(signedTransaction, { data, authenticator: { validatorId, payload } });
}

/** A key that accounts lend. */
export interface SessionKey {
  /** Its name in the account's key table. */
  readonly authenticationKey: Uint8Array;
  readonly sign: (data: TransactionData, change?: Change) => Uint8Array;
}

function sessionKey(flag: number, publicKey: Uint8Array, authenticationKey: Uint8Array, sign: Change): SessionKey {
  return {
    authenticationKey,
    sign: (data, change: Change = unchanged) => {
      const payload = concatBytes(Uint8Array.of(flag), change(sign(transactionHash(data))), publicKey);
      return withPayload(data, VALIDATOR_SESSION, payload);
    },
  };
}

const flagged = (flag: number, publicKey: Uint8Array): Uint8Array =>
  blake2b256(concatBytes(Uint8Array.of(flag), publicKey));

export function ed25519Session(secret: Uint8Array): SessionKey {
  const publicKey = ed25519.getPublicKey(secret);
  return sessionKey(0, publicKey, flagged(0, publicKey), (hash) => ed25519.sign(hash, secret));
}

export function secp256k1Session({ publicKey, privateKey }: DevAccount): SessionKey {
  const key = fromHex(publicKey);
  return sessionKey(1, key, flagged(1, key), (hash) => signEcdsa(privateKey, hash));
}

export function p256Session(secret: Uint8Array): SessionKey {
  const publicKey = p256.getPublicKey(secret, true);
  const authenticationKey = concatBytes(Uint8Array.of(2), sha256(publicKey));
  return sessionKey(2, publicKey, authenticationKey, (hash) => p256.sign(hash, secret, { lowS: true }));
}

/** Signed by some of an account's joint owners; one who signs twice is counted twice. */
export function signTogether(
  data: TransactionData,
  signers: readonly DevAccount[],
  change: Change = unchanged,
): Uint8Array {
  const message = sha256(walletMessage(transactionHash(data)));
  const signatures = signers.map(({ privateKey }) => change(signEcdsa(privateKey, message)));
  const keys = signers.map(({ publicKey }) => fromHex(publicKey));
  const payload = concatBytes(
    encode(vector(bytes), signatures),
    encode(bytes, text('Bitcoin Signed Message:\n')),
    encode(bytes, text('Rooch Transaction:\n')),
    encode(vector(bytes), keys),
  );
  return withPayload(data, VALIDATOR_BITCOIN_MULTISIGN, payload);
}

/** Makes an account that at least `threshold` of several keys open together. */
export function sharedAccount(threshold: bigint, members: readonly DevAccount[]): Action {
  const keys = members.map(({ publicKey }) => fromHex(publicKey));
  const name = '0x4::multisign_account::initialize_multisig_account_entry';
  return callOf(name, [], encode(u64, threshold), encode(vector(bytes), keys));
}

export const ENVELOPE_RAW_HASH = 0;
export const ENVELOPE_BITCOIN_MESSAGE = 1;
export const ENVELOPE_WEBAUTHN = 2;

export interface DidSignature {
  readonly envelope: number;
  /** Fragment of the verification method; given as bytes, it need not be UTF-8. */
  readonly method: string | Uint8Array;
  readonly signature: Uint8Array;
  readonly message?: Uint8Array;
}

/** Signed by a method of an identity document. */
export function signDid(data: TransactionData, { envelope, method, signature, message }: DidSignature): Uint8Array {
  const parts = [
    encode(u8, envelope),
    typeof method === 'string' ? encode(string, method) : encode(bytes, method),
    encode(bytes, signature),
    encode(option(bytes), message),
  ];
  return withPayload(data, VALIDATOR_DID, concatBytes(...parts));
}

/** A document's method for the key of the account that made it. */
const OWN_METHOD = 'account-key';

/** Signs the bare hash with the key of the account that made the document. */
export function signDidHash(data: TransactionData, { privateKey }: DevAccount, change: Change = unchanged): Uint8Array {
  const signature = change(signEcdsa(privateKey, transactionHash(data)));
  return signDid(data, { envelope: ENVELOPE_RAW_HASH, method: OWN_METHOD, signature });
}

/** Signs as a Bitcoin wallet does; `said` is the message that the authenticator claims. */
export function signDidMessage(
  data: TransactionData,
  { privateKey }: DevAccount,
  change: Change = unchanged,
  said: Uint8Array = text(`Rooch Transaction:\n${toHex(transactionHash(data))}`),
): Uint8Array {
  const signature = change(signEcdsa(privateKey, sha256(walletMessage(transactionHash(data)))));
  return signDid(data, { envelope: ENVELOPE_BITCOIN_MESSAGE, method: OWN_METHOD, signature, message: said });
}

/** The method of a passkey in a document. */
const PASSKEY_METHOD = 'passkey';

/** Signs by WebAuthn, as a browser with a passkey does; `challenge` is what it was asked to sign. */
export function signDidPasskey(
  data: TransactionData,
  secret: Uint8Array,
  change: Change = unchanged,
  challenge: Uint8Array = transactionHash(data),
): Uint8Array {
  const said = { type: 'webauthn.get', challenge: base64.encode(challenge), origin: 'https://app.example' };
  const client = text(JSON.stringify(said));
  const device = new Uint8Array(37).fill(1);
  const signature = change(p256.sign(concatBytes(device, sha256(client)), secret, { lowS: true }));
  const message = concatBytes(encode(bytes, device), encode(bytes, client));
  return signDid(data, { envelope: ENVELOPE_WEBAUTHN, method: PASSKEY_METHOD, signature, message });
}

/** Public keys as identity documents write them. */
const multibase = (key: Uint8Array): Uint8Array => encode(string, `z${base58.encode(key)}`);

/** Makes an identity document, and its account, for the account that sends it. */
export function identityDocument({ publicKey }: DevAccount): Action {
  return callOf('0x3::did::create_did_object_for_self_entry', [], multibase(fromHex(publicKey)));
}

/** Adds a passkey to the document of the account that sends it. */
export function addPasskey(secret: Uint8Array): Action {
  return callOf(
    '0x3::did::add_verification_method_entry',
    [],
    encode(string, PASSKEY_METHOD),
    encode(string, 'EcdsaSecp256r1VerificationKey2019'),
    multibase(p256.getPublicKey(secret, true)),
    encode(vector(u8), [0]),
  );
}

/** What an account lends a session key: functions of a module, or `*`. */
export interface Scope {
  readonly module: string;
  readonly function: string;
  /** Seconds for which it may go unused; 0 for ever. */
  readonly interval?: bigint;
}

/** Lends a key for functions of the framework. */
export function lendKey(authenticationKey: Uint8Array, { module, function: name, interval = 0n }: Scope): Action {
  return callOf(
    '0x3::session_key::create_session_key_entry',
    [],
    encode(string, 'app'),
    encode(string, 'https://app.example'),
    encode(bytes, authenticationKey),
    encode(address, FRAMEWORK_ADDRESS),
    encode(string, module),
    encode(string, name),
    encode(u64, interval),
  );
}

export function takeKeyBack(authenticationKey: Uint8Array): Action {
  return callOf('0x3::session_key::remove_session_key_entry', [], encode(bytes, authenticationKey));
}

/** A module at ALICE's address that may be registered as a validator; `body` ends its `validate(payload)`. */
export const validatorModule = (body: string): string => `module 0xa11ce::door
    struct Door has store, drop { x: bool }
    struct Mark has key { x: bool }
    entry fun open() { Call 0x3::auth_validator_registry::register<Door>; Pop; Ret }
    public fun validate(payload: vector<u8>) { ${body} }`;
/** Lets in whoever says the byte 1. */
export const VALIDATOR_OF_ONE =
  'MoveLoc payload; LdConst vector<u8> 0x0101; Eq; BrTrue good; LdU64 1010; Abort; good: Ret';
/** The first number that the registry gives to contracts. */
export const VALIDATOR_OF_CONTRACT = 100n;

/** The account that a transaction made. */
export function newAccount(changeSet: StateChangeSet): Address {
  const made = changeSet.changes.find(
    ([, { meta, value }]) => meta.objectType.name === 'Account' && value?.kind === 'new',
  );
  return made![1].meta.id[0]!;
}

export type Curve = 'ed25519' | 'secp256k1' | 'p256';

/** The group order of each curve's keys. */
const ORDERS: Readonly<Record<Curve, bigint>> = {
  ed25519: ed25519.Point.Fn.ORDER,
  secp256k1: secp256k1.Point.Fn.ORDER,
  p256: p256.Point.Fn.ORDER,
};

/** The other signature of the same message that a sloppy check also takes: n - s for ECDSA, s + n for Ed25519. */
export function twinOf(curve: Curve, signature: Uint8Array): Uint8Array {
  const order = ORDERS[curve];
  const isLittle = curve === 'ed25519';
  const half = signature.slice(32);
  const s = BigInt(`0x${toHex(isLittle ? half.reverse() : half)}`);
  const other = fromHex((isLittle ? s + order : order - s).toString(16).padStart(64, '0'));
  return concatBytes(signature.subarray(0, 32), isLittle ? other.reverse() : other);
}

/** Changes that leave no valid signature, by what happened to it. */
export const SPOILT: Readonly<Record<string, Change>> = {
  'of which a bit is turned': (signature) => signature.with(5, signature[5]! ^ 1),
  'of zeros': () => new Uint8Array(64),
  'of ones': () => new Uint8Array(64).fill(255),
  'of a byte less': (signature) => signature.slice(0, -1),
  'of a byte more': (signature) => concatBytes(signature, Uint8Array.of(0)),
  'of no bytes': () => new Uint8Array(0),
};
