/**
 * Wrong calls of errors, values, JSON-RPC and the transport of the SDK.
 * @module
 */

import { RoochRpcError, roochTransport, TestBox } from '../../src/cli/rooch/index.ts';
import { MinedBitcoin, OrdWallet } from '../../src/cli/rooch/regtest-node.ts';
import { DEV_ACCOUNTS, EngineError, toBech32, toBitcoinAddress, verifyStateProof } from '../../src/index.ts';
import { createRpc, RpcError, stringifyJson } from '../../src/server/index.ts';
import { members, type Table, tries, type World } from './attempts.ts';
import { NO_ADDRESS, NO_FLAG, NO_FUNCTION, NO_HASH, NO_OBJECT, NO_OBJECT_ID, NO_OPTIONS, NO_TEXT } from './values.ts';

export function valueCalls(): Table {
  return {
    'new EngineError': [
      ...tries('code', [...NO_OBJECT, 'no-such-code'], (code) => new EngineError(code, 'message')),
      ...tries('message', NO_TEXT, (message) => new EngineError('closed', message)),
      ...tries('options', NO_OPTIONS, (options) => new EngineError('closed', 'message', options)),
    ],
    toBech32: tries('address', NO_ADDRESS, (address) => toBech32(address)),
    toBitcoinAddress: [
      ...tries('address', [...NO_TEXT.slice(0, -1), 'zebra'], (address) => toBitcoinAddress(address, 'regtest')),
      ...tries('network', [undefined, null, 'mainnet', 5], (network) =>
        toBitcoinAddress(DEV_ACCOUNTS[0]!.regtestAddress, network),
      ),
    ],
    verifyStateProof: [
      ...tries(
        'proof',
        [...NO_OBJECT, {}, { steps: [] }, { kind: 'state', steps: 5, id: [] }, { kind: 'event' }],
        (proof) => verifyStateProof(proof, new Uint8Array(32)),
      ),
      ...tries('stateRoot', [undefined, ...NO_HASH], (root) =>
        verifyStateProof({ kind: 'state', stateRoot: new Uint8Array(32), id: [], steps: [] }, root),
      ),
      ...tries('id', NO_OBJECT_ID.slice(1), (id) =>
        verifyStateProof({ kind: 'state', stateRoot: new Uint8Array(32), id: [], steps: [] }, new Uint8Array(32), id),
      ),
    ],
  };
}

