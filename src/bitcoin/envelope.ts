/**
 * Inscription envelopes: data carried by a tapscript in a branch that never runs.
 *
 *   OP_0 OP_IF "ord" (tag value)* [OP_0 body*] OP_ENDIF
 *
 * Scanning is one pass over the script without building its instructions; a script without the three bytes `ord` is
 * skipped first. A push that runs past the end of the script voids all envelopes in it, even complete ones. It is not
 * known here which inputs are taproot spends, so whatever is in the place of a tapscript is scanned.
 *
 * What the pushes say is read by envelope-record.ts.
 * Source: frameworks/bitcoin-move/src/natives/ord of the reference.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { option, struct, vector } from '../base/bcs/composite.ts';
import { bool, bytes, string, u32, u64, u128 } from '../base/bcs/primitive.ts';
import { type InscriptionRecord, readRecord } from './envelope-record.ts';
import { inscriptionId } from './inscription-id.ts';
import { OP_ENDIF, OP_IF } from './script.ts';
import { ScriptCursor } from './script-cursor.ts';
import { assertTransaction, type BitcoinTransaction } from './transaction.ts';

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

const storedRecord: Codec<StoredRecord> = struct<StoredRecord>({
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

export const envelope: Codec<Envelope> = struct<Envelope>({
  input: u32,
  offset: u32,
  pushnum: bool,
  stutter: bool,
  payload: inscriptionRecord,
});

/** An envelope as found in a script. */
export interface RawEnvelope {
  readonly pushnum: boolean;
  readonly stutter: boolean;
  /** The part of the script with its pushes, after that of the protocol: there may be two million. */
  readonly payload: Uint8Array;
}

const ANNEX_PREFIX = 0x50;
const PROTOCOL = Uint8Array.of(0x6f, 0x72, 0x64);
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
