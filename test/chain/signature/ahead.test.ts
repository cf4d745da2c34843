import crypto from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encode } from '../../../src/base/bcs/codec.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { CHECKED_AHEAD_BYTES_MAX, SIGNATURES_AHEAD_MAX } from '../../../src/base/config.ts';
import { SignaturesAhead } from '../../../src/chain/signature/ahead.ts';
import { bitcoinSigner, multisignSigner, type Signer, sessionSigner } from '../../../src/chain/signature/signer.ts';
import { verifyAuthenticator } from '../../../src/chain/signature/verify.ts';
import { multisignPayload } from '../../../src/chain/transaction/auth-payload.ts';
import { VALIDATOR_BITCOIN_MULTISIGN } from '../../../src/chain/transaction/authenticator.ts';
import { type SignedTransaction, signedTransaction, transactionHash } from '../../../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { parseAddress } from '../../../src/move/address.ts';

// The host makes all checks, where they are counted.
vi.mock('../../../src/base/hash/libsecp256k1.ts', () => ({
  libsecp256k1: () => Promise.reject(new Error('not here')),
}));

const KEYS = DEV_ACCOUNTS.slice(0, 3).map(({ privateKey }) => privateKey);
const SIGNERS: readonly (readonly [string, Signer])[] = [
  ['a Bitcoin key', bitcoinSigner(KEYS[0]!)],
  ['a session key', sessionSigner(parseAddress('0x42'), '44'.repeat(32))],
  ['several keys', multisignSigner(parseAddress('0x42'), KEYS)],
];

let made = 0n;

/** A transaction that was never signed before. */
function signed(by: Signer): SignedTransaction {
  return by.sign({
    sender: by.address,
    sequenceNumber: made++,
    chainId: 4n,
    maxGasAmount: 1n,
    action: { kind: 'modules', modules: [] },
  });
}

/** How many checks are made in their turn while the authenticator is verified. */
function checksInTurn({ data, authenticator }: SignedTransaction): number {
  const verify = vi.spyOn(crypto, 'verify');
  try {
    expect(verifyAuthenticator(transactionHash(data), authenticator)).toBeDefined();
    return verify.mock.calls.length;
  } finally {
    verify.mockRestore();
  }
}

function startAhead(): SignaturesAhead {
  const ahead = new SignaturesAhead(1);
  onTestFinished(() => ahead.close());
  return ahead;
}

describe('signatures checked ahead', () => {
  it.each(SIGNERS)('of %s are not checked again in their turn', async (_, signer) => {
    const ahead = startAhead();
    const [checked, other, last] = [signed(signer), signed(signer), signed(SIGNERS[0]![1])];
    ahead.check(encode(signedTransaction, checked));
    ahead.check(encode(signedTransaction, last));
    // A verdict is given once, so `checked` is not polled. One thread makes all checks in order: when the last is
    // known, all are.
    await vi.waitFor(() => expect(checksInTurn(last)).toBe(0), { timeout: 30_000 });
    expect(checksInTurn(checked)).toBe(0);
    expect(checksInTurn(other)).toBeGreaterThan(0);
  });

  it('of a transaction with more of them than a turn has time for are left to it, and keep no others waiting', async () => {
    const ahead = startAhead();
    const keys = Array.from({ length: SIGNATURES_AHEAD_MAX + 1 }, (_, index) =>
      (index + 1).toString(16).padStart(64, '0'),
    );
    const [many, last] = [signed(multisignSigner(parseAddress('0x42'), keys)), signed(SIGNERS[0]![1])];
    ahead.check(encode(signedTransaction, many));
    ahead.check(encode(signedTransaction, last));
    await vi.waitFor(() => expect(checksInTurn(last)).toBe(0), { timeout: 30_000 });
    expect(checksInTurn(many)).toBe(keys.length);
  });

  it('of a long transaction are left to its turn, and it is not read before', () => {
    const ahead = startAhead();
    const { authenticator, data } = signed(SIGNERS[0]![1]);
    const view = vi.spyOn(ByteReader.prototype, 'skip');
    onTestFinished(() => view.mockRestore());
    const empty = new Array(CHECKED_AHEAD_BYTES_MAX / 2).fill(new Uint8Array(0)) as Uint8Array[];
    const payload = encode(multisignPayload, {
      signatures: empty,
      messagePrefix: new Uint8Array(0),
      messageInfo: new Uint8Array(0),
      publicKeys: empty,
    });
    const validatorId = VALIDATOR_BITCOIN_MULTISIGN;
    ahead.check(encode(signedTransaction, { data, authenticator: { validatorId, payload } }));
    expect(view).not.toHaveBeenCalled();
    ahead.check(encode(signedTransaction, { data, authenticator }));
    expect(view).toHaveBeenCalled();
  });

  it('of what cannot be read, or is for the chain alone to check, are left to their turn', () => {
    const ahead = startAhead();
    const transaction = signed(SIGNERS[0]![1]);
    const { authenticator } = transaction;
    const bytes = encode(signedTransaction, transaction);
    ahead.check(bytes.subarray(1));
    ahead.check(bytes.subarray(0, 40));
    ahead.check(new Uint8Array(0));
    ahead.check(encode(signedTransaction, { ...transaction, authenticator: { ...authenticator, validatorId: 77n } }));
    const payload = authenticator.payload.subarray(1);
    ahead.check(encode(signedTransaction, { ...transaction, authenticator: { ...authenticator, payload } }));
    expect(checksInTurn(transaction)).toBe(1);
  });
});
