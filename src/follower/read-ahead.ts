/**
 * Reads a Bitcoin node's blocks ahead of whoever ingests them, in the order of their heights.
 *
 * Several blocks are asked for at once. The blocks held, the one in the reader's hands included, are bounded in number
 * and in bytes: a block that was asked for counts as the largest there can be until it has arrived. Nothing is asked
 * for behind a block that the node did not give.
 * @module
 */
import {
  BITCOIN_BLOCK_BYTES_MAX,
  BITCOIN_BLOCKS_AHEAD_MAX,
  BITCOIN_READ_AHEAD_BYTES_MAX,
  BITCOIN_READS_MAX,
} from '../config.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** A block as the node gave it. */
export interface NodeBlock {
  readonly height: number;
  /** In display order. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** Which blocks to read. */
export interface ReadAheadRange {
  readonly from: number;
  /** The last height. */
  readonly to: number;
  readonly signal: AbortSignal;
}

interface Read {
  /** Bytes that it holds, or may come to hold. */
  bytes: number;
  isUnderWay: boolean;
  readonly block: Promise<NodeBlock>;
}

/** The blocks of a range. When the reader leaves off, reads that are under way are given up, and awaited. */
export async function* readAhead(
  node: Pick<BitcoinNode, 'block' | 'blockHash'>,
  { from, to, signal }: ReadAheadRange,
): AsyncGenerator<NodeBlock, void> {
  const leaving = new AbortController();
  const given = AbortSignal.any([signal, leaving.signal]);
  const reads: Read[] = [];
  let next = from;
  let hasFailed = false;

  function hasRoom(): boolean {
    const held = reads.reduce((sum, { bytes }) => sum + bytes, 0);
    const underWay = reads.filter(({ isUnderWay }) => isUnderWay).length;
    return (
      underWay < BITCOIN_READS_MAX &&
      reads.length < BITCOIN_BLOCKS_AHEAD_MAX &&
      held + BITCOIN_BLOCK_BYTES_MAX <= BITCOIN_READ_AHEAD_BYTES_MAX
    );
  }

  function begin(): void {
    while (next <= to && !hasFailed && !given.aborted && hasRoom()) {
      const read: Read = { bytes: BITCOIN_BLOCK_BYTES_MAX, isUnderWay: true, block: blockAt(node, next++, given) };
      reads.push(read);
      read.block.then(
        ({ bytes }) => {
          read.bytes = bytes.length;
          read.isUnderWay = false;
          begin();
        },
        () => {
          hasFailed = true;
        },
      );
    }
  }

  try {
    begin();
    for (let read = reads[0]; read !== undefined; read = reads[0]) {
      yield await read.block;
      reads.shift();
      begin();
    }
  } finally {
    leaving.abort();
    await Promise.allSettled(reads.map(({ block }) => block));
  }
}

async function blockAt(
  node: Pick<BitcoinNode, 'block' | 'blockHash'>,
  height: number,
  signal: AbortSignal,
): Promise<NodeBlock> {
  const hash = await node.blockHash(height, signal);
  return { height, hash, bytes: await node.block(hash, signal) };
}
