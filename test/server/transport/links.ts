/**
 * Clients of one handler over every transport: they ask, and they keep what is pushed to them in the order in which it
 * came.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { type JsonValue, type Rpc, servePort, serveStdio } from '../../../src/server/index.ts';
import { request } from './echo-handler.ts';

export interface Pushed {
  readonly method: string;
  readonly params: { readonly subscription: number; readonly result: JsonValue };
}

/** Sends a text to the node; a promise if the answer comes back the same way. */
type Send = (text: string) => unknown;

/** A client on one connection. */
export class Link {
  readonly name: string;
  /** Whether the connection carries what the node sends by itself. */
  readonly isPushed: boolean;
  /** What was pushed so far. */
  readonly pushed: Pushed[] = [];
  readonly #send: Send;
  readonly #asked = new Map<number, { resolve: (result: JsonValue) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  /** @param open takes a callback for each text of the node; gives the function that sends one to it */
  constructor(name: string, isPushed: boolean, open: (receive: (text: string) => void) => Send) {
    this.name = name;
    this.isPushed = isPushed;
    this.#send = open((text) => this.#receive(text));
  }

  /** Rejects with the node's error. */
  ask(method: string, ...params: readonly unknown[]): Promise<JsonValue> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      Promise.resolve(this.#send(request(method, [...params], id))).catch(reject);
    });
  }

  #receive(text: string): void {
    const message = JSON.parse(text);
    if (message.id === undefined) {
      this.pushed.push(message);
      return;
    }
    const asked = this.#asked.get(message.id)!;
    this.#asked.delete(message.id);
    if (message.error === undefined) asked.resolve(message.result);
    else asked.reject(new Error(`${this.name}: ${JSON.stringify(message.error)}`));
  }
}

/** One link over each transport; `url` is where the handler is served over HTTP. They end with `close`. */
export async function openLinks(rpc: Rpc, url: string): Promise<{ links: Link[]; close: () => Promise<void> }> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  await once(socket, 'open');
  const { port1, port2 } = new MessageChannel();
  const port = servePort(rpc, port2);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stdio = serveStdio(rpc, { input, output });
  const links = [
    new Link('HTTP', false, (receive) => (body) => {
      const headers = { 'content-type': 'application/json' };
      return fetch(url, { method: 'POST', headers, body }).then(async (response) => receive(await response.text()));
    }),
    new Link('WebSocket', true, (receive) => {
      socket.on('message', (data) => receive(String(data)));
      return (text) => socket.send(text);
    }),
    new Link('stdio', true, (receive) => {
      createInterface(output).on('line', receive);
      return (text) => input.write(`${text}\n`);
    }),
    new Link('MessagePort', true, (receive) => {
      port1.on('message', receive);
      return (text) => port1.postMessage(text);
    }),
    new Link('a direct call', false, (receive) => (text) => rpc.handle(text).then((answer) => receive(answer!))),
  ];
  const close = async (): Promise<void> => {
    socket.terminate();
    await Promise.all([port.close(), stdio.close()]);
    port1.close();
  };
  return { links, close };
}
