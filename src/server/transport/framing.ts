/**
 * Splits a stream of bytes into messages.
 *
 * Two framings: one JSON text per line, and `Content-Length` headers as used by language servers. The start of the
 * stream decides, since JSON begins with a brace or bracket and a header with a C. Both recover from malformed input:
 * an overlong line is skipped to its end, an overlong frame by its length, and a broken header up to the next
 * `Content-Length`. Each is refused once. A message that is not UTF-8 is refused as a whole.
 * Source: JSON Lines; Language Server Protocol 3.17, base protocol.
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { FRAME_HEADER_BYTES_MAX } from '../../base/config.ts';
import { messageMalformed, notUtf8, type Refusal, requestTooBig } from './refusal.ts';

/** What the reader found: the text of a message, or why it was refused. */
export type Found = string | Refusal;

type Framing = 'lines' | 'content-length';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const HEADER_START = 'content-';

/** The message in the framing that its reader uses. */
export function frame(text: string, framing: Framing): string {
  if (framing === 'content-length') return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  // A handler must return text without line breaks; if there is one, a space between JSON tokens means the same.
  return `${text.includes('\n') ? text.replaceAll('\n', ' ') : text}\n`;
}

/** Cuts a stream into messages, however it is chunked. */
export class MessageReader {
  readonly #bytesMax: number;
  #start: Buffer = Buffer.alloc(0);
  #reader: LineReader | FrameReader | undefined;

  /** @param bytesMax bytes of one message */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The framing of the stream; lines until it is known. */
  get framing(): Framing {
    return this.#reader instanceof FrameReader ? 'content-length' : 'lines';
  }

  /** Takes a chunk and yields the messages that it completes. */
  *push(chunk: Buffer): Generator<Found> {
    if (this.#reader !== undefined) {
      yield* this.#reader.push(chunk);
      return;
    }
    this.#start = this.#start.length === 0 ? chunk : Buffer.concat([this.#start, chunk]);
    const start = skipBlank(this.#start);
    const framing = decide(start);
    if (framing === undefined) {
      this.#start = start;
      return;
    }
    this.#start = Buffer.alloc(0);
    yield* this.#open(framing).push(start);
  }

  *end(): Generator<Found> {
    if (this.#reader === undefined && this.#start.length > 0) yield* this.#open('lines').push(this.#start);
    if (this.#reader !== undefined) yield* this.#reader.end();
  }

  #open(framing: Framing): LineReader | FrameReader {
    this.#reader = framing === 'lines' ? new LineReader(this.#bytesMax) : new FrameReader(this.#bytesMax);
    return this.#reader;
  }
}

/** Drops what some shells prepend: a byte order mark, blank lines. */
function skipBlank(bytes: Buffer): Buffer {
  let start = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  while (start < bytes.length && isBlank(bytes[start] ?? 0)) start++;
  return bytes.subarray(start);
}

/** Decides the framing from the first bytes. A malformed line may also begin with C, so the whole word is compared. */
function decide(bytes: Buffer): Framing | undefined {
  const seen = bytes.subarray(0, HEADER_START.length).toString('latin1').toLowerCase();
  if (seen === HEADER_START) return 'content-length';
  return HEADER_START.startsWith(seen) ? undefined : 'lines';
}

function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= CARRIAGE_RETURN);
}

function decode(bytes: Buffer): Found {
  return isUtf8(bytes) ? bytes.toString('utf8') : notUtf8();
}