export function rpcCalls({ engine }: World): Table {
  const rpc = createRpc(engine);
  const bounds = [
    'jsonDepthMax',
    'batchRequestsMax',
    'responseCharactersMax',
    'snapshotsMax',
    'forksMax',
    'forkIdleMsMax',
    'pageItemsMaxInterface',
    'pageItemsMaxCurrent',
  ];
  return {
    'new RpcError': [
      ...tries('code', [undefined, null, '5', 0.5, Number.NaN], (code) => new RpcError(code, 'message', null)),
      ...tries('message', NO_TEXT, (message) => new RpcError(-32_000, message, null)),
    ],
    stringifyJson: tries('value', [undefined, Date.now, Symbol('s'), { a: Date.now }, [Symbol('s')]], (value) =>
      stringifyJson(value),
    ),
    createRpc: [
      ...tries('engine', [...NO_OBJECT, {}, { engine }], (given) => createRpc(given)),
      ...tries('options', NO_OPTIONS, (options) => createRpc(engine, options)),
      ...members(
        {
          prefix: ['x'],
          namespaces: [null, 'chain', 5, ['eth'], [5]],
          dev: [null, 'yes', 1],
          wire: [null, 'new', 5],
          listStates: [null, 'C', 5],
          broadcast: [null, 'url', 5, {}],
          log: [null, 'file', 5, {}],
        },
        (given) => createRpc(engine, given),
      ),
      ...bounds.flatMap((bound) =>
        tries(bound, [null, -1, 0.5, Number.NaN, '5', 5n], (value) => createRpc(engine, { [bound]: value })),
      ),
    ],
    'Rpc#handle': [
      ...tries('text', [...NO_TEXT], (text) => rpc.handle(text)),
      ...tries('context', NO_OPTIONS, (context) => rpc.handle('{}', context)),
    ],
    'Rpc#handleEncoded': [
      ...tries('text', [...NO_TEXT], (text) => rpc.handleEncoded(text)),
      ...tries('context', NO_OPTIONS, (context) => rpc.handleEncoded('{}', context)),
    ],
    'Rpc#request': [
      ...tries('method', NO_TEXT, (method) => rpc.request(method)),
      ...tries('params', [null, 5, 'text', true, Date.now, Symbol('s')], (params) =>
        rpc.request('chain_status', params),
      ),
      ...tries('context', NO_OPTIONS, (context) => rpc.request('chain_status', [], context)),
    ],
    'Rpc#stream': [
      ...tries('request', [...NO_OBJECT, {}], (request) => rpc.stream(request, SINK)),
      ...tries('request.topic', [undefined, 'blocks', 5], (topic) => rpc.stream({ ...STREAM, topic }, SINK)),
      ...tries('request.filter', [undefined, null, 5, {}], (filter) => rpc.stream({ ...STREAM, filter }, SINK)),
      ...tries('sink', [...NO_OBJECT, {}], (sink) => rpc.stream(STREAM, sink)),
    ],
    roochTransport: [
      ...tries('engine', [...NO_OBJECT, {}], (given) => roochTransport(given)),
      ...tries('options', NO_OPTIONS, (options) => roochTransport(engine, options)),
      ...tries('JsonRpcError', [null, 5, 'Error', {}], (JsonRpcError) => roochTransport(engine, { JsonRpcError })),
    ],
    'new RoochRpcError': [
      ...tries('message', NO_TEXT, (message) => new RoochRpcError(message, 1)),
      ...tries('code', [undefined, null, '5', 0.5, Number.NaN], (code) => new RoochRpcError('message', code)),
    ],
    'RoochTransport#request': [
      ...tries('input', [...NO_OBJECT, {}], (input) => roochTransport(engine).request(input)),
      ...tries('input.method', NO_TEXT, (method) => roochTransport(engine).request({ method, params: [] })),
      ...tries('input.params', [null, 5, 'text'], (params) =>
        roochTransport(engine).request({ method: 'rooch_status', params }),
      ),
    ],
    'RoochTransport#subscribe': [
      ...tries('input', [...NO_OBJECT, {}], (input) => roochTransport(engine).subscribe(input)),
      ...tries('input.onMessage', NO_FUNCTION, (onMessage) =>
        roochTransport(engine).subscribe({ method: 'rooch_subscribeEvents', params: ['all'], onMessage }),
      ),
    ],
    'RoochTransport#subscribeWithSSE': [
      ...tries('input', [...NO_OBJECT, {}], (input) => roochTransport(engine).subscribeWithSSE(input)),
      ...tries('input.onMessage', NO_FUNCTION, (onMessage) =>
        roochTransport(engine).subscribeWithSSE({ method: '/subscribe/sse/events', params: 'all', onMessage }),
      ),
      ...tries('input.method', ['/sse'], (method) =>
        roochTransport(engine).subscribeWithSSE({ method, params: 'all', onMessage: () => {} }),
      ),
    ],
    ...testBoxCalls(),
  };
}

const NO_TEXTS = [null, 5, {}, [5], 'text'];
const NO_WORDS = [undefined, null, 5, {}, [5]];

