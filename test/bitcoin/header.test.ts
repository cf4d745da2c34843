import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import {
  nextReady,
  type PendingBlock,
  type PendingStore,
  pendingAt,
  readyHeightOf,
  removePending,
} from '../../src/bitcoin/block-store.ts';
import { merkleRoot } from '../../src/bitcoin/hash.ts';
import { assertProofOfWork, targetOfBits, workOfBits } from '../../src/bitcoin/header.ts';
import { blockHeader, decodeBlock, formatBitcoinHash, headerHash } from '../../src/bitcoin/index.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';

// Bitcoin's genesis block.
const GENESIS = fromHex(
  `01000000${'00'.repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c`,
);

describe('headers', () => {
  const genesis = decode(blockHeader, GENESIS);

  it('are 80 bytes that name the block', () => {
    expect(formatBitcoinHash(headerHash(genesis))).toBe(
      '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    );
    expect(encode(blockHeader, genesis)).toEqual(GENESIS);
    expect(genesis).toMatchObject({ version: 1, time: 1231006505, bits: 0x1d00ffff, nonce: 2083236893 });
  });

  it('must have the work that they claim, and claim enough of it', () => {
    assertProofOfWork(genesis, 'bitcoin');
    expect(() => assertProofOfWork({ ...genesis, nonce: 0 }, 'bitcoin')).toThrow(/^expected a block hash of at most/);
    expect(() => assertProofOfWork({ ...genesis, bits: 0x207fffff }, 'bitcoin')).toThrow(
      /^expected a target of at most that of bitcoin/,
    );
    expect(() => assertProofOfWork({ ...genesis, bits: 0 }, 'regtest')).toThrow(/^expected bits/);
  });

  // Bitcoin Core, arith_uint256_tests.cpp (bignum_SetCompact), without those that are zero.
  it.each([
    [0x01123456, 0x12n],
    [0x02123456, 0x1234n],
    [0x03123456, 0x123456n],
    [0x04123456, 0x12345600n],
    [0x05009234, 0x92340000n],
    [0x20123456, 0x123456n << 232n],
    [0x1d00ffff, 0xffffn << 208n],
  ])('bits %i', (bits, target) => expect(targetOfBits(bits)).toBe(target));

  it.each([0, 0x00123456, 0x01003456, 0x02000056, 0x03000000, 0x04923456, 0x01fedcba, 0xff123456])(
    'not a target: bits %i',
    (bits) => {
      expect(() => targetOfBits(bits)).toThrow(/^expected bits/);
    },
  );

  it('count work', () => {
    expect(workOfBits(0x1d00ffff)).toBe(4_295_032_833n);
    expect(workOfBits(0x207fffff)).toBe(2n);
  });
});

describe('Merkle trees', () => {
  const hashes = (count: number) => Array.from({ length: count }, (_, index) => new Uint8Array(32).fill(index + 1));

  it.skipIf(!sharedPresent)(`have the root of a real block${skipNote}`, () => {
    const { header, transactions } = decodeBlock(sharedFile('data/blocks/818677.blob'));
    const txids = transactions.map(({ txid }) => txid);
    expect(merkleRoot(txids)).toEqual(header.merkleRoot);
  });

  it('refuse a repeated tail, which has the root of the list without it', () => {
    const [a, b, c] = hashes(3) as [Uint8Array, Uint8Array, Uint8Array];
    expect(() => merkleRoot([a, b, c, c])).toThrow(/differ/);
    const six = [...hashes(6)];
    expect(() => merkleRoot([...six, six[4]!, six[5]!])).toThrow(/differ/);
    expect(() => merkleRoot([])).toThrow(/at least one/);
    // A repetition elsewhere is no tail.
    expect(merkleRoot([a, b, a, c])).toHaveLength(32);
  });
});

describe('pending blocks', () => {
  const header = {
    version: 1,
    previousHash: new Uint8Array(32),
    merkleRoot: new Uint8Array(32),
    time: 0,
    bits: 0,
    nonce: 0,
  };
  const named = (name: string) => new Uint8Array(32).fill(name.charCodeAt(0));

  class Books {
    store: PendingStore;
    readonly blocks: Map<string, PendingBlock> = new Map();

    constructor(reorgBlockCount: bigint) {
      this.store = { pendingBlocks: [], bestBlock: undefined, reorgBlockCount };
    }

    add(height: bigint, name: string, parent: string): void {
      const block = { blockHeight: height, blockHash: named(name) };
      const { store } = this;
      this.store = { ...store, pendingBlocks: [...store.pendingBlocks, block], bestBlock: block };
      this.blocks.set(named(name).join(), {
        ...block,
        header: { ...header, previousHash: named(parent) },
        processedTransactions: 0n,
        nextBlockHash: undefined,
      });
    }

    get ready(): string | undefined {
      const block = nextReady(this.store, (hash) => this.blocks.get(hash.join()));
      return block === undefined ? undefined : String.fromCharCode(block.blockHash[0]!);
    }

    remove(height: bigint): void {
      const { blockHash } = pendingAt(this.store, height)!;
      this.blocks.delete(blockHash.join());
      this.store = removePending(this.store, height);
    }
  }

  it('are ready at once if no confirmations are asked for', () => {
    const books = new Books(0n);
    expect([readyHeightOf(books.store), books.ready]).toEqual([undefined, undefined]);
    books.add(1n, 'a', '0');
    expect([readyHeightOf(books.store), books.ready]).toEqual([1n, 'a']);
  });

  it('wait for as many blocks as the chain asks for, and the oldest goes first', () => {
    const books = new Books(2n);
    for (const [height, name, parent] of [
      [1n, 'a', '0'],
      [2n, 'b', 'a'],
    ] as const)
      books.add(height, name, parent);
    expect([readyHeightOf(books.store), books.ready]).toEqual([0n, undefined]);
    books.add(3n, 'c', 'b');
    expect(books.ready).toBe('a');
    books.add(4n, 'd', 'c');
    // Height 2 is ready, and its parent is still pending.
    expect([readyHeightOf(books.store), books.ready]).toEqual([2n, 'a']);
    books.remove(1n);
    expect(books.ready).toBe('b');
  });

  it('are replaced at their height, and the last entry takes the place of a removed one', () => {
    const books = new Books(2n);
    for (const [height, name, parent] of [
      [1n, 'a', '0'],
      [2n, 'b', 'a'],
      [3n, 'c', 'b'],
    ] as const)
      books.add(height, name, parent);
    books.remove(1n);
    expect(books.store.pendingBlocks.map((block) => block.blockHeight)).toEqual([3n, 2n]);
    books.remove(2n);
    books.add(1n, 'x', '0');
    expect(books.store.pendingBlocks.map((block) => block.blockHeight)).toEqual([3n, 1n]);
    // The best block is the one submitted last, even if it is lower.
    expect(books.store.bestBlock).toEqual({ blockHeight: 1n, blockHash: named('x') });
    expect(() => removePending(books.store, 9n)).toThrow(/no block is pending at height 9/);
  });
});
