/**
 * Writing inscriptions: a script that holds an envelope, and a witness that reveals it.
 *
 * The inverse of envelope.ts, with the field order of the reference's own tools. Body and metadata are split into
 * pushes of 520 bytes, the consensus limit. Nothing is signed: the engine does not check what unlocks an output.
 * Source: inscription.rs and tag.rs of the reference.
 * @module
 */
import {
  assertFits,
  assertMembers,
  assertObject,
  BYTES,
  type Expectation,
  TEXT,
  U64,
  wholeNumber,
} from '../base/argument.ts';
import { concatBytes } from '../base/bytes/compare.ts';
import { assertInscriptionId, encodeParent, type InscriptionId } from './inscription-id.ts';
import { OP_0, OP_ENDIF, OP_IF, pushBytes } from './script.ts';

/** The content of an envelope. */
export interface InscriptionContent {
  readonly contentType?: string;
  /** Text is written as UTF-8. */
  readonly body?: Uint8Array | string;
  readonly contentEncoding?: string;
  readonly metaprotocol?: string;
  readonly parents?: readonly InscriptionId[];
  /** The offset in the row of output satoshis, instead of the start of the input. */
  readonly pointer?: bigint;
  readonly metadata?: Uint8Array;
  /** Any other fields, written after the rest: tag and value. */
  readonly fields?: readonly (readonly [tag: number, value: Uint8Array])[];
}

const CONTENT: Readonly<Record<keyof InscriptionContent, Expectation>> = {
  contentType: TEXT,
  body: ['bytes (a Uint8Array) or text', (value) => value instanceof Uint8Array || typeof value === 'string'],
  contentEncoding: TEXT,
  metaprotocol: TEXT,
  parents: ['an array of inscription ids', Array.isArray],
  pointer: U64,
  metadata: BYTES,
  fields: ['an array of [tag, value]', Array.isArray],
};

/**
 * Refuses anything but valid content of an envelope.
 * @throws {EngineError} `invalid-argument` naming the member
 */
export function checkedContent(content: InscriptionContent, name: string): InscriptionContent {
  assertObject(content, name, 'what an inscription is to say, such as { contentType, body }');
  assertMembers(content, Object.keys(CONTENT), `${name}.`);
  for (const [member, value] of Object.entries(content)) {
    if (value !== undefined) assertFits(value, `${name}.${member}`, CONTENT[member as keyof InscriptionContent]);
  }
  for (const [index, parent] of (content.parents ?? []).entries()) {
    assertInscriptionId(parent, `${name}.parents[${index}]`);
  }
  for (const [index, field] of (content.fields ?? []).entries()) assertFits(field, `${name}.fields[${index}]`, FIELD);
  return content;
}

const FIELD: Expectation = [
  '[tag, value]: a number from 0 to 255 and bytes',
  (field) => Array.isArray(field) && wholeNumber(0, 255)[1](field[0]) && field[1] instanceof Uint8Array,
];

const PUSH_BYTES_MAX = 520;
const PROTOCOL = Uint8Array.of(0x6f, 0x72, 0x64);
const CONTROL_BLOCK = Uint8Array.of(0xc0, ...new Uint8Array(32).fill(2));
const SIGNATURE: Uint8Array = new Uint8Array(64).fill(1);
const utf8 = new TextEncoder();

/** The script of one envelope. */
export function envelopeScript(content: InscriptionContent): Uint8Array {
  const { contentType, body, contentEncoding, metaprotocol, parents, pointer, metadata, fields } = content;
  const parts: Uint8Array[] = [Uint8Array.of(OP_0, OP_IF), pushBytes(PROTOCOL)];
  const field = (tag: number, value: Uint8Array) => parts.push(pushBytes(Uint8Array.of(tag)), pushBytes(value));
  if (contentType !== undefined) field(1, utf8.encode(contentType));
  if (contentEncoding !== undefined) field(9, utf8.encode(contentEncoding));
  if (metaprotocol !== undefined) field(7, utf8.encode(metaprotocol));
  for (const parent of parents ?? []) field(3, encodeParent(parent));
  if (pointer !== undefined) field(2, pointerBytes(pointer));
  for (const chunk of chunksOf(metadata ?? new Uint8Array(0))) field(5, chunk);
  for (const [tag, value] of fields ?? []) field(tag, value);
  if (body !== undefined) {
    parts.push(Uint8Array.of(OP_0));
    for (const chunk of chunksOf(typeof body === 'string' ? utf8.encode(body) : body)) parts.push(pushBytes(chunk));
  }
  return concatBytes(...parts, Uint8Array.of(OP_ENDIF));
}

/** A witness that spends a taproot output by a script of these envelopes; signature and control block are fillers. */
export function revealWitness(...contents: readonly InscriptionContent[]): readonly Uint8Array[] {
  return [SIGNATURE, concatBytes(...contents.map(envelopeScript)), CONTROL_BLOCK];
}

function pointerBytes(pointer: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, pointer); rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn));
  return Uint8Array.from(bytes);
}

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PUSH_BYTES_MAX) chunks.push(bytes.subarray(at, at + PUSH_BYTES_MAX));
  return chunks;
}
