/**
 * LevelDB's table format: sorted rows in blocks, each with a checksum of LevelDB's own.
 *
 * `data blocks | filter block | metaindex block | index block | footer (48)`. A block is its contents, a byte for its
 * compression (0 none, 1 Snappy) and the masked CRC-32C of both. The footer holds the places of metaindex and index,
 * padding of zeros to 40 bytes, and a magic number. The index names every data block, the metaindex the filter block.
 * Source: LevelDB 1.20, doc/table_format.md.
 *
 * LevelDB does not verify block checksums when it reads for us. Our own checksums guard the values, but only these guard
 * the keys and LevelDB's sequence numbers, where a changed byte can hide a row or expose an older one. `movelet verify`
 * checks them.
 *
 * A compressed block is, in Snappy's format, the length of the data as a varint, then elements: a tag byte whose low
 * two bits tell a literal (0) from copies of earlier output with offsets of 11 bits (1), two bytes (2) or four (3).
 * Source: google/snappy, format_description.txt.
 * @module
 */
import { littleEndian, readU32 } from '../base/bytes/bigint.ts';
import { readUleb128, uleb128Length } from '../base/bytes/uleb128.ts';
import { maskedCrc } from './level-log.ts';

/** The data of a block, or undefined if it cannot be decoded; `lengthMax` bounds it in bytes. */
export function readSnappy(block: Uint8Array, lengthMax: number): Uint8Array | undefined {
  const header = readUleb128(block, 0, 5);
  if (header === undefined || header.value > lengthMax) return undefined;
  const data = new Uint8Array(header.value);
  let from = header.end;
  let to = 0;
  while (from < block.length) {
    const element = readElement(block, from);
    if (element === undefined || to + element.length > data.length) return undefined;
    from = element.end;
    if (element.offset === undefined) {
      data.set(block.subarray(from - element.length, from), to);
      to += element.length;
      continue;
    }
    if (element.offset === 0 || element.offset > to) return undefined;
    // Byte by byte: a copy may overlap what it writes, and then repeats it.
    for (const end = to + element.length; to < end; to++) data[to] = data[to - element.offset]!;
  }
  return to === data.length ? data : undefined;
}

interface Element {
  readonly length: number;
  /** Distance back to what is copied; undefined for a literal, whose bytes end at `end`. */
  readonly offset: number | undefined;
  readonly end: number;
}

function readElement(block: Uint8Array, at: number): Element | undefined {
  const tag = block[at]!;
  const kind = tag & 3;
  const upper = tag >> 2;
  if (kind === 0) {
    const extra = upper < 60 ? 0 : upper - 59;
    const length = (extra === 0 ? upper : littleEndian(block, at + 1, extra)) + 1;
    const end = at + 1 + extra + length;
    return end > block.length ? undefined : { length, offset: undefined, end };
  }
  const bytes = kind === 3 ? 4 : kind;
  const end = at + 1 + bytes;
  if (end > block.length) return undefined;
  const number = littleEndian(block, at + 1, bytes);
  return kind === 1
    ? { length: (upper & 7) + 4, offset: (upper >> 3) * 256 + number, end }
    : { length: upper + 1, offset: number, end };
}

/** Last eight bytes of every table, little endian. */
export const TABLE_MAGIC = 0xdb4775248b80fb57n;
export const TABLE_FOOTER_BYTES = 48;

const FOOTER_HANDLES_BYTES = 40;
const BLOCK_TRAILER_BYTES = 5;
const UNCOMPRESSED = 0;
const SNAPPY = 1;

/** Ample for the index of a table of several megabytes; anything larger is damage. */
const BLOCK_BYTES_MAX = 67_108_864;

/** Where a block lies, without its trailer. */
interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** What can still be read of a damaged table. */
interface TableRest {
  /** Number of data blocks; undefined if their index cannot be read. */
  readonly blocks: number | undefined;
  readonly wholeBlocks: number | undefined;
  /** First bytes of the keys (store/column.ts) between which the rows of the damaged blocks lie, as in `0x10-0x13`. */
  readonly columns: readonly string[] | undefined;
}

export function restOfTable(table: Uint8Array): TableRest {
  const nothing = { blocks: undefined, wholeBlocks: undefined, columns: undefined };
  const footerAt = table.length - TABLE_FOOTER_BYTES;
  const metaindex = footerAt < 0 ? undefined : readHandle(table, footerAt);
  const index = metaindex && readHandle(table, metaindex.end);
  const contents = index && readBlock(table, index.handle);
  const entries = contents && readEntries(contents);
  if (entries === undefined) return nothing;
  const columns = new Set<string>();
  let wholeBlocks = 0;
  let before: number | undefined;
  for (const { column, handle } of entries) {
    if (isSound(table, handle)) wholeBlocks++;
    else columns.add(columnsBetween(before ?? column, column));
    before = column;
  }
  return { blocks: entries.length, wholeBlocks, columns: [...columns] };
}

