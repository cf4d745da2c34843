/**
 * Follows the frames arriving on a WebSocket to know how many of their bytes must still be in memory.
 *
 * `ws` keeps the parts of an unfinished message as views of the reads they arrived in, so a message sent one byte per
 * fragment keeps 64 KiB per byte if the rest of each read is pings. So every read since the unfinished message began
 * counts in full, plus the overhead of a read. Only headers are inspected; refusing protocol errors is left to `ws`.
 * Source: RFC 6455 5.2.
 * @module
 */

/** Overhead of a read: an object, a buffer, an allocation. */
const READ_OVERHEAD_BYTES = 512;

/** Two bytes, eight of length, four of mask. */
const HEADER_BYTES_MAX = 14;

export class FrameTally {
  readonly #header = new Uint8Array(HEADER_BYTES_MAX);
  #headerLength = 0;
  #payloadLeft = 0;
  /** Whether the frame whose payload is arriving ends a message. */
  #endsMessage = false;
  #inMessage = false;
  #heldBytes = 0;
  /** Payload bytes of the message that has begun last, as far as its headers have told. */
  #messageBytes = 0;
  #largestBytes = 0;

  /** Bytes held for the unfinished message; 0 if there is none. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Payload bytes of the largest message so far, known from its headers before they arrive. */
  get largestBytes(): number {
    return this.#largestBytes;
  }

  /** Takes one read. */
  take(read: Uint8Array): void {
    for (let at = 0; at < read.length; ) {
      if (this.#payloadLeft > 0) {
        const taken = Math.min(this.#payloadLeft, read.length - at);
        this.#payloadLeft -= taken;
        at += taken;
        if (this.#payloadLeft === 0) this.#endFrame();
        continue;
      }
      this.#header[this.#headerLength++] = read[at++]!;
      if (this.#headerLength >= 2 && this.#headerLength === headerLength(this.#header)) this.#startPayload();
    }
    const isFinished = !this.#inMessage && this.#headerLength === 0 && this.#payloadLeft === 0;
    this.#heldBytes = isFinished ? 0 : this.#heldBytes + read.length + READ_OVERHEAD_BYTES;
  }

  #startPayload(): void {
    const header = this.#header;
    const opcode = header[0]! & 0x0f;
    this.#payloadLeft = payloadLength(header);
    // Control frames may come between the fragments of a message.
    if (opcode < 8) {
      this.#messageBytes = (this.#inMessage ? this.#messageBytes : 0) + this.#payloadLeft;
      this.#largestBytes = Math.max(this.#largestBytes, this.#messageBytes);
      this.#inMessage = true;
      this.#endsMessage = (header[0]! & 0x80) !== 0;
    }
    this.#headerLength = 0;
    if (this.#payloadLeft === 0) this.#endFrame(opcode);
  }

  #endFrame(opcode: number = this.#header[0]! & 0x0f): void {
    if (opcode >= 8 || !this.#endsMessage) return;
    this.#inMessage = false;
    this.#endsMessage = false;
    this.#heldBytes = 0;
  }
}

function headerLength(header: Uint8Array): number {
  const short = header[1]! & 0x7f;
  const mask = (header[1]! & 0x80) === 0 ? 0 : 4;
  return 2 + mask + (short === 127 ? 8 : short === 126 ? 2 : 0);
}

function payloadLength(header: Uint8Array): number {
  const short = header[1]! & 0x7f;
  if (short < 126) return short;
  const view = new DataView(header.buffer);
  return short === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
}
