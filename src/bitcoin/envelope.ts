/**
 * Inscription envelopes: data carried by a tapscript in a branch that never runs.
 *
 *   OP_0 OP_IF "ord" (tag value)* [OP_0 body*] OP_ENDIF
 *
 * Scanning is one pass over the script without building its instructions; a script without the three bytes `ord` is
 * skipped first. A push that runs past the end of the script voids all envelopes in it, even complete ones. It is unknown
 * here which inputs are taproot spends, so any witness item in the place of a tapscript is scanned.
 *
 * The content of an envelope is fields of a tag and a value each, then the body. Tag names and the rules for repeated, lone
 * and unknown tags are those of the ordinals protocol as implemented by the reference; `delegate` (11) is not among them
 * and counts as an unknown odd tag.
 *
 * An envelope may hold two million pushes of a byte each, so no object is made for a push: only what the record keeps is
 * read.
 * Source: frameworks/bitcoin-move/src/natives/ord of the reference.
 * @module
 */
import { bool, bytes, type Codec, option, string, struct, u32, u64, u128, vector } from '../base/bcs.ts';
import { decodeUtf8, toHex } from '../base/bytes/bytes.ts';
import { decodeParent, type InscriptionId, inscriptionId } from './inscription.ts';
import { OP_ENDIF, OP_IF, ScriptCursor } from './script.ts';
import { assertTransaction, type BitcoinTransaction } from './transaction.ts';

/** `0x4::ord::InscriptionRecord`: the content of an envelope. `rune` is always none and is left out. */
export interface InscriptionRecord {
  readonly body: Uint8Array;
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  readonly duplicateField: boolean;
  readonly incompleteField: boolean;
  /** Raw; CBOR by convention, never decoded here. */
  readonly metadata: Uint8Array;
  readonly metaprotocol: string | undefined;
  readonly parents: readonly InscriptionId[];
  readonly pointer: bigint | undefined;
  readonly unrecognizedEvenField: boolean;
}

/** Field tags. Even tags not listed here curse an inscription and leave it unbound. */
const TAG = {
  contentType: 1,
  pointer: 2,
  parent: 3,
  metadata: 5,
  metaprotocol: 7,
  contentEncoding: 9,
  rune: 13,
} as const;
const KNOWN_TAGS: ReadonlySet<Tag> = new Set(Object.values(TAG));

/** A tag of one byte is its number, any other one hexadecimal digits. */
type Tag = number | string;

/** The shortest value of a parent field: a txid. */
const PARENT_VALUE_BYTES_MIN = 32;

const EMPTY: Uint8Array = new Uint8Array(0);

/** The content of an envelope without pushes. */
const EMPTY_RECORD: InscriptionRecord = {
  body: EMPTY,
  contentEncoding: undefined,
  contentType: undefined,
  duplicateField: false,
  incompleteField: false,
  metadata: EMPTY,
  metaprotocol: undefined,
  parents: [],
  pointer: undefined,
  unrecognizedEvenField: false,
};

/** The content that the pushes of a script give. */
export function readRecord(pushes: Uint8Array): InscriptionRecord {
  if (pushes.length === 0) return EMPTY_RECORD;
  const cursor = new ScriptCursor(pushes);
  const fields = new Fields(pushes.length);
  let incompleteField = false;
  for (; !(cursor.atEnd || cursor.isEmptyPush); cursor.next()) {
    const tag = tagAt(cursor);
    cursor.next();
    incompleteField = cursor.atEnd;
    if (!incompleteField) fields.add(tag, cursor);
  }
  const body = new Joined(pushes.length);
  if (!cursor.atEnd) for (cursor.next(); !cursor.atEnd; cursor.next()) body.add(cursor);
  return { ...fields.content(), body: body.bytes(), incompleteField };
}

/** The approximate number of bytes of a record's content: what its inscription takes besides its location. */
export function contentLength(record: InscriptionRecord): number {
  const { body, metadata, parents, contentType, contentEncoding, metaprotocol } = record;
  const texts = (contentType?.length ?? 0) + (contentEncoding?.length ?? 0) + (metaprotocol?.length ?? 0);
  return body.length + metadata.length + parents.length * PARENT_BYTES + texts;
}

const PARENT_BYTES = 36;

/** Gathers the fields of an envelope. */
class Fields {
  readonly #metadata: Joined;
  readonly #parents: InscriptionId[] = [];
  /** The first value of each known tag that has only one. */
  readonly #single = new Map<Tag, Uint8Array>();
  readonly #tags = new Set<Tag>();
  #duplicateField = false;
  #unrecognizedEvenField = false;

  /** @param bytesMax of all values together */
  constructor(bytesMax: number) {
    this.#metadata = new Joined(bytesMax);
  }

