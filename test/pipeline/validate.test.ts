/** Validation: who may send what, and with which words others are refused. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { bytes, encode, vector } from '../../src/base/bcs.ts';
import { concatBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { blake2b256 } from '../../src/base/hash/blake2.ts';
import type { Action } from '../../src/chain/transaction/action.ts';
import { signedTransaction, transactionHash } from '../../src/chain/transaction/signed.ts';
import { address, addressOf, parseAddress } from '../../src/move/address.ts';
import { type RejectionOptions, rejection } from '../../src/pipeline/rejection.ts';
import { TRANSACTION_BYTES_MAX } from '../../src/pipeline/validate.ts';
import type { ModuleId } from '../../src/vm/binary/module.ts';
import type { Failure } from '../../src/vm/failure.ts';
import { StatusCode } from '../../src/vm/status.ts';
import { lendKey } from './authenticators.ts';
import { bitcoinAuthenticator, bitcoinParts, SessionSigner, signBitcoin, signEcdsa } from './signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const ACTION = transfer(bob, 1n);
/** A session key that lives for ten seconds unused. */
const INTERVAL = 10n;

/** A refusal by a code of the framework's validators, whose message starts in the reference's words. */
const refusedFor = (code: number) => ({
  code: 'transaction-rejected',
  message: expect.stringMatching(new RegExp(`^status ABORTED of type Execution with sub status ${code}: .`)),
});

