/**
 * Transactions that no chain takes, and ones that it takes but that fail: each with the reference's status.
 * @module
 */

import { expect } from 'vitest';
import { bytes, encode } from '../../src/base/bcs.ts';
import { concatBytes } from '../../src/base/bytes/bytes.ts';
import { CONTROL_VALIDATOR_ID, IMPERSONATION_VALIDATOR_ID } from '../../src/base/config.ts';
import { VALIDATOR_BITCOIN, VALIDATOR_SESSION, VALIDATOR_WEBAUTHN } from '../../src/chain/transaction/signed.ts';
import { address } from '../../src/move/address.ts';
import { type PackageData, packageData } from '../../src/pipeline/publish.ts';
import { TRANSACTION_BYTES_MAX } from '../../src/pipeline/validate.ts';
import { type Action, type KeptStatus, parseAddress } from '../../src/query/transaction-builder.ts';
import {
  type Change,
  type Curve,
  signDidHash,
  signDidMessage,
  signDidPasskey,
  signTogether,
  takeKeyBack,
  VALIDATOR_OF_CONTRACT,
  withPayload,
} from './authenticators.ts';
import { assembleFor, publishFor } from './contract.ts';
import {
  give,
  idle,
  lent,
  MEMBERS,
  never,
  PASSKEY,
  type PreparedChain,
  p256Key,
  returned,
  secpKey,
  secret,
  THINGS,
  thing,
  touch,
  typeOf,
} from './prepared-chain.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);

const aborted = (code: number | string): RegExp =>
  new RegExp(`status ABORTED of type Execution with sub status ${code}\\b`);

