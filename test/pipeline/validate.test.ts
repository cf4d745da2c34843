/** Validation: who may send what. Whoever may not, and with which words: refused.test.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { concatBytes } from '../../src/base/bytes/bytes.ts';
import { parseBitcoinAddress } from '../../src/bitcoin/address.ts';
import { transactionData, VALIDATOR_DID, VALIDATOR_SESSION } from '../../src/chain/transaction/signed.ts';
import { type Address, addressOf, parseAddress } from '../../src/move/address.ts';
import { parseTypeTag } from '../../src/move/type-tag.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import { type RejectionOptions, rejection } from '../../src/pipeline/rejection.ts';
import { presumeValid } from '../../src/pipeline/validate.ts';
import type { ModuleId } from '../../src/vm/binary/module.ts';
import type { Failure } from '../../src/vm/failure.ts';
import { StatusCode } from '../../src/vm/status.ts';
import {
  ENVELOPE_RAW_HASH,
  ed25519Session,
  identityDocument,
  lendKey,
  newAccount,
  signDid,
  VALIDATOR_OF_CONTRACT,
  VALIDATOR_OF_ONE,
  validatorModule,
  withPayload,
} from './authenticators.ts';
import { publishFor } from './contract.ts';
import { signBitcoin, signEcdsa } from './signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const ACTION = transfer(bob, 1n);
/** A session key that lives for ten seconds unused. */
const INTERVAL = 10n;

/** A refusal by a code of the framework's validators, whose message starts in the reference's words. */
const refusedFor = (code: number) => ({
  code: 'transaction-rejected',
  message: expect.stringMatching(new RegExp(`. \\(status ABORTED of type Execution with sub status ${code}\\)$`)),
});

describe('a transaction signed with a Bitcoin key', () => {
  it('may be signed with an address of any Bitcoin network', async () => {
    const chain = await StepChain.open();
    const signed = signBitcoin(ALICE, chain.data(alice, ACTION), (parts) => ({
      ...parts,
      fromAddress: ALICE.regtestAddress,
    }));
    expect(chain.execute(signed).status.kind).toBe('executed');
  });
});

describe('a transaction signed with a session key', () => {
  const key = ed25519Session(new Uint8Array(32).fill(7));

  it('is refused once the key has gone unused for too long; each use counts', async () => {
    const chain = await StepChain.open();
    chain.send(ALICE, lendKey(key.authenticationKey, { module: '*', function: '*', interval: INTERVAL }));
    for (let use = 0; use < 3; use++) {
      chain.now += INTERVAL * 1_000n;
      // Another account moves the clock: validation looks at the state before the transaction.
      chain.send(BOB, ACTION);
      expect(chain.execute(key.sign(chain.data(alice, ACTION))).status.kind).toBe('executed');
    }
    chain.now += (INTERVAL + 1n) * 1_000n;
    chain.send(BOB, ACTION);
    expect(chain.refusal(key.sign(chain.data(alice, ACTION)))).toEqual(refusedFor(1012));
  });
});

describe('signatures that need not be checked', () => {
  it('may be anything if the rest is right', async () => {
    const chain = await StepChain.open({ verifySignatures: false });
    const data = chain.data(alice, ACTION);
    const wrong = signEcdsa(BOB.privateKey, new Uint8Array(1));
    expect(chain.execute(signBitcoin(ALICE, data, (parts) => ({ ...parts, signature: wrong }))).status.kind).toBe(
      'executed',
    );
    expect(chain.refusal(signBitcoin(BOB, chain.data(alice, ACTION)))).toEqual(refusedFor(1010));
    expect(chain.refusal(signBitcoin(ALICE, data))).toEqual(refusedFor(1001));
  });
});

it('a dry run has the Bitcoin address of its sender, or one that stands for any', async () => {
  const chain = await StepChain.open();
  const presumed = (sender: Address): Uint8Array => {
    const made = presumeValid(encode(transactionData, chain.data(sender, ACTION)), chain.context);
    if (made.kind === 'refused') throw made.error;
    return made.transaction.result.bitcoinAddress;
  };
  expect(presumed(addressOf(0x77))).toEqual(parseBitcoinAddress('18cBEMRxXHqzWWCxZNtU91F5sbUNKhL5PX'));
  expect(chain.send(ALICE, ACTION).status.kind).toBe('executed');
  expect(presumed(alice)).toEqual(parseBitcoinAddress(ALICE.mainnetAddress));
});

