/** What is done once: a signed transaction is decoded and hashed once and never encoded, a block decoded and checked once. */
import { beforeEach, expect, it, vi } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { signedTransaction, transactionData } from '../../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { payment } from '../payment.ts';

const counts = vi.hoisted(() => ({ hashed: [] as Uint8Array[], decodedBlocks: 0, checkedBlocks: 0 }));

vi.mock('../../src/base/hash/sha3.ts', async (original) => {
  const module = await original<typeof import('../../src/base/hash/sha3.ts')>();
  const sha3 = (bytes: Uint8Array): Uint8Array => {
    counts.hashed.push(bytes.slice());
    return module.sha3(bytes);
  };
  return { ...module, sha3 };
});

vi.mock('../../src/bitcoin/block.ts', async (original) => {
  const module = await original<typeof import('../../src/bitcoin/block.ts')>();
  const decodeBlock = (bytes: Uint8Array) => {
    counts.decodedBlocks++;
    return module.decodeBlock(bytes);
  };
  return { ...module, decodeBlock };
});

vi.mock('../../src/execution/bitcoin-move/block-check.ts', async (original) => {
  const module = await original<typeof import('../../src/execution/bitcoin-move/block-check.ts')>();
  const newBlock: typeof module.newBlock = (...args) => {
    counts.checkedBlocks++;
    return module.newBlock(...args);
  };
  return { ...module, newBlock };
});

beforeEach(() => {
  vi.restoreAllMocks();
  counts.hashed.length = 0;
});

it('a signed transaction: one decoding, no encoding, one hash', async () => {
  await using engine = await Engine.open();
  const [sender, receiver] = engine.accounts;
  const call = payment(receiver!.address, 5n);
  await engine.execute(sender!.signTransaction(call));
  const bytes = sender!.signTransaction(call);
  const data = toHex(encode(transactionData, decode(signedTransaction, bytes).data));
  counts.hashed.length = 0;
  const [read, write] = [vi.spyOn(transactionData, 'read'), vi.spyOn(transactionData, 'write')];
  await engine.execute(bytes);
  expect([read.mock.calls.length, write.mock.calls.length]).toEqual([1, 0]);
  expect(counts.hashed.filter((hashed) => toHex(hashed) === data)).toHaveLength(1);
});

it('a Bitcoin block: one decoding, one check that it is new', async () => {
  await using engine = await Engine.open();
  await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  const { bytes, height } = await (async () => {
    await using fork = engine.fork();
    const mined = await fork.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    return { bytes: mined.bytes, height: mined.height };
  })();
  counts.decodedBlocks = 0;
  counts.checkedBlocks = 0;
  await engine.bitcoin.ingest(bytes, height);
  expect(counts).toMatchObject({ decodedBlocks: 1, checkedBlocks: 1 });
});