/** Refused by the chain's validator or the check of what is called. */
export const REJECTED: Readonly<Record<string, readonly [make: (chain: PreparedChain) => Uint8Array, words: RegExp]>> =
  {
    'the same again': [({ accepted }) => accepted, aborted(1001)],
    'an old number': [
      (chain) => chain.signed({ sequenceNumber: 0n }),
      new RegExp(`the next of ${ALICE.address} is \\d+, got 0.*sub status 1001\\)`),
    ],
    'a number ahead': [(chain) => chain.signed({ sequenceNumber: 99n }), aborted(1002)],
    'the last of all numbers': [(chain) => chain.signed({ sequenceNumber: 2n ** 64n - 1n }), aborted(1007)],
    'another chain': [(chain) => chain.signed({ chainId: 1n }), aborted(1006)],
    'another signer': [(chain) => signBitcoin(BOB, chain.data()), aborted(1010)],
    'the signature of another transaction': [
      (chain) => concatBytes(chain.signed({ maxGasAmount: 99_000_000n }).slice(0, 56), chain.signed().slice(56)),
      aborted(1010),
    ],
    'the address of another key': [
      (chain) => signBitcoin(ALICE, chain.data(), (parts) => ({ ...parts, fromAddress: BOB.mainnetAddress })),
      aborted(1010),
    ],
    'an address that is none': [
      (chain) => signBitcoin(ALICE, chain.data(), (parts) => ({ ...parts, fromAddress: 'nowhere' })),
      /sub status 1 \(ErrorInvalidAddress\) in 0x3::bitcoin_address::parse at offset 0$/,
    ],
    'a message that is none of a transaction': [
      (chain) => signBitcoin(ALICE, chain.data(), (parts) => ({ ...parts, messageInfo: new Uint8Array(19) })),
      aborted(1),
    ],
    'no authenticator': [
      (chain) => withPayload(chain.data(), VALIDATOR_BITCOIN, new Uint8Array(0)),
      /status \w+ of type/,
    ],
    'no session key': [
      (chain) => withPayload(chain.data(), VALIDATOR_SESSION, new Uint8Array(0)),
      /status VECTOR_OPERATION_ERROR/,
    ],
    'the validator of calls that nobody signed': [
      (chain) => withPayload(chain.data(), IMPERSONATION_VALIDATOR_ID, new Uint8Array(0)),
      /status ABORTED.* in 0x3::auth_validator_registry/,
    ],
    'the validator of controls': [
      (chain) => withPayload(chain.data(), CONTROL_VALIDATOR_ID, new Uint8Array(0)),
      /status ABORTED.* in 0x3::auth_validator_registry/,
    ],
    'a validator that is not there': [
      (chain) => withPayload(chain.data(), 99n, new Uint8Array(0)),
      /status ABORTED.* in 0x3::auth_validator_registry/,
    ],
    'a validator that the account does not trust': [
      (chain) => withPayload(chain.data({ sender: bob }), VALIDATOR_OF_CONTRACT, Uint8Array.of(1)),
      aborted(1011),
    ],
    'the wrong word to a validator of a contract': [
      (chain) => withPayload(chain.data(), VALIDATOR_OF_CONTRACT, Uint8Array.of(2)),
      new RegExp(`sub status 1010 in ${ALICE.address}::door`),
    ],
    'WebAuthn by itself': [
      (chain) => withPayload(chain.data(), VALIDATOR_WEBAUTHN, new Uint8Array(200)),
      aborted(2001),
    ],
    'a session key that was never lent': [(chain) => never.sign(chain.data()), aborted(1009)],
    'a session key that was taken back': [(chain) => returned.sign(chain.data()), aborted(1009)],
    'a session key of another account': [(chain) => lent.sign(chain.data({ sender: bob })), aborted(1009)],
    'a session key that was not used for long': [(chain) => idle.sign(chain.data()), aborted(1012)],
    'a session key beyond its scope': [
      (chain) => lent.sign(chain.data({ action: takeKeyBack(lent.authenticationKey) })),
      aborted(1013),
    ],
    'a session key for a script': [
      (chain) =>
        lent.sign(
          chain.data({ action: { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] } }),
        ),
      aborted(1013),
    ],
    'one of two keys': [
      (chain) => signTogether(chain.data({ sender: chain.shared }), MEMBERS.slice(0, 1)),
      aborted(1010),
    ],
    'two keys of which one is a stranger’s': [
      (chain) => signTogether(chain.data({ sender: chain.shared }), [MEMBERS[0]!, ALICE]),
      aborted(1010),
    ],
    'none of the keys': [(chain) => signTogether(chain.data({ sender: chain.shared }), []), aborted(1010)],
    'several keys for an account of one': [(chain) => signTogether(chain.data(), MEMBERS), /status ABORTED/],
    'another key for an identity document': [
      (chain) => signDidHash(chain.data({ sender: chain.document }), BOB),
      aborted(101007),
    ],
    'an identity document for another account': [(chain) => signDidHash(chain.data(), ALICE), /status ABORTED/],
    'another message in the name of a document': [
      (chain) => signDidMessage(chain.data({ sender: chain.document }), ALICE, undefined, new Uint8Array(83)),
      aborted(101006),
    ],
    'another challenge to a passkey': [
      (chain) => signDidPasskey(chain.data({ sender: chain.document }), PASSKEY, undefined, new Uint8Array(32)),
      aborted(101006),
    ],
    'another passkey': [
      (chain) => signDidPasskey(chain.data({ sender: chain.document }), secret(99)),
      aborted('1010\\d\\d'),
    ],
    'more gas than the chain allows': [(chain) => chain.signed({ maxGasAmount: 10n ** 9n + 1n }), aborted(1008)],
    'the most gas that can be counted': [(chain) => chain.signed({ maxGasAmount: 5_000_000_000n }), aborted(1008)],
    'more gas than can be counted': [
      (chain) => chain.signed({ maxGasAmount: 5_000_000_001n }),
      /status MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND of type Validation/,
    ],
    'too little gas': [(chain) => chain.signed({ maxGasAmount: 1_000n }), /status OUT_OF_GAS of type Execution/],
    'more bytes than its gas pays for': [
      (chain) =>
        chain.signed({ maxGasAmount: 20_000_000n, action: callOf('0x3::empty::empty', [], new Uint8Array(10_000)) }),
      /^1\d{4} bytes cost.*\(status OUT_OF_GAS of type Execution\)$/,
    ],
    'more bytes than are read': [
      () => new Uint8Array(TRANSACTION_BYTES_MAX + 1),
      /status EXCEEDED_MAX_TRANSACTION_SIZE of type Validation/,
    ],
    'a module that is not there': [
      (chain) => chain.signed({ action: callOf('0x3::no::such') }),
      /status LINKER_ERROR of type Verification/,
    ],
    'a function that is not there': [
      (chain) => chain.signed({ action: callOf('0x3::transfer::no_such') }),
      /status FUNCTION_RESOLUTION_FAILURE of type Verification/,
    ],
    'a function that returns': [
      (chain) => chain.signed({ action: callOf('0x3::gas_coin::balance', [], encode(address, bob)) }),
      aborted(11001),
    ],
    'too few arguments': [
      (chain) => chain.signed({ action: callOf('0x3::transfer::transfer_object', [typeOf('Own')]) }),
      /status NUMBER_OF_ARGUMENTS_MISMATCH/,
    ],
    'too few type arguments': [
      (chain) => chain.signed({ action: callOf('0x3::transfer::transfer_object', [], thing('Own')) }),
      /status NUMBER_OF_TYPE_ARGUMENTS_MISMATCH/,
    ],
    'an unreadable script': [
      (chain) =>
        chain.signed({ action: { kind: 'script', code: Uint8Array.of(0xa1, 0x1c), typeArguments: [], arguments: [] } }),
      /of type Deserialization/,
    ],
    'modules of no system': [
      (chain) => chain.signed({ action: { kind: 'modules', modules: [] } }),
      /status INVALID_MODULE_PUBLISHER of type Validation/,
    ],
    'an object that is not there': [
      (chain) => chain.signed({ action: callOf(`${ALICE.address}::things::touch`, [typeOf('Own')], thing('Other')) }),
      /status FAILED_TO_DESERIALIZE_ARGUMENT of type Verification/,
    ],
    'an object of another type': [
      (chain) => chain.signed({ action: callOf(`${ALICE.address}::things::touch`, [typeOf('Own')], thing('Shared')) }),
      /status TYPE_MISMATCH of type Verification/,
    ],
    'a foreign object': [
      (chain) => chain.signed({ action: touch('Foreign') }),
      /status NO_ACCOUNT_ROLE of type Validation/,
    ],
    'a foreign object by value': [
      (chain) => chain.signed({ action: give('Foreign') }),
      /status NO_ACCOUNT_ROLE of type Validation/,
    ],
    'a frozen object': [
      (chain) => chain.signed({ action: touch('Frozen') }),
      /status NO_ACCOUNT_ROLE of type Validation/,
    ],
    'a frozen object by value': [
      (chain) => chain.signed({ action: give('Frozen') }),
      /status NO_ACCOUNT_ROLE of type Validation/,
    ],
    'a shared object by value': [
      (chain) => chain.signed({ action: give('Shared') }),
      /status NO_ACCOUNT_ROLE of type Validation/,
    ],
  };

