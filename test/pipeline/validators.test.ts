/**
 * Validators beside Bitcoin keys and Ed25519 session keys: keys of other curves, several signers, identity documents,
 * and modules that contracts register.
 */
import { p256 } from '@noble/curves/nist.js';
import { base58, base64 } from '@scure/base';
import { beforeEach, describe, expect, it } from 'vitest';
import { encode } from '../../src/bcs/codec.ts';
import { option, vector } from '../../src/bcs/composite.ts';
import { bytes, string, u8, u64 } from '../../src/bcs/primitive.ts';
import { concatBytes } from '../../src/bytes/compare.ts';
import { fromHex, toHex } from '../../src/bytes/hex.ts';
import { DEV_ACCOUNTS, type DevAccount } from '../../src/framework/accounts.ts';
import { blake2b256 } from '../../src/hash/blake2b.ts';
import { sha256 } from '../../src/hash/sha256.ts';
import { type Address, address, FRAMEWORK_ADDRESS, formatAddress, parseAddress } from '../../src/move/address.ts';
import { parseTypeTag } from '../../src/move/type-tag.ts';
import type { ExecutedTransaction } from '../../src/pipeline/execute.ts';
import type { Action } from '../../src/transaction/action.ts';
import {
  VALIDATOR_BITCOIN_MULTISIGN,
  VALIDATOR_DID,
  VALIDATOR_SESSION,
  VALIDATOR_WEBAUTHN,
} from '../../src/transaction/authenticator.ts';
import { signedTransaction, type TransactionData, transactionHash } from '../../src/transaction/signed.ts';
import { publishFor } from './contract.ts';
import { signBitcoin, signEcdsa, walletMessage } from './signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const ACTION = transfer(bob, 1n);
const EXECUTED = { kind: 'executed' };
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

let chain: StepChain;

beforeEach(async () => {
  chain = await StepChain.open();
});

function withPayload(data: TransactionData, validatorId: bigint, payload: Uint8Array): Uint8Array {
  return encode(signedTransaction, { data, authenticator: { validatorId, payload } });
}

/** The account that a transaction made. */
function newAccount({ changeSet }: ExecutedTransaction): Address {
  const made = changeSet.changes.find(
    ([, { meta, value }]) => meta.objectType.name === 'Account' && value?.kind === 'new',
  );
  return made![1].meta.id[0]!;
}

describe('session keys of other curves', () => {
  const lend = (key: Uint8Array): Action =>
    callOf(
      '0x3::session_key::create_session_key_entry',
      [],
      encode(string, 'app'),
      encode(string, 'https://app.example'),
      encode(bytes, key),
      encode(address, FRAMEWORK_ADDRESS),
      encode(string, '*'),
      encode(string, '*'),
      encode(u64, 0n),
    );

  it('sign as secp256k1 does', () => {
    const publicKey = fromHex(BOB.publicKey);
    chain.send(ALICE, lend(blake2b256(concatBytes(Uint8Array.of(1), publicKey))));
    const data = chain.data(alice, ACTION);
    const sign = (signer: DevAccount): Uint8Array =>
      concatBytes(Uint8Array.of(1), signEcdsa(signer.privateKey, transactionHash(data)), publicKey);
    expect(chain.refusal(withPayload(data, VALIDATOR_SESSION, sign(ALICE))).message).toMatch(/sub status 1010:/);
    expect(chain.execute(withPayload(data, VALIDATOR_SESSION, sign(BOB))).status).toEqual(EXECUTED);
  });

  it('sign as P-256 does', () => {
    const secret = new Uint8Array(32).fill(3);
    const publicKey = p256.getPublicKey(secret, true);
    chain.send(ALICE, lend(concatBytes(Uint8Array.of(2), sha256(publicKey))));
    const data = chain.data(alice, ACTION);
    const signature = p256.sign(transactionHash(data), secret, { lowS: true });
    const payload = concatBytes(Uint8Array.of(2), signature, publicKey);
    expect(chain.execute(withPayload(data, VALIDATOR_SESSION, payload)).status).toEqual(EXECUTED);
  });

  it('are of no other scheme, and not too short', () => {
    chain.send(ALICE, lend(new Uint8Array(32)));
    const refused = (payload: Uint8Array): string =>
      chain.refusal(withPayload(chain.data(alice, ACTION), VALIDATOR_SESSION, payload)).message;
    expect(refused(concatBytes(Uint8Array.of(3), new Uint8Array(96)))).toMatch(/sub status 1010:/);
    expect(refused(new Uint8Array(40))).toMatch(/^status VECTOR_OPERATION_ERROR of type Execution/);
    expect(refused(new Uint8Array(0))).toMatch(/^status VECTOR_OPERATION_ERROR of type Execution/);
  });
});

