/**
 * LevelDB's manifest: the edits that lead to the present set of tables.
 *
 * Each record of the manifest's log is one edit, a sequence of tagged fields. Numbers are base-128 varints; keys and
 * names are prefixed with their length. Source: LevelDB 1.20, db/version_edit.cc.
 *
 * @module
 */

/** A live table: the number in its file name and its size. */
export interface Table {
  readonly number: number;
  readonly bytes: number;
}

export interface Manifest {
  readonly tables: readonly Table[];
  /** Logs below this number are in tables already. */
  readonly logNumber: number;
  readonly previousLogNumber: number;
}

const COMPARATOR = 1;
const LOG_NUMBER = 2;
const NEXT_FILE_NUMBER = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG_NUMBER = 9;

/** Reads the fields of one edit; `failed` is set once a field runs past the end. */
class FieldReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.failed || this.#at === this.#bytes.length;
  }

  /** A varint; file numbers and sizes stay far below 2^53. */
  number(): number {
    let value = 0;
    for (let scale = 1; this.#at < this.#bytes.length; scale *= 128) {
      const byte = this.#bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    this.failed = true;
    return 0;
  }

  skipBytes(): void {
    const length = this.number();
    this.#at += length;
    if (this.#at > this.#bytes.length) this.failed = true;
  }
}

/** Replays the edits; undefined if one cannot be parsed, or no log number is given. */
export function readManifest(edits: readonly Uint8Array[]): Manifest | undefined {
  const sizes = new Map<number, number>();
  let logNumber: number | undefined;
  let previousLogNumber = 0;
  for (const edit of edits) {
    const fields = new FieldReader(edit);
    const deleted: number[] = [];
    const added: Table[] = [];
    while (!fields.isAtEnd) {
      const tag = fields.number();
      if (tag === COMPARATOR) fields.skipBytes();
      else if (tag === LOG_NUMBER) logNumber = fields.number();
      else if (tag === PREVIOUS_LOG_NUMBER) previousLogNumber = fields.number();
      else if (tag === NEXT_FILE_NUMBER || tag === LAST_SEQUENCE) fields.number();
      else if (tag === COMPACT_POINTER) {
        fields.number();
        fields.skipBytes();
      } else if (tag === DELETED_FILE) {
        fields.number();
        deleted.push(fields.number());
      } else if (tag === NEW_FILE) {
        fields.number();
        added.push({ number: fields.number(), bytes: fields.number() });
        fields.skipBytes();
        fields.skipBytes();
      } else return undefined;
    }
    if (fields.failed) return undefined;
    // A table that only moves to another level is deleted and added by one edit.
    for (const number of deleted) sizes.delete(number);
    for (const { number, bytes } of added) sizes.set(number, bytes);
  }
  if (logNumber === undefined) return undefined;
  return { tables: Array.from(sizes, ([number, bytes]) => ({ number, bytes })), logNumber, previousLogNumber };
}