class LineReader {
  readonly #bytesMax: number;
  readonly #line: RequestBuffer;
  #skipping = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#line = new RequestBuffer(bytesMax);
  }

  *push(chunk: Buffer): Generator<Found> {
    let start = 0;
    while (start < chunk.length) {
      const lineFeed = chunk.indexOf(LINE_FEED, start);
      const stop = lineFeed === -1 ? chunk.length : lineFeed;
      if (!this.#skipping && !this.#line.append(chunk.subarray(start, stop))) {
        this.#line.clear();
        this.#skipping = true;
        yield requestTooBig(this.#bytesMax);
      }
      if (lineFeed === -1) return;
      if (!this.#skipping) yield* this.end();
      this.#skipping = false;
      start = lineFeed + 1;
    }
  }

  /** The last line of a stream may have no line feed. */
  *end(): Generator<Found> {
    let line = this.#line.take();
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    if (!line.every(isBlank)) yield decode(line);
  }
}

const HEADER_EXPECTED = 'Content-Length: and a number of bytes';
const CONTENT_LENGTH_NAME = /^content-length[ \t]*:/i;
const CONTENT_LENGTH = /content-length[ \t]*:[ \t]*(\d+)[ \t]*$/i;
const HEADER = /^[!#$%&'*+.^_`|~\w-]+[ \t]*:/;

class FrameReader {
  readonly #bytesMax: number;
  readonly #headerLine = new RequestBuffer(FRAME_HEADER_BYTES_MAX);
  readonly #body: RequestBuffer;
  /** Length of the frame whose header was read, or is being read. */
  #length: number | undefined;
  /** Bytes of the body still to come; undefined while reading the header. */
  #missing: number | undefined;
  #headerBytes = 0;
  /** Whether a header line was read, so that a blank line ends the header. */
  #inHeader = false;
  /** Whether something could not be read, so that everything up to the next Content-Length is skipped. */
  #lost = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#body = new RequestBuffer(bytesMax);
  }

  *push(chunk: Buffer): Generator<Found> {
    let rest = chunk;
    while (rest.length > 0) rest = yield* this.#missing === undefined ? this.#readHeader(rest) : this.#readBody(rest);
  }

  *end(): Generator<Found> {
    if (this.#missing !== undefined && (this.#length ?? 0) <= this.#bytesMax) {
      yield messageMalformed(`a body of ${this.#length} bytes`, `the end of input, ${this.#missing} bytes short`);
    } else if (this.#missing === undefined && (this.#length !== undefined || this.#headerLine.length > 0)) {
      yield* this.#lose('a header and a body', 'the end of input');
    }
  }

  *#readHeader(bytes: Buffer): Generator<Found, Buffer> {
    const lineFeed = bytes.indexOf(LINE_FEED);
    const stop = lineFeed === -1 ? bytes.length : lineFeed;
    this.#headerBytes += stop;
    if (this.#headerBytes > FRAME_HEADER_BYTES_MAX || !this.#headerLine.append(bytes.subarray(0, stop))) {
      this.#headerLine.clear();
      this.#headerBytes = 0;
      yield* this.#lose(`a header of at most ${FRAME_HEADER_BYTES_MAX} bytes`, 'a longer one');
    }
    if (lineFeed !== -1) yield* this.#readHeaderLine(this.#headerLine.take().toString('latin1').replace(/\r$/, ''));
    return bytes.subarray(stop + 1);
  }

  *#readHeaderLine(line: string): Generator<Found> {
    const length = CONTENT_LENGTH.exec(line);
    if (length !== null) {
      // In the middle of a line: a body was longer than its header said and runs into the next header.
      if (length.index > 0) yield* this.#lose(HEADER_EXPECTED, line);
      this.#length = Number(length[1]);
      this.#lost = false;
      if (!Number.isSafeInteger(this.#length)) yield* this.#lose(HEADER_EXPECTED, line);
    } else if (line.trim() === '') {
      if (this.#length !== undefined) yield* this.#startBody(this.#length);
      else if (this.#inHeader) yield* this.#lose(HEADER_EXPECTED, 'a header without it');
      this.#inHeader = false;
      return;
    } else if (!HEADER.test(line) || CONTENT_LENGTH_NAME.test(line)) {
      yield* this.#lose(HEADER_EXPECTED, line);
    }
    this.#inHeader = true;
  }

  *#startBody(length: number): Generator<Found> {
    this.#headerBytes = 0;
    this.#missing = length;
    if (length > this.#bytesMax) yield requestTooBig(this.#bytesMax);
    if (length === 0) yield* this.#finishBody();
  }

  *#readBody(bytes: Buffer): Generator<Found, Buffer> {
    const part = bytes.subarray(0, this.#missing);
    this.#missing = (this.#missing ?? 0) - part.length;
    if ((this.#length ?? 0) <= this.#bytesMax) this.#body.append(part);
    if (this.#missing === 0) yield* this.#finishBody();
    return bytes.subarray(part.length);
  }

  *#finishBody(): Generator<Found> {
    const skipped = (this.#length ?? 0) > this.#bytesMax;
    this.#length = undefined;
    this.#missing = undefined;
    if (!skipped) yield decode(this.#body.take());
  }

  *#lose(expected: string, received: string): Generator<Found> {
    this.#length = undefined;
    if (!this.#lost) yield messageMalformed(expected, received);
    this.#lost = true;
  }
}

/**
 * Collects the chunks of one request up to a bound.
 *
 * A sender may split a request into one-byte chunks, which would take a hundred times their size in a list. The first
 * chunk, usually the whole request, is kept as is; further ones are copied into a buffer that doubles.
 */
export class RequestBuffer {
  readonly #bytesMax: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. Returns false if that would exceed the limit; the buffer is then useless. */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return false;
    if (this.#length === 0) {
      this.#bytes = chunk;
    } else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** Returns the collected bytes and empties the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = EMPTY;
    this.#length = 0;
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.min(Math.max(length, this.#bytes.length * 2), this.#bytesMax));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

const EMPTY = Buffer.alloc(0);
