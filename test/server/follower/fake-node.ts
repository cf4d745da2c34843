/** A Bitcoin Core node as far as a follower sees it: a chain of blocks behind JSON-RPC on loopback. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, type MinedBlock } from '../../../src/bitcoin/index.ts';
import { decodeTransaction } from '../../../src/bitcoin/transaction.ts';

export class FakeNode {
  /** The best chain; height is the block's own. */
  blocks: readonly MinedBlock[] = [];
  /** The `user:password` that is required. */
  credentials: string | undefined;
  /** The same as the whole header that is required. */
  accepts: string | undefined;
  /** Answers instead of the node's own, while set. */
  broken: { readonly status: number; readonly body: string; readonly location?: string } | undefined;
  /** Changes what the node would say. */
  lie: (method: string, result: unknown) => unknown = (_method, result) => result;
  /** Called before each answer: a test changes the chain under a follower here. */
  before: (method: string) => void = () => {};
  /** What is said of the best block; its height unless given. */
  height: number | undefined;
  /** What is said of the hash at a height; that of its block unless given. */
  hashOf: ((height: number) => string) | undefined;
  /** Begins each answer and then sends a byte at a time, endlessly. */
  isDripping = false;
  #isDown = false;
  readonly asked: string[] = [];
  readonly received: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        if (this.isDripping) return drip(response);
        const { status, text } = this.#answer(body, request.headers.authorization);
        const { location } = this.broken ?? {};
        const headers = { 'content-type': 'application/json', ...(location !== undefined && { location }) };
        response.writeHead(status, headers).end(text);
      });
    });
    this.#server.on('connection', (socket) => {
      if (this.#isDown) socket.destroy();
    });
  }

  static async listen(): Promise<FakeNode> {
    const node = new FakeNode();
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends all connections, and any that come: it keeps the port, which another process could take otherwise. */
  goDown(): void {
    this.#isDown = true;
    this.#server.closeAllConnections();
  }

  comeUp(): void {
    this.#isDown = false;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(body: string, authorization: string | undefined): { status: number; text: string } {
    if (this.broken !== undefined) return { status: this.broken.status, text: this.broken.body };
    const wanted = this.credentials === undefined ? this.accepts : `Basic ${btoa(this.credentials)}`;
    if (wanted !== undefined && authorization !== wanted) return { status: 401, text: '' };
    const { method, params, id } = JSON.parse(body) as { method: string; params: unknown[]; id: unknown };
    this.before(method);
    this.asked.push(method);
    const outcome = this.#call(method, params);
    const error = 'error' in outcome ? outcome.error : null;
    const result = 'result' in outcome ? this.lie(method, outcome.result) : null;
    return { status: error === null ? 200 : 500, text: JSON.stringify({ result, error, id }) };
  }

  #call(method: string, params: unknown[]): { result: unknown } | { error: { code: number; message: string } } {
    const [first, second] = params;
    switch (method) {
      case 'getblockcount':
        return { result: this.height ?? this.blocks.at(-1)?.height ?? 0 };
      case 'getblockhash': {
        if (this.hashOf !== undefined) return { result: this.hashOf(first as number) };
        const block = this.blocks.find(({ height }) => height === first);
        return block === undefined
          ? { error: { code: -8, message: 'Block height out of range' } }
          : { result: formatBitcoinHash(block.hash) };
      }
      case 'getblock': {
        const block = this.blocks.find(({ hash }) => formatBitcoinHash(hash) === first);
        if (block === undefined || second !== 0) return { error: { code: -5, message: 'Block not found' } };
        return { result: toHex(block.bytes) };
      }
      case 'sendrawtransaction': {
        this.received.push(first as string);
        if (first === '00') return { error: { code: -22, message: 'TX decode failed' } };
        return { result: formatBitcoinHash(decodeTransaction(fromHex(first as string)).txid) };
      }
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  }
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 2);
  response.on('close', () => clearInterval(timer));
}