describe('a transaction signed with a Bitcoin key', () => {
  it('is refused when its sequence number is not the next', async () => {
    const chain = await StepChain.open();
    const sign = (sequenceNumber: bigint) => signBitcoin(ALICE, chain.data(alice, ACTION, { sequenceNumber }));
    const first = sign(0n);
    expect(chain.refusal(sign(1n))).toEqual(refusedFor(1002));
    expect(chain.refusal(sign(2n ** 64n - 1n))).toEqual(refusedFor(1007));
    chain.execute(first);
    expect(chain.refusal(first)).toEqual(refusedFor(1001));
    expect(chain.refusal(first).message).toContain(`the next of ${ALICE.address} is 1, got 0`);
  });

  it('is refused on another chain, and for more gas than the chain allows', async () => {
    const chain = await StepChain.open();
    expect(chain.refusal(signBitcoin(ALICE, chain.data(alice, ACTION, { chainId: 1n })))).toEqual(refusedFor(1006));
    const greedy = (maxGasAmount: bigint) =>
      chain.refusal(signBitcoin(ALICE, chain.data(alice, ACTION, { maxGasAmount })));
    expect(greedy(1_000_000_001n)).toEqual(refusedFor(1008));
    expect(greedy(5_000_000_000n)).toEqual(refusedFor(1008));
    expect(greedy(5_000_000_001n).message).toMatch(
      /^status MAX_GAS_UNITS_EXCEEDS_MAX_GAS_UNITS_BOUND of type Validation/,
    );
    expect(greedy(0n).message).toMatch(/^status OUT_OF_GAS of type Execution/);
  });

  it('is refused when another key signed it, or another message was signed', async () => {
    const chain = await StepChain.open();
    const data = chain.data(alice, ACTION);
    expect(chain.refusal(signBitcoin(BOB, data))).toEqual(refusedFor(1010));
    const other = bitcoinParts(ALICE, transactionHash({ ...data, sequenceNumber: 1n }));
    expect(chain.refusal(encode(signedTransaction, { data, authenticator: bitcoinAuthenticator(other) }))).toEqual(
      refusedFor(1010),
    );
    const stolen = signBitcoin(ALICE, data, (parts) => ({ ...parts, fromAddress: BOB.mainnetAddress }));
    expect(chain.refusal(stolen)).toEqual(refusedFor(1010));
    const nowhere = signBitcoin(ALICE, data, (parts) => ({ ...parts, fromAddress: 'nowhere' }));
    expect(chain.refusal(nowhere).message).toMatch(
      /^status ABORTED of type Execution with sub status 1 \(ErrorInvalidAddress\) in 0x3::bitcoin_address::parse at offset 0$/,
    );
  });

  it('is refused for the higher of the two valid signatures, and for what is not a signature', async () => {
    const chain = await StepChain.open();
    const sign = (change: (signature: Uint8Array) => Uint8Array) =>
      chain.refusal(
        signBitcoin(ALICE, chain.data(alice, ACTION), (parts) => ({ ...parts, signature: change(parts.signature) })),
      );
    const n = secp256k1.Point.Fn.ORDER;
    const high = (signature: Uint8Array): Uint8Array => {
      const s = n - BigInt(`0x${toHex(signature.subarray(32))}`);
      return concatBytes(
        signature.subarray(0, 32),
        Uint8Array.from(Buffer.from(s.toString(16).padStart(64, '0'), 'hex')),
      );
    };
    expect(sign(high)).toEqual(refusedFor(1010));
    expect(sign((signature) => signature.map((byte, index) => (index === 5 ? byte ^ 1 : byte)))).toEqual(
      refusedFor(1010),
    );
    expect(sign(() => new Uint8Array(64))).toEqual(refusedFor(1010));
    // Not two numbers below the order of the curve: the native itself aborts.
    for (const bad of [new Uint8Array(64).fill(255), new Uint8Array(63), new Uint8Array(0)]) {
      expect(sign(() => bad).message).toMatch(/^status ABORTED of type Execution with sub status \d+/);
    }
  });

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
  const key = new SessionSigner(new Uint8Array(32).fill(7));
  const authenticationKey = blake2b256(concatBytes(Uint8Array.of(0), key.publicKey));

  const lend = (module: string, name: string): Action =>
    lendKey(authenticationKey, { module, function: name, interval: INTERVAL });

  it('is the sender’s within the scope of the key, and records when it was used', async () => {
    const chain = await StepChain.open();
    expect(chain.send(ALICE, lend('transfer', '*')).status.kind).toBe('executed');
    expect(chain.execute(key.sign(chain.data(alice, ACTION))).status.kind).toBe('executed');
    const removal = callOf('0x3::session_key::remove_session_key_entry', [], encode(bytes, authenticationKey));
    expect(chain.refusal(key.sign(chain.data(alice, removal)))).toEqual(refusedFor(1013));
    const script: Action = { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] };
    expect(chain.refusal(key.sign(chain.data(alice, script)))).toEqual(refusedFor(1013));
    expect(chain.send(ALICE, removal).status.kind).toBe('executed');
    expect(chain.refusal(key.sign(chain.data(alice, ACTION)))).toEqual(refusedFor(1009));
  });

  it('is refused for accounts that lent no key, or a different one', async () => {
    const chain = await StepChain.open();
    expect(chain.refusal(key.sign(chain.data(alice, ACTION)))).toEqual(refusedFor(1009));
    chain.send(ALICE, lend('transfer', '*'));
    const other = new SessionSigner(new Uint8Array(32).fill(8));
    expect(chain.refusal(other.sign(chain.data(alice, ACTION)))).toEqual(refusedFor(1009));
    expect(chain.refusal(key.sign(chain.data(bob, ACTION)))).toEqual(refusedFor(1009));
  });

  it('is refused once the key has gone unused for too long; each use counts', async () => {
    const chain = await StepChain.open();
    chain.send(ALICE, lend('*', '*'));
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

  it('is refused when its signature is not right', async () => {
    const chain = await StepChain.open();
    chain.send(ALICE, lend('*', '*'));
    const signed = key.sign(chain.data(alice, ACTION));
    const bent = signed.map((byte, index) => (index === signed.length - 40 ? byte ^ 1 : byte));
    expect(chain.refusal(bent)).toEqual(refusedFor(1010));
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

describe('an authenticator of no known validator', () => {
  it('is refused, including that of calls that nobody signed', async () => {
    const chain = await StepChain.open();
    for (const validatorId of [2n ** 64n - 1n, 99n]) {
      const authenticator = { validatorId, payload: new Uint8Array(0) };
      const signed = encode(signedTransaction, { data: chain.data(alice, ACTION), authenticator });
      expect(chain.refusal(signed).message).toMatch(
        /^status ABORTED of type Execution with sub status 1 \(ErrorValidatorUnregistered\) in 0x3::auth_validator_registry::borrow_validator at offset \d+$/,
      );
    }
  });
});

describe('bytes', () => {
  it('that are not a transaction are refused as such', async () => {
    const chain = await StepChain.open();
    const signed = signBitcoin(ALICE, chain.data(alice, ACTION));
    for (const bad of [new Uint8Array(0), signed.slice(0, -1), concatBytes(signed, Uint8Array.of(0))]) {
      expect(chain.refusal(bad).code).toBe('malformed-bytes');
    }
  });

  it('of too many are refused unread', async () => {
    const chain = await StepChain.open();
    expect(chain.refusal(new Uint8Array(TRANSACTION_BYTES_MAX + 1)).message).toMatch(
      /^status EXCEEDED_MAX_TRANSACTION_SIZE of type Validation/,
    );
  });

  it('that the gas limit does not pay for are refused', async () => {
    const chain = await StepChain.open();
    const action = callOf('0x3::empty::empty', [], encode(vector(bytes), [new Uint8Array(10_000)]));
    const signed = signBitcoin(ALICE, chain.data(alice, action, { maxGasAmount: 20_000_000n }));
    expect(chain.refusal(signed).message).toMatch(/^status OUT_OF_GAS of type Execution: 1\d{4} bytes cost/);
  });
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
  const advice = 'fund the account or ask for less gas';

  it.each<[why: string, failure: Partial<Failure>, options: RejectionOptions, words: string, details: object]>([
    [
      'for a code of a validator',
      { status: aborted, subStatus: 1004n, reason: 'by itself', ...at(validator) },
      { fact: 'it has 5' },
      `status ABORTED of type Execution with sub status 1004: ${cannotPay} (it has 5); ${advice}`,
      { status: 'ABORTED', statusCode: 4016, subStatus: '1004', reason: cannotPay, advice },
    ],
    [
      'for such a code with a category',
      { status: aborted, subStatus: 0x1_0000n + 1004n, ...at(validator) },
      {},
      `status ABORTED of type Execution with sub status 66540: ${cannotPay}; ${advice}`,
      { status: 'ABORTED', statusCode: 4016, subStatus: '66540', reason: cannotPay, advice },
    ],
    [
      'for such a code of a contract',
      { status: aborted, subStatus: 1004n, reason: 'by itself', ...at(contract) },
      { during: 'a check' },
      'status ABORTED of type Execution with sub status 1004 in 0x42::m at offset 7, in a check: by itself',
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
      'status ABORTED of type Execution with sub status 1004: as the machine says',
      { status: 'ABORTED', statusCode: 4016, subStatus: '1004', reason: 'as the machine says' },
    ],
    [
      'in a script',
      { status: gas, ...at(undefined) },
      { fact: 'of 5' },
      'status OUT_OF_GAS of type Execution in script::main at offset 7: as the machine says (of 5)',
      { status: 'OUT_OF_GAS', statusCode: 4002, reason: 'as the machine says' },
    ],
    [
      'before any code ran',
      { status: StatusCode.LINKER_ERROR, ...at(contract, true) },
      {},
      'status LINKER_ERROR of type Verification in 0x42::m: as the machine says',
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

describe('what is called', () => {
  it('is looked at before the transaction is ordered', async () => {
    const chain = await StepChain.open();
    const refusal = (action: Action): string => chain.refusal(signBitcoin(ALICE, chain.data(alice, action))).message;
    expect(refusal(callOf('0x3::transfer::no_such'))).toMatch(
      /^status FUNCTION_RESOLUTION_FAILURE of type Verification/,
    );
    expect(refusal(callOf('0x3::no_such::f'))).toMatch(/^status LINKER_ERROR of type Verification/);
    const { arguments: given, ...call } = transfer(bob, 1n);
    expect(refusal({ ...call, arguments: given.slice(1) })).toMatch(/^status NUMBER_OF_ARGUMENTS_MISMATCH/);
    expect(refusal({ ...call, typeArguments: [], arguments: given })).toMatch(
      /^status NUMBER_OF_TYPE_ARGUMENTS_MISMATCH/,
    );
    // Returns a value, which no transaction has a place for.
    expect(refusal(callOf('0x3::gas_coin::balance', [], encode(address, bob)))).toMatch(
      /^status ABORTED of type Execution with sub status 11001/,
    );
    expect(refusal({ kind: 'modules', modules: [] })).toMatch(/^status INVALID_MODULE_PUBLISHER of type Validation/);
    const code = Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b);
    expect(refusal({ kind: 'script', code, typeArguments: [], arguments: [] })).toMatch(/of type Deserialization/);
  });
});
