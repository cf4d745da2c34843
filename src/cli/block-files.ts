/**
 * Blocks in files: one block as binary or hex, lines of hex, or the `blk*.dat` files of a Bitcoin Core directory.
 *
 * Files are read twice: first only the headers, to learn how the blocks are linked, then one block at a time. A
 * `blk*.dat` file is a sequence of records (the network's magic number, a length and a block) with zeros at the end;
 * since version 28 the bytes are XORed with the repeated bytes of `xor.dat` beside it.
 * Source: Bitcoin Core, src/node/blockstorage.cpp and src/kernel/chainparams.cpp.
 * @module
 */
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { decode } from '../base/bcs.ts';
import { equalBytes, fromHex, toHex } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { BITCOIN_BLOCK_BYTES_MAX } from '../bitcoin/block.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { type BlockHeader, blockHeader, HEADER_BYTES, headerHash, workOfBits } from '../bitcoin/header.ts';
import { unreadableFile } from './arguments.ts';

/** Bytes of a file that blocks are read from. Bitcoin Core's have 128 MiB at most. */
const BLOCK_FILE_BYTES_MAX = 256 * 2 ** 20;

/** Where a block is, and its header. */
export interface StoredBlock {
  readonly hash: string;
  readonly header: BlockHeader;
  readonly path: string;
  /** Of the block's first byte in the file. */
  readonly offset: number;
  /** In the file: twice the block's bytes if it is hex. */
  readonly length: number;
  readonly isHex: boolean;
  /** The XOR mask of the file's bytes, repeated from its start. */
  readonly mask: Uint8Array | undefined;
}

/** The first bytes of a record: main, testnet 3, testnet 4, the default signet, regtest. */
const MAGICS: readonly string[] = ['f9beb4d9', '0b110907', '1c163f28', '0a03cf40', 'fabfb5da'];
const RECORD_HEAD_BYTES = 8;
const BLOCK_FILE_NAME = /^blk\d+\.dat$/;
const MASK_FILE_NAME = 'xor.dat';

/**
 * The blocks of these files, in file order. A directory stands for the `blk*.dat` files in it or in its `blocks`.
 * @throws {EngineError} `malformed-bytes` naming file and position; `limit-exceeded`; `not-found` for an empty
 * directory.
 */
export async function blocksIn(paths: readonly string[]): Promise<StoredBlock[]> {
  const blocks: StoredBlock[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      for (const block of await blocksOfFile(file)) blocks.push(block);
    }
  }
  return blocks;
}

/** The block's consensus bytes. */
export async function readStoredBlock({ path, offset, length, isHex, mask }: StoredBlock): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const raw = await readAt(file, path, offset, length, mask);
    return isHex ? fromHex(textOf(raw)) : raw;
  } finally {
    await file.close();
  }
}

async function filesOf(path: string): Promise<string[]> {
  const { isDirectory } = await foundAt(path);
  if (!isDirectory) return [path];
  for (const directory of [path, join(path, 'blocks')]) {
    if (!existsSync(directory)) continue;
    const names = (await readdir(directory)).filter((name) => BLOCK_FILE_NAME.test(name)).sort();
    if (names.length > 0) return names.map((name) => join(directory, name));
  }
  throw new EngineError('not-found', `${path} holds no blk*.dat files; give the block directory or its files`);
}

async function foundAt(path: string): Promise<{ isDirectory: boolean }> {
  try {
    return { isDirectory: (await stat(path)).isDirectory() };
  } catch (cause) {
    throw unreadableFile('FILE', path, cause);
  }
}

async function blocksOfFile(path: string): Promise<StoredBlock[]> {
  const { size } = await stat(path);
  if (size > BLOCK_FILE_BYTES_MAX) {
    throw new EngineError(
      'limit-exceeded',
      `${path}: expected at most ${BLOCK_FILE_BYTES_MAX} bytes, got ${size} (BLOCK_FILE_BYTES_MAX)`,
    );
  }
  if (BLOCK_FILE_NAME.test(basename(path))) return recordsOf(path, size);
  const raw = new Uint8Array(await readFile(path));
  return isHexText(raw) ? hexLinesOf(path, raw) : [stored({ path, offset: 0, length: raw.length }, raw)];
}

interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

function stored(
  place: Place,
  start: Uint8Array,
  form: Pick<StoredBlock, 'isHex' | 'mask'> = { isHex: false, mask: undefined },
): StoredBlock {
  if (start.length < HEADER_BYTES) {
    throw new EngineError(
      'malformed-bytes',
      `${place.path}, byte ${place.offset}: expected a block of at least ${HEADER_BYTES} bytes, got ${start.length}`,
    );
  }
  const header = decode(blockHeader, start.subarray(0, HEADER_BYTES));
  return { ...place, ...form, header, hash: formatBitcoinHash(headerHash(header)) };
}

