/**
 * Validators besides Bitcoin keys and Ed25519 session keys: keys of other curves, several signers, identity documents,
 * and modules that contracts register.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../src/base/bytes/bytes.ts';
import {
  transactionHash,
  VALIDATOR_DID,
  VALIDATOR_SESSION,
  VALIDATOR_WEBAUTHN,
} from '../../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS, type DevAccount } from '../../src/execution/framework/accounts.ts';
import { type Address, formatAddress, parseAddress } from '../../src/move/address.ts';
import { parseTypeTag } from '../../src/move/type-tag.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import {
  addPasskey,
  ENVELOPE_RAW_HASH,
  identityDocument,
  lendKey,
  newAccount,
  p256Session,
  SPOILT,
  secp256k1Session,
  sharedAccount,
  signDid,
  signDidHash,
  signDidMessage,
  signDidPasskey,
  signTogether,
  VALIDATOR_OF_CONTRACT,
  VALIDATOR_OF_ONE,
  validatorModule,
  withPayload,
} from './authenticators.ts';
import { publishFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
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

describe('session keys of other curves', () => {
  const ANYTHING = { module: '*', function: '*' };

  it('sign as secp256k1 does', () => {
    chain.send(ALICE, lendKey(secp256k1Session(BOB).authenticationKey, ANYTHING));
    const data = chain.data(alice, ACTION);
    expect(chain.refusal(secp256k1Session(BOB).sign(data, SPOILT['of which a bit is turned'])).message).toMatch(
      /sub status 1010:/,
    );
    expect(chain.execute(secp256k1Session(BOB).sign(data)).status).toEqual(EXECUTED);
  });

  it('sign as P-256 does', () => {
    const key = p256Session(new Uint8Array(32).fill(3));
    chain.send(ALICE, lendKey(key.authenticationKey, ANYTHING));
    expect(chain.execute(key.sign(chain.data(alice, ACTION))).status).toEqual(EXECUTED);
  });

  it('are of no other scheme, and not too short', () => {
    chain.send(ALICE, lendKey(new Uint8Array(32), ANYTHING));
    const refused = (payload: Uint8Array): string =>
      chain.refusal(withPayload(chain.data(alice, ACTION), VALIDATOR_SESSION, payload)).message;
    expect(refused(concatBytes(Uint8Array.of(3), new Uint8Array(96)))).toMatch(/sub status 1010:/);
    expect(refused(new Uint8Array(40))).toMatch(/^status VECTOR_OPERATION_ERROR of type Execution/);
    expect(refused(new Uint8Array(0))).toMatch(/^status VECTOR_OPERATION_ERROR of type Execution/);
  });
});

describe('an account of several keys', () => {
  const members = DEV_ACCOUNTS.slice(2, 5);
  let shared: Address;

  beforeEach(() => {
    shared = newAccount(chain.send(ALICE, sharedAccount(2n, members)).changeSet);
  });

  const sign = (signers: readonly DevAccount[]): Uint8Array => signTogether(chain.data(shared, ACTION), signers);

  it('obeys enough of them', () => {
    expect(chain.execute(sign([members[0]!, members[2]!])).status).toEqual(EXECUTED);
    expect(chain.execute(sign(members)).status).toEqual(EXECUTED);
    expect(chain.sequenceNumber(shared)).toBe(2n);
  });

  it('does not obey too few, or others', () => {
    expect(chain.refusal(sign([members[0]!])).message).toMatch(/sub status 1010:/);
    expect(chain.refusal(sign([members[0]!, ALICE])).message).toMatch(/sub status 1010:/);
    expect(chain.refusal(sign([])).message).toMatch(/sub status 1010:/);
  });

  it('obeys one key that signs twice, as on networks of the reference', () => {
    expect(chain.execute(sign([members[0]!, members[0]!])).status).toEqual(EXECUTED);
  });
});

describe('WebAuthn by itself', () => {
  it('no longer proves anybody', () => {
    const signed = withPayload(chain.data(alice, ACTION), VALIDATOR_WEBAUTHN, new Uint8Array(200));
    expect(chain.refusal(signed).message).toMatch(
      /^status ABORTED of type Execution with sub status 2001 \(ErrorValidatorDeprecated\) in 0x3::webauthn/,
    );
  });
});

describe('an identity document', () => {
  const secret = new Uint8Array(32).fill(9);
  let owner: Address;

  beforeEach(() => {
    owner = newAccount(chain.send(ALICE, identityDocument(ALICE)).changeSet);
  });

  it('signs the hash itself', () => {
    expect(chain.execute(signDidHash(chain.data(owner, ACTION), ALICE)).status).toEqual(EXECUTED);
    const data = chain.data(owner, ACTION);
    const unknown = { envelope: ENVELOPE_RAW_HASH, method: 'no-key', signature: new Uint8Array(64) };
    expect(chain.refusal(signDid(data, unknown)).message).toMatch(/sub status 101004/);
    expect(chain.refusal(signDidHash(chain.data(alice, ACTION), ALICE)).message).toMatch(/^status ABORTED/);
    expect(chain.refusal(signDidHash(data, BOB)).message).toMatch(/sub status 101007/);
  });

  it('signs a message of a Bitcoin wallet', () => {
    const data = chain.data(owner, ACTION);
    const said = text(`Rooch Transaction:\n${toHex(transactionHash(data))}`);
    const other = signDidMessage(data, ALICE, undefined, said.slice(1));
    expect(chain.refusal(other).message).toMatch(/sub status 101006/);
    expect(chain.execute(signDidMessage(data, ALICE)).status).toEqual(EXECUTED);
  });

  it('signs by WebAuthn with a key that it takes up', () => {
    expect(chain.execute(signDidHash(chain.data(owner, addPasskey(secret)), ALICE)).status).toEqual(EXECUTED);
    const data = chain.data(owner, ACTION);
    const other = signDidPasskey(data, secret, undefined, new Uint8Array(32));
    expect(chain.refusal(other).message).toMatch(/sub status 101006/);
    expect(chain.execute(signDidPasskey(data, secret)).status).toEqual(EXECUTED);
  });

  it('has envelopes of three kinds', () => {
    const data = chain.data(owner, ACTION);
    const signed = signDid(data, { envelope: 3, method: 'account-key', signature: new Uint8Array(64) });
    expect(chain.refusal(signed).message).toMatch(/sub status 101002/);
    expect(chain.refusal(withPayload(data, VALIDATOR_DID, new Uint8Array(3))).message).toMatch(/^status ABORTED/);
  });
});

describe('a validator that a contract registered', () => {
  const DOOR = parseTypeTag(`${ALICE.address}::door::Door`);
  const install = (body: string): void => {
    expect(chain.send(ALICE, publishFor(ALICE, validatorModule(body))).failure).toBeUndefined();
    expect(chain.send(ALICE, callOf(`${ALICE.address}::door::open`)).failure).toBeUndefined();
  };
  const knock = (payload: Uint8Array, maxGasAmount = 100_000_000n): Uint8Array =>
    withPayload(chain.data(bob, ACTION, { maxGasAmount }), VALIDATOR_OF_CONTRACT, payload);
  const trust = (): ExecutionOutput =>
    chain.send(BOB, callOf('0x3::account_authentication::install_auth_validator_entry', [DOOR]));

  it('proves the accounts that trust it', () => {
    install(VALIDATOR_OF_ONE);
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(/sub status 1011:/);
    expect(trust().status).toEqual(EXECUTED);
    expect(chain.refusal(knock(Uint8Array.of(2))).message).toMatch(
      new RegExp(`sub status 1010 in ${ALICE.address}::door`),
    );
    expect(chain.execute(knock(Uint8Array.of(1))).status).toEqual(EXECUTED);
    expect(formatAddress(bob)).toBe(BOB.address);
  });

  it('may change nothing, and runs on the gas of the transaction', () => {
    install(`MoveLoc payload; Pop; LdTrue; Pack Mark; Call 0x2::object::new_named_object<Mark>
      Call 0x2::object::to_shared<Mark>; Ret`);
    trust();
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(
      /^status UNKNOWN_VALIDATION_STATUS of type Validation/,
    );
    chain.send(ALICE, publishFor(ALICE, validatorModule('MoveLoc payload; Pop; again: Branch again')));
    expect(chain.refusal(knock(Uint8Array.of(1), 20_000_000n)).message).toMatch(/^status OUT_OF_GAS of type Execution/);
    // Nothing of it stays, and nobody pays for what is refused.
    expect(chain.execute(signBitcoin(BOB, chain.data(bob, ACTION))).status).toEqual(EXECUTED);
  });
});