  /** Adds a field with the value that is pushed at `cursor`. */
  add(tag: Tag, cursor: ScriptCursor): void {
    // Once a tag was repeated, the others need not be recorded.
    if (!this.#duplicateField) {
      this.#duplicateField = this.#tags.has(tag);
      this.#tags.add(tag);
    }
    if (tag === TAG.metadata) this.#metadata.add(cursor);
    else if (tag === TAG.parent) this.#addParent(cursor);
    else if (KNOWN_TAGS.has(tag) && !this.#single.has(tag)) this.#single.set(tag, cursor.pushed);
    else if (isEven(tag)) this.#unrecognizedEvenField = true;
  }

  content(): Omit<InscriptionRecord, 'body' | 'incompleteField'> {
    const [contentType, contentEncoding] = [this.#single.get(TAG.contentType), this.#single.get(TAG.contentEncoding)];
    const [metaprotocol, pointer] = [this.#single.get(TAG.metaprotocol), this.#single.get(TAG.pointer)];
    return {
      contentEncoding: contentEncoding === undefined ? undefined : headerValue(contentEncoding),
      contentType: contentType === undefined ? undefined : decodeUtf8(contentType),
      duplicateField: this.#duplicateField,
      metadata: this.#metadata.bytes(),
      metaprotocol: metaprotocol === undefined ? undefined : decodeUtf8(metaprotocol),
      parents: this.#parents,
      pointer: pointer === undefined ? undefined : pointerValue(pointer),
      // Also for surplus values of known tags.
      unrecognizedEvenField: this.#unrecognizedEvenField,
    };
  }

  #addParent(cursor: ScriptCursor): void {
    if (cursor.pushedLength < PARENT_VALUE_BYTES_MIN) return;
    const parent = decodeParent(cursor.pushed);
    if (parent !== undefined) this.#parents.push(parent);
  }
}

/** Pushes joined to one. */
class Joined {
  readonly #bytesMax: number;
  #bytes: Uint8Array = EMPTY;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds what is pushed at `cursor`. */
  add(cursor: ScriptCursor): void {
    if (cursor.pushedLength === 0) return;
    if (this.#length === 0) this.#bytes = new Uint8Array(this.#bytesMax);
    this.#length += cursor.copyPushed(this.#bytes, this.#length);
  }

  bytes(): Uint8Array {
    return this.#length === 0 ? EMPTY : this.#bytes.slice(0, this.#length);
  }
}

function tagAt(cursor: ScriptCursor): Tag {
  return cursor.pushedByte ?? toHex(cursor.pushed);
}

/** A multi-byte tag counts as even or odd by its first byte. No tag is empty: an empty one starts the body. */
function isEven(tag: Tag): boolean {
  return (typeof tag === 'number' ? tag : Number.parseInt(tag.slice(0, 2), 16)) % 2 === 0;
}

/** Little endian; undefined if it needs more than 64 bits. */
function pointerValue(value: Uint8Array): bigint | undefined {
  if (value.subarray(8).some((byte) => byte !== 0)) return undefined;
  const padded = new Uint8Array(8);
  padded.set(value.subarray(0, 8));
  return new DataView(padded.buffer).getBigUint64(0, true);
}

/** Text that an HTTP header may carry: visible ASCII, spaces and tabs. Malformed UTF-8 counts as empty text. */
function headerValue(value: Uint8Array): string | undefined {
  const text = decodeUtf8(value) ?? '';
  return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined;
}

/** `0x4::ord::Envelope<InscriptionRecord>`: a record and where it was found. */
export interface Envelope {
  /** The input whose witness holds it. */
  readonly input: number;
  /** Its position among the envelopes of that input. */
  readonly offset: number;
  /** Whether it contains a push by a number opcode (such as OP_1). */
  readonly pushnum: boolean;
  /** Whether a failed envelope start precedes it. */
  readonly stutter: boolean;
  readonly payload: InscriptionRecord;
}

interface StoredRecord extends InscriptionRecord {
  readonly rune: bigint | undefined;
}

const storedRecord: Codec<StoredRecord> = struct({
  body: bytes,
  contentEncoding: option(string),
  contentType: option(string),
  duplicateField: bool,
  incompleteField: bool,
  metadata: bytes,
  metaprotocol: option(string),
  parents: vector(inscriptionId),
  pointer: option(u64),
  unrecognizedEvenField: bool,
  rune: option(u128),
});

const inscriptionRecord: Codec<InscriptionRecord> = {
  write: (writer, value) => storedRecord.write(writer, { ...value, rune: undefined }),
  read: (reader) => {
    const { rune: _, ...record } = storedRecord.read(reader);
    return record;
  },
};

export const envelope: Codec<Envelope> = struct({
  input: u32,
  offset: u32,
  pushnum: bool,
  stutter: bool,
  payload: inscriptionRecord,
});

/** An envelope as found in a script. */
interface RawEnvelope {
  readonly pushnum: boolean;
  readonly stutter: boolean;
  /** The part of the script with its pushes, after that of the protocol: there may be two million. */
  readonly payload: Uint8Array;
}

const ANNEX_PREFIX = 0x50;
export const PROTOCOL: Uint8Array = Uint8Array.of(0x6f, 0x72, 0x64);
const NO_ENVELOPES: { readonly found: readonly RawEnvelope[]; readonly more: number } = { found: [], more: 0 };

/** All envelopes of a transaction, ordered by input and by position in the script. */
export function envelopesOf(transaction: BitcoinTransaction): Envelope[] {
  assertTransaction(transaction, 'transaction');
  return transaction.inputs.flatMap(({ witness }, input) => envelopesOfWitness(witness, input));
}

/** All envelopes in an input's witness, ordered by position in its script. */
export function envelopesOfWitness(witness: readonly Uint8Array[], input: number): Envelope[] {
  return firstEnvelopes(witness, input, Number.POSITIVE_INFINITY).envelopes;
}

/** The first envelopes of a witness, at most `limit`, and how many more there are, which are only counted. */
export function firstEnvelopes(
  witness: readonly Uint8Array[],
  input: number,
  limit: number,
): { readonly envelopes: Envelope[]; readonly more: number } {
  const script = tapscriptOf(witness);
  if (script === undefined) return { envelopes: [], more: 0 };
  const { found, more } = scanFirst(script, limit);
  const envelopes = found.map(({ pushnum, stutter, payload }, offset) => {
    return { input, offset, pushnum, stutter, payload: readRecord(payload) };
  });
  return { envelopes, more };
}

/** The witness item that is the script if the input is a taproot script-path spend (BIP 341), allowing for an annex. */
export function tapscriptOf(witness: readonly Uint8Array[]): Uint8Array | undefined {
  const hasAnnex = witness.length >= 2 && witness.at(-1)?.[0] === ANNEX_PREFIX;
  return witness.at(hasAnnex ? -3 : -2);
}

/** The envelopes in a script, in order; none if a push runs past its end. */
export function scanEnvelopes(script: Uint8Array): readonly RawEnvelope[] {
  return scanFirst(script, Number.POSITIVE_INFINITY).found;
}

/** As `scanEnvelopes`, but those beyond the first `limit` are only counted. */
function scanFirst(script: Uint8Array, limit: number): { found: readonly RawEnvelope[]; more: number } {
  if (!holdsProtocol(script)) return NO_ENVELOPES;
  const cursor = new ScriptCursor(script);
  const scan: Scan = { found: [], limit, more: 0, stutter: false };
  while (!cursor.atEnd) {
    const mayStart = cursor.isEmptyPush;
    cursor.next();
    if (mayStart) readAttempt(cursor, scan);
  }
  return cursor.isTruncated ? NO_ENVELOPES : scan;
}

interface Scan {
  readonly found: RawEnvelope[];
  readonly limit: number;
  more: number;
  /** Whether the last failed attempt ended at an empty push. An envelope does not clear it. */
  stutter: boolean;
}

/** Reads what follows an empty push. An instruction that ends the attempt early is left for the next attempt. */
function readAttempt(cursor: ScriptCursor, scan: Scan): void {
  if (cursor.opcode !== OP_IF) {
    scan.stutter = cursor.isEmptyPush;
    return;
  }
  cursor.next();
  if (!cursor.isPushOf(PROTOCOL)) {
    scan.stutter = cursor.isEmptyPush;
    return;
  }
  cursor.next();
  const found = readPayload(cursor, scan.stutter);
  if (found === undefined) scan.stutter = false;
  else if (scan.found.length < scan.limit) scan.found.push(found);
  else scan.more++;
}

/** Reads pushes up to OP_ENDIF; undefined if the script ends first, or after another opcode, which is consumed. */
function readPayload(cursor: ScriptCursor, stutter: boolean): RawEnvelope | undefined {
  const { start } = cursor;
  let pushnum = false;
  for (; !cursor.atEnd; cursor.next()) {
    if (cursor.isPush) continue;
    const { opcode } = cursor;
    if (cursor.pushedNumber !== undefined) {
      pushnum = true;
      continue;
    }
    const payload = cursor.since(start);
    cursor.next();
    return opcode === OP_ENDIF ? { pushnum, stutter, payload } : undefined;
  }
  return undefined;
}

function holdsProtocol(script: Uint8Array): boolean {
  for (let at = script.indexOf(PROTOCOL[0]!); at >= 0; at = script.indexOf(PROTOCOL[0]!, at + 1)) {
    if (script[at + 1] === PROTOCOL[1] && script[at + 2] === PROTOCOL[2]) return true;
  }
  return false;
}