async function recordsOf(path: string, size: number): Promise<StoredBlock[]> {
  const mask = await maskOf(dirname(path));
  const blocks: StoredBlock[] = [];
  const file = await open(path);
  try {
    for (let at = 0; at + RECORD_HEAD_BYTES <= size; ) {
      const head = await readAt(file, path, at, RECORD_HEAD_BYTES, mask);
      const magic = toHex(head.subarray(0, 4));
      // The rest of the file is preallocated and not written yet: zeros, masked or not.
      if (magic === '00000000' || (mask !== undefined && equalBytes(head, maskedZeros(at, mask)))) break;
      const length = new DataView(head.buffer, head.byteOffset).getUint32(4, true);
      if (!MAGICS.includes(magic)) {
        throw new EngineError(
          'malformed-bytes',
          `${path}, byte ${at}: expected a network's magic number, got ${magic}; is the xor.dat of its directory beside it?`,
        );
      }
      const offset = at + RECORD_HEAD_BYTES;
      if (length > BITCOIN_BLOCK_BYTES_MAX || offset + length > size) {
        throw new EngineError('malformed-bytes', `${path}, byte ${at}: expected a whole block, got length ${length}`);
      }
      const start = await readAt(file, path, offset, Math.min(length, HEADER_BYTES), mask);
      blocks.push(stored({ path, offset, length }, start, { isHex: false, mask }));
      at = offset + length;
    }
  } finally {
    await file.close();
  }
  return blocks;
}

/** What zeros in the file look like once unmasked. */
function maskedZeros(offset: number, mask: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: RECORD_HEAD_BYTES }, (_, index) => mask[(offset + index) % mask.length]!);
}

async function maskOf(directory: string): Promise<Uint8Array | undefined> {
  const path = join(directory, MASK_FILE_NAME);
  if (!existsSync(path)) return undefined;
  const mask = new Uint8Array(await readFile(path));
  return mask.length === 0 || mask.every((byte) => byte === 0) ? undefined : mask;
}

async function readAt(
  file: FileHandle,
  path: string,
  offset: number,
  length: number,
  mask: Uint8Array | undefined,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  if (bytesRead !== length) {
    throw new EngineError('malformed-bytes', `${path}: expected ${length} bytes at ${offset}, got ${bytesRead}`);
  }
  if (mask !== undefined) {
    for (let index = 0; index < length; index++) bytes[index]! ^= mask[(offset + index) % mask.length]!;
  }
  return bytes;
}

const HEX_TEXT = /^[0-9a-fA-F\s]+$/;

/** A block starts with a version, which is never four characters of hex. */
function isHexText(raw: Uint8Array): boolean {
  return raw.length > 0 && HEX_TEXT.test(textOf(raw.subarray(0, 2 * HEADER_BYTES)));
}

function hexLinesOf(path: string, raw: Uint8Array): StoredBlock[] {
  const blocks: StoredBlock[] = [];
  for (const { 0: line, index } of textOf(raw).matchAll(/\S+/g)) {
    const block = fromHex(line.slice(0, 2 * HEADER_BYTES));
    blocks.push(stored({ path, offset: index, length: line.length }, block, { isHex: true, mask: undefined }));
  }
  return blocks;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}

interface LinkedBlock {
  readonly hash: string;
  readonly header: BlockHeader;
}

/** The chain's own blocks, a single branch on which others are to build. */
export interface OwnBlocks {
  readonly isEmpty: boolean;
  /** Of the newest block; -1 if there is none. */
  readonly height: number;
  /** Undefined if the chain does not have the block of this hash. */
  readonly heightOf: (hash: string) => number | undefined;
  /** The target of the block at a height that the chain has. */
  readonly bitsAt: (height: number) => number;
}

interface BlockOrder<B extends LinkedBlock> {
  /** The branch with the most work, parents first; among equals, the one whose tip was given first. */
  readonly chain: readonly B[];
  /** Blocks of branches with less work. */
  readonly stale: readonly B[];
  /** Blocks whose ancestors are neither here nor known. */
  readonly orphans: readonly B[];
}

/**
 * Orders blocks. On an empty chain, the branch with the most work may start anywhere; otherwise it builds on the
 * chain's blocks, whose work counts, too. The chain never leaves its own blocks for a branch with less work.
 */
