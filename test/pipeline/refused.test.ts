/** Nothing unsigned gets in: what is refused is told why, in its status, and leaves not one row. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/bcs/codec.ts';
import { concatBytes } from '../../src/bytes/compare.ts';
import { TRANSACTION_BYTES_MAX } from '../../src/config.ts';
import { Engine } from '../../src/engine.ts';
import { parseAddress } from '../../src/move/address.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { signedTransaction, type TransactionData } from '../../src/transaction/signed.ts';
import { SessionSigner, signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const key = new SessionSigner(new Uint8Array(32).fill(7));
const store = new MemoryStore();
let engine: Engine;
let accepted: Uint8Array;

function data(parts: Partial<TransactionData> = {}): TransactionData {
  const { chainId } = engine;
  return {
    sender: alice,
    sequenceNumber: 1n,
    chainId,
    maxGasAmount: 100_000_000n,
    action: transfer(bob, 1n),
    ...parts,
  };
}

/** A hash of all that is stored. */
async function rows(): Promise<string> {
  const hash = createHash('sha256');
  for await (const { key: name, value } of store.scan({})) hash.update(name).update(value);
  return hash.digest('hex');
}

beforeAll(async () => {
  engine = await Engine.open({ store });
  accepted = signBitcoin(ALICE, data({ sequenceNumber: 0n }));
  expect((await engine.execute(accepted)).status).toEqual({ kind: 'executed' });
});

afterAll(() => engine.close());

const REFUSED: readonly (readonly [name: string, make: () => Uint8Array, code: string, words: RegExp])[] = [
  ['the same again', () => accepted, 'transaction-rejected', /sub status 1001: /],
  [
    'a number ahead',
    () => signBitcoin(ALICE, data({ sequenceNumber: 2n })),
    'transaction-rejected',
    /sub status 1002: /,
  ],
  ['another chain', () => signBitcoin(ALICE, data({ chainId: 1n })), 'transaction-rejected', /sub status 1006: /],
  ['another signer', () => signBitcoin(BOB, data()), 'transaction-rejected', /sub status 1010: /],
  ['a key that was never lent', () => key.sign(data()), 'transaction-rejected', /sub status 1009: /],
  ['no signature', () => unsigned(1n), 'transaction-rejected', /^status /],
  ['the validator of calls', () => unsigned(2n ** 64n - 1n), 'transaction-rejected', /0x3::auth_validator_registry/],
  [
    'too much gas',
    () => signBitcoin(ALICE, data({ maxGasAmount: 10n ** 9n + 1n })),
    'transaction-rejected',
    /status 1008: /,
  ],
  ['too little gas', () => signBitcoin(ALICE, data({ maxGasAmount: 1_000n })), 'transaction-rejected', /OUT_OF_GAS/],
  [
    'a function that is not there',
    () => signBitcoin(ALICE, data({ action: callOf('0x3::no::such') })),
    'transaction-rejected',
    /LINKER_ERROR/,
  ],
  [
    'modules of no system',
    () => signBitcoin(ALICE, data({ action: { kind: 'modules', modules: [] } })),
    'transaction-rejected',
    /INVALID_MODULE_PUBLISHER/,
  ],
  ['bytes that are none', () => new Uint8Array(100), 'malformed-bytes', /expected the BCS of a signed transaction/],
  [
    'bytes behind it',
    () => concatBytes(signBitcoin(ALICE, data()), Uint8Array.of(0)),
    'malformed-bytes',
    /expected the BCS/,
  ],
  [
    'too many bytes',
    () => new Uint8Array(TRANSACTION_BYTES_MAX + 1),
    'transaction-rejected',
    /EXCEEDED_MAX_TRANSACTION_SIZE/,
  ],
];

function unsigned(validatorId: bigint): Uint8Array {
  return encode(signedTransaction, { data: data(), authenticator: { validatorId, payload: new Uint8Array(0) } });
}

describe('a refused transaction', () => {
  it.each(REFUSED)('(%s) says why, and leaves no row', async (_name, make, code, words) => {
    const before = await rows();
    const { head } = engine;
    await expect(engine.execute(make())).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
    expect(engine.head).toEqual(head);
    expect(await rows()).toBe(before);
  });

  it('keeps no other out', async () => {
    expect((await engine.execute(signBitcoin(ALICE, data()))).status).toEqual({ kind: 'executed' });
  });
});