describe('an account of several keys', () => {
  const members = DEV_ACCOUNTS.slice(2, 5);
  const publicKeys = members.map(({ publicKey }) => fromHex(publicKey));
  let shared: Address;

  beforeEach(() => {
    const name = '0x4::multisign_account::initialize_multisig_account_entry';
    shared = newAccount(chain.send(ALICE, callOf(name, [], encode(u64, 2n), encode(vector(bytes), publicKeys))));
  });

  const sign = (signers: readonly DevAccount[]): Uint8Array => {
    const data = chain.data(shared, ACTION);
    const message = sha256(walletMessage(transactionHash(data)));
    const signatures = signers.map(({ privateKey }) => signEcdsa(privateKey, message));
    const keys = signers.map(({ publicKey }) => fromHex(publicKey));
    const payload = concatBytes(
      encode(vector(bytes), signatures),
      encode(bytes, text('Bitcoin Signed Message:\n')),
      encode(bytes, text('Rooch Transaction:\n')),
      encode(vector(bytes), keys),
    );
    return withPayload(data, VALIDATOR_BITCOIN_MULTISIGN, payload);
  };

  it('is moved by enough of them', () => {
    expect(chain.execute(sign([members[0]!, members[2]!])).status).toEqual(EXECUTED);
    expect(chain.execute(sign(members)).status).toEqual(EXECUTED);
    expect(chain.sequenceNumber(shared)).toBe(2n);
  });

  it('is not moved by too few, or by others', () => {
    expect(chain.refusal(sign([members[0]!])).message).toMatch(/sub status 1010:/);
    expect(chain.refusal(sign([members[0]!, ALICE])).message).toMatch(/sub status 1010:/);
    expect(chain.refusal(sign([])).message).toMatch(/sub status 1010:/);
  });

  it('is moved by one key that signs twice, as on networks of the reference', () => {
    expect(chain.execute(sign([members[0]!, members[0]!])).status).toEqual(EXECUTED);
  });
});

describe('WebAuthn by itself', () => {
  it('proves nobody any more', () => {
    const signed = withPayload(chain.data(alice, ACTION), VALIDATOR_WEBAUTHN, new Uint8Array(200));
    expect(chain.refusal(signed).message).toMatch(
      /^status ABORTED of type Execution with sub status 2001 in 0x3::webauthn/,
    );
  });
});

describe('an identity document', () => {
  const RAW_HASH = 0;
  const BITCOIN_MESSAGE = 1;
  const WEBAUTHN = 2;
  const secret = new Uint8Array(32).fill(9);
  const multibase = (key: Uint8Array): Uint8Array => encode(string, `z${base58.encode(key)}`);
  let owner: Address;

  beforeEach(() => {
    const key = multibase(fromHex(ALICE.publicKey));
    owner = newAccount(chain.send(ALICE, callOf('0x3::did::create_did_object_for_self_entry', [], key)));
  });

  const payloadOf = (envelope: number, method: string, signature: Uint8Array, message?: Uint8Array): Uint8Array =>
    concatBytes(encode(u8, envelope), encode(string, method), encode(bytes, signature), encode(option(bytes), message));

  const raw = (data: TransactionData, method = 'account-key'): Uint8Array =>
    withPayload(data, VALIDATOR_DID, payloadOf(RAW_HASH, method, signEcdsa(ALICE.privateKey, transactionHash(data))));

  it('signs the hash itself', () => {
    expect(chain.execute(raw(chain.data(owner, ACTION))).status).toEqual(EXECUTED);
    expect(chain.refusal(raw(chain.data(owner, ACTION), 'no-key')).message).toMatch(/sub status 101004/);
    expect(chain.refusal(raw(chain.data(alice, ACTION))).message).toMatch(/^status ABORTED/);
    const data = chain.data(owner, ACTION);
    const wrong = payloadOf(RAW_HASH, 'account-key', signEcdsa(BOB.privateKey, transactionHash(data)));
    expect(chain.refusal(withPayload(data, VALIDATOR_DID, wrong)).message).toMatch(/sub status 101007/);
  });

  it('signs a message of a Bitcoin wallet', () => {
    const data = chain.data(owner, ACTION);
    const hash = transactionHash(data);
    const message = text(`Rooch Transaction:\n${toHex(hash)}`);
    const signature = signEcdsa(ALICE.privateKey, sha256(walletMessage(hash)));
    const sign = (said: Uint8Array): Uint8Array =>
      withPayload(data, VALIDATOR_DID, payloadOf(BITCOIN_MESSAGE, 'account-key', signature, said));
    expect(chain.refusal(sign(message.slice(1))).message).toMatch(/sub status 101006/);
    expect(chain.execute(sign(message)).status).toEqual(EXECUTED);
  });

  it('signs by WebAuthn with a key that it takes up', () => {
    const add = callOf(
      '0x3::did::add_verification_method_entry',
      [],
      encode(string, 'passkey'),
      encode(string, 'EcdsaSecp256r1VerificationKey2019'),
      multibase(p256.getPublicKey(secret, true)),
      encode(vector(u8), [0]),
    );
    expect(chain.execute(raw(chain.data(owner, add))).status).toEqual(EXECUTED);
    const data = chain.data(owner, ACTION);
    const sign = (challenge: Uint8Array): Uint8Array => {
      const client = text(
        JSON.stringify({ type: 'webauthn.get', challenge: base64.encode(challenge), origin: 'https://app.example' }),
      );
      const device = new Uint8Array(37).fill(1);
      const signature = p256.sign(concatBytes(device, sha256(client)), secret, { lowS: true });
      const message = concatBytes(encode(bytes, device), encode(bytes, client));
      return withPayload(data, VALIDATOR_DID, payloadOf(WEBAUTHN, 'passkey', signature, message));
    };
    expect(chain.refusal(sign(new Uint8Array(32))).message).toMatch(/sub status 101006/);
    expect(chain.execute(sign(transactionHash(data))).status).toEqual(EXECUTED);
  });

  it('has envelopes of three kinds', () => {
    const data = chain.data(owner, ACTION);
    const signed = withPayload(data, VALIDATOR_DID, payloadOf(3, 'account-key', new Uint8Array(64)));
    expect(chain.refusal(signed).message).toMatch(/sub status 101002/);
    expect(chain.refusal(withPayload(data, VALIDATOR_DID, new Uint8Array(3))).message).toMatch(/^status ABORTED/);
  });
});

