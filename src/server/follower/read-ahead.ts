/**
 * Reads a Bitcoin node's blocks ahead of whoever ingests them, in height order.
 *
 * Several blocks are requested at once. The blocks held, including the one in the reader's hands, are limited in number
 * and bytes: a requested block counts as the largest possible until it has arrived. Nothing is requested beyond a block
 * that the node failed to deliver.
 * @module
 */
import { BITCOIN_BLOCK_BYTES_MAX } from '../../bitcoin/block.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** Blocks that a follower asks a Bitcoin node for at once: one on the wire while the node reads others. */
export const BITCOIN_READS_MAX = 4;
/**
 * Blocks that a follower holds, including the one being ingested: small ones could otherwise pile up by the thousand.
 */
export const BITCOIN_BLOCKS_AHEAD_MAX = 64;
/** Bytes of those blocks: eight of the largest, so that as many as are read at once always find room. */
export const BITCOIN_READ_AHEAD_BYTES_MAX: number = 8 * BITCOIN_BLOCK_BYTES_MAX;

/** A block as received from the node. */
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
  /** Bytes it holds, or may come to hold. */
  bytes: number;
  isUnderWay: boolean;
  readonly block: Promise<NodeBlock>;
}

/** The blocks of a range. When the reader stops, reads in progress are aborted and awaited. */
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
