/**
 * Wrong calls of the transports and of the follower.
 * @module
 */
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { BitcoinNode, cookieFile, Follower } from '../../src/server/follower/index.ts';
import { createRpc, forwardTo, serveHttp, servePort, serveStdio } from '../../src/server/index.ts';
import { members, type Table, tries, type World } from './attempts.ts';
import { NO_BYTES, NO_FLAG, NO_OBJECT, NO_OPTIONS, NO_TEXT } from './values.ts';

export function transportCalls({ engine }: World): Table {
  const rpc = createRpc(engine);
  const input = new PassThrough();
  const output = new PassThrough();
  const { port1 } = new MessageChannel();
  port1.close();
  const bounds = ['requestBytesMax', 'responseBytesMax', 'inFlightRequestsMax', 'closeMsMax'];
  const badBounds = [null, -1, 0.5, Number.NaN, '5', 5n];
  return {
    forwardTo: tries(
      'url',
      [null, 5, '', 'writer', 'ftp://writer', 'http://me:key@writer', 'http://writer?a=1'],
      (url) => forwardTo(url),
    ),
    serveHttp: [
      ...tries('handler', [...NO_OBJECT, {}, engine], (handler) => serveHttp(handler, { port: 0 })),
      ...tries('options', NO_OPTIONS, (options) => serveHttp(rpc, options)),
      ...tries('prot', [0], (prot) => serveHttp(rpc, { port: 0, prot } as never)),
      ...tries('port', [null, -1, 0.5, 65_536, Number.NaN, '6767', 5n], (port) => serveHttp(rpc, { port })),
      ...members(
        {
          host: [null, 5, {}, ''],
          hosts: [null, 5, 'localhost', [5], ['a/b']],
          cors: [null, 5, '*', [5], ['wallet']],
          page: NO_FLAG,
          devExposed: NO_FLAG,
          log: [null, 5, 'file'],
        },
        (given) => serveHttp(rpc, { port: 0, ...given }),
      ),
      ...[
        ...bounds,
        'connectionsMax',
        'pipelinedRequestsMax',
        'headersMsMax',
        'requestMsMax',
        'idleMsMax',
        'pingIntervalMs',
      ].flatMap((bound) => tries(bound, badBounds, (value) => serveHttp(rpc, { port: 0, [bound]: value }))),
    ],
    serveStdio: [
      ...tries('handler', [...NO_OBJECT, {}, engine], (handler) => serveStdio(handler, { input, output })),
      ...tries('options', NO_OPTIONS, (options) => serveStdio(rpc, options)),
      ...tries('stdin', [input], (stdin) => serveStdio(rpc, { input, output, stdin } as never)),
      ...tries('input', [null, 5, 'text', {}], (given) => serveStdio(rpc, { input: given, output })),
      ...tries('output', [null, 5, 'text', {}], (given) => serveStdio(rpc, { input, output: given })),
      ...bounds.flatMap((bound) =>
        tries(bound, badBounds, (value) => serveStdio(rpc, { input, output, [bound]: value })),
      ),
    ],
    servePort: [
      ...tries('handler', [...NO_OBJECT, {}, engine], (handler) => servePort(handler, port1)),
      ...tries('port', [...NO_OBJECT, {}], (port) => servePort(rpc, port)),
      ...tries('options', NO_OPTIONS, (options) => servePort(rpc, port1, options)),
      ...tries('ports', [5], (ports) => servePort(rpc, port1, { ports } as never)),
      ...bounds.flatMap((bound) => tries(bound, badBounds, (value) => servePort(rpc, port1, { [bound]: value }))),
    ],
  };
}

export function followerCalls({ engine }: World): Table {
  const url = 'http://127.0.0.1:1';
  const node = new BitcoinNode({ url });
  const periods = ['pollMilliseconds', 'backoffMilliseconds', 'reportMilliseconds'];
  return {
    'new BitcoinNode': [
      ...tries('options', NO_OBJECT, (options) => new BitcoinNode(options)),
      ...tries(
        'url',
        [undefined, null, 5, '', 'localhost', 'ftp://localhost'],
        (given) => new BitcoinNode({ url: given }),
      ),
      ...members(
        {
          credentials: [null, 5, 'user:password', {}],
          timeoutMilliseconds: [null, 0, -1, '5', Number.NaN],
          pasword: ['x'],
        },
        (given) => new BitcoinNode({ url, ...given }),
      ),
    ],
    cookieFile: tries('path', NO_TEXT, (path) => cookieFile(path)),
    'BitcoinNode#blockCount': tries('signal', [null, 5, {}], (signal) => node.blockCount(signal)),
    'BitcoinNode#blockHash': [
      ...tries('height', [undefined, null, -1, 0.5, Number.NaN, '5', 5n], (height) => node.blockHash(height)),
      ...tries('signal', [null, 5, {}], (signal) => node.blockHash(0, signal)),
    ],
    'BitcoinNode#block': [
      ...tries('hash', [...NO_TEXT, '', 'zz', `0x${'a'.repeat(64)}`], (hash) => node.block(hash)),
      ...tries('signal', [null, 5, {}], (signal) => node.block('a'.repeat(64), signal)),
    ],
    'BitcoinNode#broadcast': [
      ...tries('transaction', NO_BYTES, (transaction) => node.broadcast(transaction)),
      ...tries('signal', [null, 5, {}], (signal) => node.broadcast(new Uint8Array(5), signal)),
    ],
    'new Follower': [
      ...tries('engine', [...NO_OBJECT, {}], (given) => new Follower(given, node, { from: 0 })),
      ...tries('node', [...NO_OBJECT, {}, url], (given) => new Follower(engine, given, { from: 0 })),
      ...tries('options', NO_OBJECT, (options) => new Follower(engine, node, options)),
      ...tries('from', [undefined, null, -1, 0.5, Number.NaN, '5', 5n], (from) => new Follower(engine, node, { from })),
      ...tries('log', [null, 5, 'file'], (log) => new Follower(engine, node, { from: 0, log })),
      ...periods.flatMap((period) =>
        tries(period, [null, -1, Number.NaN, '5'], (value) => new Follower(engine, node, { from: 0, [period]: value })),
      ),
    ],
  };
}