describe('a validator that a contract registered', () => {
  const module = (body: string): string => `module 0xa11ce::door
    struct Door has store, drop { x: bool }
    struct Mark has key { x: bool }
    entry fun open() { Call 0x3::auth_validator_registry::register<Door>; Pop; Ret }
    public fun validate(payload: vector<u8>) { ${body} }`;
  const WORD = 'MoveLoc payload; LdConst vector<u8> 0x0101; Eq; BrTrue good; LdU64 1010; Abort; good: Ret';
  const DOOR = parseTypeTag(`${ALICE.address}::door::Door`);
  /** The first number that the registry gives to contracts. */
  const ID = 100n;

  const install = (body: string): void => {
    expect(chain.send(ALICE, publishFor(ALICE, module(body))).failure).toBeUndefined();
    expect(chain.send(ALICE, callOf(`${ALICE.address}::door::open`)).failure).toBeUndefined();
  };
  const knock = (payload: Uint8Array, maxGasAmount = 100_000_000n): Uint8Array =>
    withPayload(chain.data(bob, ACTION, { maxGasAmount }), ID, payload);
  const trust = (): ExecutedTransaction =>
    chain.send(BOB, callOf('0x3::account_authentication::install_auth_validator_entry', [DOOR]));

  it('proves the accounts that trust it', () => {
    install(WORD);
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(/sub status 1011:/);
    expect(trust().status).toEqual(EXECUTED);
    expect(chain.refusal(knock(Uint8Array.of(2))).message).toMatch(
      new RegExp(`sub status 1010 in ${ALICE.address}::door`),
    );
    expect(chain.execute(knock(Uint8Array.of(1))).status).toEqual(EXECUTED);
    expect(formatAddress(bob)).toBe(BOB.address);
  });

  it('may change nothing, and has the gas of the transaction', () => {
    install(`MoveLoc payload; Pop; LdTrue; Pack Mark; Call 0x2::object::new_named_object<Mark>
      Call 0x2::object::to_shared<Mark>; Ret`);
    trust();
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(
      /^status UNKNOWN_VALIDATION_STATUS of type Validation/,
    );
    chain.send(ALICE, publishFor(ALICE, module('MoveLoc payload; Pop; again: Branch again')));
    expect(chain.refusal(knock(Uint8Array.of(1), 20_000_000n)).message).toMatch(/^status OUT_OF_GAS of type Execution/);
    // Nothing of it stays, and nobody pays for what is refused.
    expect(chain.execute(signBitcoin(BOB, chain.data(bob, ACTION))).status).toEqual(EXECUTED);
  });
});