function columnsBetween(first: number, last: number): string {
  const [from, to] = [first, last].map((column) => `0x${column.toString(16).padStart(2, '0')}`);
  return from === to ? `${from}` : `${from}-${to}`;
}

/** Describes what is wrong with a table, in words that follow its name; undefined if every byte is accounted for. */
export function findTableDamage(table: Uint8Array): string | undefined {
  const footerAt = table.length - TABLE_FOOTER_BYTES;
  if (footerAt < 0) return `has ${table.length} bytes, fewer than a footer`;
  const footer = table.subarray(footerAt);
  const magic = new DataView(footer.buffer, footer.byteOffset + FOOTER_HANDLES_BYTES).getBigUint64(0, true);
  if (magic !== TABLE_MAGIC) return 'does not end as a table does';
  const metaindex = readHandle(footer, 0);
  const index = metaindex === undefined ? undefined : readHandle(footer, metaindex.end);
  if (metaindex === undefined || index === undefined) return 'has a footer that does not read';
  if (footer.subarray(index.end, FOOTER_HANDLES_BYTES).some((byte) => byte !== 0)) return 'has a damaged footer';
  const blocks: Handle[] = [metaindex.handle, index.handle];
  for (const { handle } of [metaindex, index]) {
    const contents = readBlock(table, handle);
    const named = contents === undefined ? undefined : readEntries(contents)?.map(({ handle: block }) => block);
    if (named === undefined) return `is damaged in its block at byte ${handle.offset}`;
    blocks.push(...named);
  }
  return findBlockDamage(table, blocks, footerAt);
}

/** The blocks must be sound, and together fill the file up to its footer. */
function findBlockDamage(table: Uint8Array, blocks: readonly Handle[], footerAt: number): string | undefined {
  let at = 0;
  for (const { offset, size } of blocks.toSorted((left, right) => left.offset - right.offset)) {
    if (offset !== at) return `has bytes at ${at} that belong to no block`;
    if (!isSound(table, { offset, size })) return `is damaged in its block at byte ${offset}`;
    at = offset + size + BLOCK_TRAILER_BYTES;
  }
  return at === footerAt ? undefined : `has bytes at ${at} that belong to no block`;
}

function isSound(table: Uint8Array, { offset, size }: Handle): boolean {
  const crcAt = offset + size + 1;
  if (crcAt + 4 > table.length) return false;
  return readU32(table, crcAt) === maskedCrc(table.subarray(offset, crcAt));
}

function readBlock(table: Uint8Array, handle: Handle): Uint8Array | undefined {
  if (!isSound(table, handle)) return undefined;
  const { offset, size } = handle;
  const contents = table.subarray(offset, offset + size);
  const compression = table[offset + size];
  if (compression === UNCOMPRESSED) return contents;
  return compression === SNAPPY ? readSnappy(contents, BLOCK_BYTES_MAX) : undefined;
}

/** A row of an index: a block, and the first byte of an upper bound of its keys. */
interface Entry {
  readonly column: number;
  readonly handle: Handle;
}

/**
 * The rows of a block whose values are handles. They are `shared key length | own key length | value length | own key |
 * value`; after them come the restart points and their number, four bytes each.
 */
function readEntries(block: Uint8Array): Entry[] | undefined {
  if (block.length < 4) return undefined;
  const restarts = new DataView(block.buffer, block.byteOffset + block.length - 4).getUint32(0, true);
  const end = block.length - 4 - restarts * 4;
  const entries: Entry[] = [];
  let column = 0;
  let at = 0;
  while (at < end) {
    const shared = readVarint(block, at);
    const own = shared && readVarint(block, shared.end);
    const length = own && readVarint(block, own.end);
    if (length === undefined || own === undefined || shared === undefined) return undefined;
    if (shared.value === 0 && own.value > 0) column = block[length.end] ?? 0;
    const valueAt = length.end + own.value;
    const handle = readHandle(block, valueAt);
    at = valueAt + length.value;
    if (handle === undefined || handle.end !== at || at > end) return undefined;
    entries.push({ column, handle: handle.handle });
  }
  return at === end ? entries : undefined;
}

function readHandle(bytes: Uint8Array, at: number): { handle: Handle; end: number } | undefined {
  const offset = readVarint(bytes, at);
  const size = offset && readVarint(bytes, offset.end);
  return offset && size && { handle: { offset: offset.value, size: size.value }, end: size.end };
}

/** A number of at most 49 bits in its shortest form: any other form is damage too. */
function readVarint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  const number = readUleb128(bytes, start, 7);
  return number !== undefined && number.end > start + uleb128Length(number.value) ? undefined : number;
}
