/**
 * Reads Snappy's block format, in which LevelDB compresses the blocks of its tables.
 *
 * A block is the length of the data as a varint, then elements: a tag byte whose low two bits tell a literal (0) from
 * copies of earlier output with offsets of 11 bits (1), two bytes (2) or four (3).
 * Source: google/snappy, format_description.txt.
 *
 * @module
 */

/** The data of a block, or undefined if it cannot be decoded; `lengthMax` bounds it in bytes. */
export function readSnappy(block: Uint8Array, lengthMax: number): Uint8Array | undefined {
  const header = readLength(block);
  if (header === undefined || header.length > lengthMax) return undefined;
  const data = new Uint8Array(header.length);
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

function readLength(block: Uint8Array): { length: number; end: number } | undefined {
  let length = 0;
  for (let index = 0; index < 5 && index < block.length; index++) {
    const byte = block[index]!;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { length, end: index + 1 };
  }
  return undefined;
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

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let number = 0;
  for (let index = count - 1; index >= 0; index--) number = number * 256 + (bytes[at + index] ?? 0);
  return number;
}
