import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An HTTP response as it lay on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A TCP connection that says exactly what a test wants to say. */
export class RawHttp implements AsyncDisposable {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes that must be there before it is worth parsing again. */
  #wanted = 0;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open(port: number, host = '127.0.0.1'): Promise<RawHttp> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new RawHttp(socket);
  }

  send(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Waits for the next whole response. */
  async response(bodyExpected = true): Promise<RawResponse> {
    for (;;) {
      const response = this.#take(bodyExpected);
      if (response !== undefined) return response;
      if (this.#closed) throw new Error(`connection closed after ${JSON.stringify(this.#join().toString())}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits for the other side to close; gives what was received but not taken. */
  async closed(): Promise<string> {
    if (!this.#closed) await once(this.socket, 'close');
    return this.#join().toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    if (!this.#closed) await once(this.socket, 'close');
  }

  #take(bodyExpected: boolean): RawResponse | undefined {
    if (this.#length < this.#wanted) return undefined;
    const received = this.#join();
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
    const headers = new Headers();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    const status = Number(statusLine.split(' ')[1]);
    const length = bodyExpected && status >= 200 ? Number(headers.get('content-length') ?? 0) : 0;
    this.#wanted = end + 4 + length;
    if (this.#length < this.#wanted) return undefined;
    const body = received.toString('utf8', end + 4, this.#wanted);
    this.#chunks = [received.subarray(this.#wanted)];
    this.#length -= this.#wanted;
    this.#wanted = 0;
    return { status, headers, body };
  }

  #join(): Buffer {
    const received = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [received];
    return received;
  }
}

/** A POST as a program would write it. */
export function post(
  port: number,
  body: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  path = '/',
): string {
  const all: Record<string, string | undefined> = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