describe('a refusal', () => {
  const at = (module: ModuleId | undefined, isBeforeCode?: true): Partial<Failure> => ({
    location: { module, functionIndex: 0, codeOffset: 7 },
    ...(isBeforeCode && { isBeforeCode }),
  });
  const validator = { address: addressOf(3), name: 'transaction_validator' };
  const contract = { address: addressOf(0x42), name: 'm' };
  const [aborted, gas] = [StatusCode.ABORTED, StatusCode.OUT_OF_GAS];
  const cannotPay = 'the sender cannot pay for the gas that it asks for';
  const advice = 'give it coins, or ask for less gas: maxGasAmount';

  it.each<[why: string, failure: Partial<Failure>, options: RejectionOptions, words: string, details: object]>([
    [
      'for a code of a validator',
      { status: aborted, subStatus: 1004n, reason: 'by itself', ...at(validator) },
      { fact: 'it has 5' },
      `${cannotPay} (it has 5); ${advice} (status ABORTED of type Execution with sub status 1004)`,
      { status: 'ABORTED', statusCode: 4016, subStatus: '1004', reason: cannotPay, advice },
    ],
    [
      'for such a code with a category',
      { status: aborted, subStatus: 0x1_0000n + 1004n, ...at(validator) },
      {},
      `${cannotPay}; ${advice} (status ABORTED of type Execution with sub status 66540)`,
      { status: 'ABORTED', statusCode: 4016, subStatus: '66540', reason: cannotPay, advice },
    ],
    [
      'for such a code of a contract',
      { status: aborted, subStatus: 1004n, reason: 'by itself', ...at(contract) },
      { during: 'a check' },
      'by itself (status ABORTED of type Execution with sub status 1004 in 0x42::m at offset 7, in a check)',
      { status: 'ABORTED', statusCode: 4016, subStatus: '1004', reason: 'by itself' },
    ],
    [
      'for a code that no validator has',
      { status: aborted, subStatus: 999n, ...at(validator) },
      {},
      'status ABORTED of type Execution with sub status 999 in 0x3::transaction_validator at offset 7',
      { status: 'ABORTED', statusCode: 4016, subStatus: '999', reason: '' },
    ],
    [
      'for an abort of nowhere',
      { status: aborted, subStatus: 1004n },
      {},
      'as the machine says (status ABORTED of type Execution with sub status 1004)',
      { status: 'ABORTED', statusCode: 4016, subStatus: '1004', reason: 'as the machine says' },
    ],
    [
      'in a script',
      { status: gas, ...at(undefined) },
      { fact: 'of 5' },
      'as the machine says (of 5) (status OUT_OF_GAS of type Execution in script::main at offset 7)',
      { status: 'OUT_OF_GAS', statusCode: 4002, reason: 'as the machine says' },
    ],
    [
      'before any code ran',
      { status: StatusCode.LINKER_ERROR, ...at(contract, true) },
      {},
      'as the machine says (status LINKER_ERROR of type Verification in 0x42::m)',
      { status: 'LINKER_ERROR', statusCode: StatusCode.LINKER_ERROR, reason: 'as the machine says' },
    ],
  ])('%s says what is wrong', (_why, failure, options, words, details) => {
    const told = { subStatus: undefined, location: undefined, message: 'as the machine says', ...failure } as Failure;
    const error = rejection(told, options);
    expect([error.code, error.message]).toEqual(['transaction-rejected', words]);
    const { failure: explained, ...others } = error.details;
    expect(others).toEqual(details);
    expect(explained).toMatchObject({ status: others['status'] });
  });
});

const EXECUTED = { kind: 'executed' };

let chain: StepChain;

beforeEach(async () => {
  chain = await StepChain.open();
});

describe('session keys', () => {
  it('are of no other scheme, and not too short', () => {
    chain.send(ALICE, lendKey(new Uint8Array(32), { module: '*', function: '*' }));
    const refused = (payload: Uint8Array): string =>
      chain.refusal(withPayload(chain.data(alice, ACTION), VALIDATOR_SESSION, payload)).message;
    expect(refused(concatBytes(Uint8Array.of(3), new Uint8Array(96)))).toMatch(/sub status 1010\)/);
    expect(refused(new Uint8Array(40))).toMatch(/status VECTOR_OPERATION_ERROR of type Execution/);
    expect(refused(new Uint8Array(0))).toMatch(/status VECTOR_OPERATION_ERROR of type Execution/);
  });
});

describe('an identity document', () => {
  it('has envelopes of three kinds, and signs by methods that it has', () => {
    const owner = newAccount(chain.send(ALICE, identityDocument(ALICE)).changeSet);
    const data = chain.data(owner, ACTION);
    const refused = (envelope: number, method: string): string =>
      chain.refusal(signDid(data, { envelope, method, signature: new Uint8Array(64) })).message;
    expect(refused(3, 'account-key')).toMatch(/sub status 101002/);
    expect(refused(ENVELOPE_RAW_HASH, 'no-key')).toMatch(/sub status 101004/);
    expect(chain.refusal(withPayload(data, VALIDATOR_DID, new Uint8Array(3))).message).toMatch(/status ABORTED/);
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
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(/sub status 1011\)/);
    expect(trust().status).toEqual(EXECUTED);
    expect(chain.refusal(knock(Uint8Array.of(2))).message).toMatch(
      new RegExp(`sub status 1010 in ${ALICE.address}::door`),
    );
    expect(chain.execute(knock(Uint8Array.of(1))).status).toEqual(EXECUTED);
  });

  it('may change nothing, and runs on the gas of the transaction', () => {
    install(`MoveLoc payload; Pop; LdTrue; Pack Mark; Call 0x2::object::new_named_object<Mark>
      Call 0x2::object::to_shared<Mark>; Ret`);
    trust();
    expect(chain.refusal(knock(Uint8Array.of(1))).message).toMatch(
      /status UNKNOWN_VALIDATION_STATUS of type Validation/,
    );
    chain.send(ALICE, publishFor(ALICE, validatorModule('MoveLoc payload; Pop; again: Branch again')));
    expect(chain.refusal(knock(Uint8Array.of(1), 20_000_000n)).message).toMatch(/status OUT_OF_GAS of type Execution/);
    // Nothing of it stays, and nobody pays for what is refused.
    expect(chain.execute(signBitcoin(BOB, chain.data(bob, ACTION))).status).toEqual(EXECUTED);
  });
});