export const MALFORMED: Readonly<Record<string, (chain: PreparedChain) => Uint8Array>> = {
  'no bytes': () => new Uint8Array(0),
  'bytes that are none': () => new Uint8Array(100),
  'a byte less': (chain) => chain.signed().slice(0, -1),
  'a byte more': (chain) => concatBytes(chain.signed(), Uint8Array.of(0)),
};

/** Every way to sign, with the curve of the signature. */
export const SIGNATURES: Readonly<
  Record<string, readonly [Curve, (chain: PreparedChain, change: Change) => Uint8Array]>
> = {
  'a Bitcoin key': [
    'secp256k1',
    (chain, change) => signBitcoin(ALICE, chain.data(), (parts) => ({ ...parts, signature: change(parts.signature) })),
  ],
  'an Ed25519 session key': ['ed25519', (chain, change) => lent.sign(chain.data(), change)],
  'a secp256k1 session key': ['secp256k1', (chain, change) => secpKey.sign(chain.data(), change)],
  'a P-256 session key': ['p256', (chain, change) => p256Key.sign(chain.data(), change)],
  'several keys': [
    'secp256k1',
    (chain, change) => signTogether(chain.data({ sender: chain.shared }), MEMBERS.slice(1), change),
  ],
  'a document, the bare hash': [
    'secp256k1',
    (chain, change) => signDidHash(chain.data({ sender: chain.document }), ALICE, change),
  ],
  'a document, a wallet’s message': [
    'secp256k1',
    (chain, change) => signDidMessage(chain.data({ sender: chain.document }), ALICE, change),
  ],
  'a document, a passkey': [
    'p256',
    (chain, change) => signDidPasskey(chain.data({ sender: chain.document }), PASSKEY, change),
  ],
};