export function orderBlocks<B extends LinkedBlock>(blocks: readonly B[], ownBlocks: OwnBlocks): BlockOrder<B> {
  const { isEmpty } = ownBlocks;
  const byHash = new Map<string, B>();
  for (const block of blocks) if (!byHash.has(block.hash)) byHash.set(block.hash, block);
  const children = new Map<string, B[]>();
  const roots: B[] = [];
  for (const block of byHash.values()) {
    const parent = parentOf(block);
    if (byHash.has(parent)) children.set(parent, [...(children.get(parent) ?? []), block]);
    else roots.push(block);
  }
  const connected = isEmpty ? roots : roots.filter((root) => forkHeight(root, ownBlocks) !== undefined);
  const work = workToEach(connected, children, isEmpty ? undefined : workBelow(connected, ownBlocks));
  let chain = branchTo(mostWork(byHash.values(), work), byHash);
  if (!isEmpty && hasLessWork(chain, ownBlocks)) {
    const own = [...byHash.values()].filter(({ hash }) => ownBlocks.heightOf(hash) !== undefined);
    chain = branchTo(mostWork(own, work), byHash);
  }
  const chosen = new Set(chain.map(({ hash }) => hash));
  const [start] = chain;
  // An empty chain can have only one start: blocks that build on another one have no known ancestors.
  const own = start === undefined || !isEmpty ? work : workToEach([start], children);
  const others = [...byHash.values()].filter(({ hash }) => !chosen.has(hash));
  return {
    chain,
    stale: others.filter(({ hash }) => own.has(hash)),
    orphans: others.filter(({ hash }) => !own.has(hash)),
  };
}

/** The first of the blocks that have the most work. */
function mostWork<B extends LinkedBlock>(blocks: Iterable<B>, work: ReadonlyMap<string, bigint>): B | undefined {
  let tip: B | undefined;
  for (const block of blocks) {
    const total = work.get(block.hash);
    if (total !== undefined && (tip === undefined || total > work.get(tip.hash)!)) tip = block;
  }
  return tip;
}

function branchTo<B extends LinkedBlock>(tip: B | undefined, byHash: ReadonlyMap<string, B>): readonly B[] {
  const chain: B[] = [];
  for (let block = tip; block !== undefined; block = byHash.get(parentOf(block))) chain.push(block);
  return chain.reverse();
}

/** Whether a branch that leaves the chain's blocks has less work from there on than they have. */
function hasLessWork(branch: readonly LinkedBlock[], { heightOf, height, bitsAt }: OwnBlocks): boolean {
  const next = branch.findIndex(({ hash }) => heightOf(hash) === undefined);
  const first = branch[next];
  if (first === undefined) return false;
  let lead = branch.slice(next).reduce((work, { header }) => work + workOfBits(header.bits), 0n);
  let at = heightOf(parentOf(first)) ?? height;
  while (lead >= 0n && at < height) lead -= workOfBits(bitsAt(++at));
  return lead < 0n;
}

function parentOf({ header }: LinkedBlock): string {
  return formatBitcoinHash(header.previousHash);
}

/** The height of the chain's block that a root builds on; one less than the first height for the chain's first block. */
function forkHeight(root: LinkedBlock, { heightOf }: OwnBlocks): number | undefined {
  const own = heightOf(root.hash);
  return heightOf(parentOf(root)) ?? (own === undefined ? undefined : own - 1);
}

/** The work of the chain's blocks below each root, by hash, counted from the lowest fork. */
function workBelow(roots: readonly LinkedBlock[], ownBlocks: OwnBlocks): Map<string, bigint> {
  const forks = roots.map((root) => ({ root, height: forkHeight(root, ownBlocks) ?? 0 }));
  forks.sort((left, right) => left.height - right.height);
  const below = new Map<string, bigint>();
  let work = 0n;
  let at = forks[0]?.height ?? 0;
  for (const { root, height } of forks) {
    while (at < height) work += workOfBits(ownBlocks.bitsAt(++at));
    below.set(root.hash, work);
  }
  return below;
}

/** The work up to each root and from there to each of its descendants, by hash. */
function workToEach<B extends LinkedBlock>(
  roots: readonly B[],
  children: ReadonlyMap<string, readonly B[]>,
  below?: ReadonlyMap<string, bigint>,
): Map<string, bigint> {
  const work = new Map<string, bigint>();
  for (const root of roots) {
    const waiting: [B, bigint][] = [[root, below?.get(root.hash) ?? 0n]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [block, before] = next;
      const total = before + workOfBits(block.header.bits);
      work.set(block.hash, total);
      for (const child of children.get(block.hash) ?? []) waiting.push([child, total]);
    }
  }
  return work;
}