/** A box is not made for them: arguments are looked at before anything else. */
function testBoxCalls(): Table {
  const box = Object.create(TestBox.prototype) as TestBox;
  const bitcoin = Object.create(MinedBitcoin.prototype) as MinedBitcoin;
  const ord = Object.create(OrdWallet.prototype) as OrdWallet;
  return {
    'TestBox#loadBitcoinEnv': [
      ...tries('customContainer', [5, 'bitcoind', {}], (container) => box.loadBitcoinEnv(container)),
      ...tries('autoMining', NO_FLAG, (autoMining) => box.loadBitcoinEnv(null, autoMining)),
    ],
    'TestBox#loadORDEnv': tries('customContainer', [5, 'ord', {}], (container) => box.loadORDEnv(container)),
    'TestBox#getFaucetBTC': [
      ...tries('address', NO_TEXT, (address) => box.getFaucetBTC(address)),
      ...tries('amount', [null, '1', 0, -1, Number.NaN], (amount) => box.getFaucetBTC('bcrt1q', amount)),
    ],
    'RegtestNode#executeRpcCommand': [
      ...tries('command', NO_TEXT, (command) => bitcoin.executeRpcCommand(command)),
      ...tries('params', [null, 5, 'text', {}], (params) => bitcoin.executeRpcCommand('getblockcount', params)),
    ],
    'RegtestNode#executeRpcCommandRaw': [
      ...tries('opts', [undefined, ...NO_TEXTS], (opts) => bitcoin.executeRpcCommandRaw(opts, 'getblockcount')),
      ...tries('command', NO_TEXT, (command) => bitcoin.executeRpcCommandRaw([], command)),
      ...tries('params', NO_TEXTS, (params) => bitcoin.executeRpcCommandRaw([], 'getblockcount', params)),
    ],
    'RegtestNode#getFaucetBTC': [
      ...tries('address', NO_TEXT, (address) => bitcoin.getFaucetBTC(address)),
      ...tries('amount', [null, 'much', 0, -1, Number.NaN], (amount) => bitcoin.getFaucetBTC('bcrt1q', amount)),
    ],
    'OrdProgram#execCmd': tries('cmd', NO_WORDS, (cmd) => ord.execCmd(cmd)),
    'TestBox#loadRoochEnv': [
      ...tries('target', [null, 5, 'docker', {}], (target) => box.loadRoochEnv(target)),
      ...tries('port', [null, '0', -1, 65_536, 0.5], (port) => box.loadRoochEnv('local', port)),
      ...tries('serverArgs', NO_TEXTS, (serverArgs) => box.loadRoochEnv('local', 0, serverArgs)),
    ],
    'TestBox#delay': tries('second', [undefined, null, '1', -1, Number.NaN], (second) => box.delay(second)),
    'TestBox#shell': tries('args', NO_WORDS, (args) => box.shell(args)),
    'TestBox#roochCommand': [
      ...tries('args', NO_WORDS, (args) => box.roochCommand(args)),
      ...tries('envs', NO_TEXTS, (envs) => box.roochCommand('version', envs)),
    ],
    'TestBox#roochAsyncCommand': [
      ...tries('args', NO_WORDS, (args) => box.roochAsyncCommand(args, 'text')),
      ...tries('waitFor', NO_TEXT, (waitFor) => box.roochAsyncCommand('version', waitFor)),
      ...tries('envs', NO_TEXTS, (envs) => box.roochAsyncCommand('version', 'text', envs)),
      ...tries('timeoutMs', [null, '5', -1], (timeoutMs) => box.roochAsyncCommand('version', 'text', [], timeoutMs)),
    ],
    'TestBox#cmdPublishPackage': [
      ...tries('packagePath', NO_TEXT, (path) => box.cmdPublishPackage(path)),
      ...tries('options', NO_OPTIONS, (options) => box.cmdPublishPackage('examples/counter', options)),
      ...tries('namedAddresses', [null, 5, {}], (namedAddresses) =>
        box.cmdPublishPackage('examples/counter', { namedAddresses }),
      ),
    ],
  };
}

const STREAM = {
  topic: 'events',
  filter: '"all"',
  fromOrder: undefined,
  forms: 'current',
  fork: undefined,
} as const;
const SINK = { send: () => {}, isWritable: () => true, end: () => {}, closed: AbortSignal.abort() };