const publish = (parts: Partial<PackageData>): Action => {
  const data = encode(packageData, { name: '', id: alice, modules: [], ...parts });
  return callOf('0x2::module_store::publish_package_entry', [], encode(bytes, data));
};
const own = (name: string): Action => callOf(`${ALICE.address}::things::${name}`);
const stranger = assembleFor(BOB, 'module 0xa11ce::stranger public fun n(): u64 { LdU64 1; Ret }');

export interface Kept {
  readonly action: Action;
  readonly status: Partial<Record<string, unknown>> & Pick<KeptStatus, 'kind'>;
  readonly maxGasAmount?: bigint;
}

const abortIn = (name: string, code: bigint): Kept['status'] => ({
  kind: 'move-abort',
  location: expect.stringMatching(new RegExp(`::${name}$`)),
  code,
});

/** What fails when it runs: paid for and counted, and nothing else. */
export const KEPT: Readonly<Record<string, Kept>> = {
  'an unreadable module': {
    action: publish({ modules: [Uint8Array.of(1, 2, 3)] }),
    status: { kind: 'miscellaneous-error' },
  },
  'an unsound module': {
    action: publishFor(ALICE, 'module 0xa11ce::unsound public fun n(): u64 { Ret }'),
    status: abortIn('move_module', 2n),
  },
  'a module for somebody else’s address': { action: publishFor(BOB, THINGS), status: abortIn('module_store', 2n) },
  'a module of somebody else in an own package': {
    action: publish({ modules: [stranger] }),
    status: abortIn('move_module', 1n),
  },
  'a module that needs one that is not there': {
    action: publish({
      modules: [
        assembleFor(
          ALICE,
          'module 0xa11ce::m extern 0x77::gone { fun f() }\n public fun n() { Call 0x77::gone::f; Ret }',
        ),
      ],
    }),
    status: abortIn('move_module', 2n),
  },
  'an upgrade that takes a function away': {
    action: publishFor(ALICE, THINGS.replace('public fun hidden() { Ret }', '')),
    status: abortIn('move_module', 3n),
  },
  'one object twice': {
    action: callOf(`${ALICE.address}::things::two`, [typeOf('Shared')], thing('Shared'), thing('Shared')),
    status: abortIn('object', 7n),
  },
  'an object and its handle': {
    action: callOf(`${ALICE.address}::things::two`, [typeOf('Own')], thing('Own'), thing('Own')),
    status: abortIn('object', 7n),
  },
  'a function that is no entry': { action: own('hidden'), status: { kind: 'miscellaneous-error' } },
  'an argument of too many bytes': {
    action: callOf('0x3::transfer::transfer_object', [typeOf('Own')], new Uint8Array(33), thing('Own')),
    status: { kind: 'miscellaneous-error' },
  },
  'an abort': { action: own('fail'), status: abortIn('things', 77n) },
  'more coins than there are': { action: transfer(bob, 10n ** 30n), status: abortIn('account_coin_store', 3n) },
  'code without end': { action: own('spin'), status: { kind: 'out-of-gas' }, maxGasAmount: 20_000_000n },
};
