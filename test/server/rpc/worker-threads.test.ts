/** Views and dry runs on worker threads: what the option `workers` changes, which is nothing but where they run. */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { encode, string } from '../../../src/base/bcs.ts';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { Workers } from '../../../src/engine/workers/workers.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { addSources, DEV_ACCOUNTS, Engine, type LogEntry } from '../../../src/index.ts';
import { formatAddress, transactionData } from '../../../src/query/transaction-builder.ts';
import { createRpc, type DevEngine, type Rpc, type RpcEngine, serveHttp } from '../../../src/server/index.ts';
import { readPinned } from '../../../src/server/rpc/engine.ts';
import { type WorkerTask, WorkerThreads } from '../../../src/server/rpc/worker-threads.ts';
import { selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { begunThreads } from '../../engine/workers/begun-threads.ts';
import { payment } from '../../payment.ts';
import { assembleFor } from '../../pipeline/contract.ts';
import { publish, SIGHTS } from '../../query/published.ts';

const VIEW = 'chain_executeViewFunction';
const ACCOUNT = DEV_ACCOUNTS[0]!.address;

let engine: Engine;
/** State roots before the module was published, and after. */
let before: string;
let after: string;
let own: Rpc;
let threaded: Rpc;

beforeAll(async () => {
  // No view ends because the machine is busy.
  engine = await Engine.open({ viewMsMax: 3_600_000 });
  before = engine.head.stateRoot;
  await publish(engine, SIGHTS);
  after = engine.head.stateRoot;
  own = createRpc(engine, { dev: true });
  threaded = createRpc(engine, { dev: true, workers: 1 });
});
afterAll(async () => {
  await threaded.close();
  await engine.close();
});

const text = (method: string, ...params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'ä', method, params });
const sight = (name: string, args: readonly string[] = [], ty_args: readonly string[] = []): unknown => ({
  function_id: `0x42::sights::${name}`,
  ty_args,
  args,
});
const balance = { function_id: '0x3::gas_coin::balance', ty_args: [], args: [ACCOUNT] };

describe('a view on a worker thread', () => {
  it.each<[string, () => readonly unknown[]]>([
    ['values', () => [sight('several')]],
    ['a generic struct', () => [sight('pair', ['0x05'], ['u8'])]],
    ['an abort', () => [sight('maybe', ['0x00'])]],
    ['the balance of an account', () => [balance]],
    ['an earlier state', () => [balance, { stateRoot: before }]],
    ['a module that an earlier state does not have', () => [sight('several'), { stateRoot: before }]],
    ['the present state by its root', () => [sight('several'), { stateRoot: after }]],
    ['a root that the chain never had', () => [balance, { stateRoot: `0x${'11'.repeat(32)}` }]],
    ['a function that is not there', () => [sight('nowhere')]],
    ['arguments that do not fit', () => [sight('pair', ['0x05', '0x06'], ['u8'])]],
    ['parameters that are none', () => [{ function_id: 'sights' }]],
  ])('answers like the engine’s thread: %s', async (_name, params) => {
    for (const method of [VIEW, 'rooch_executeViewFunction']) {
      const request = text(method, ...params());
      expect(await threaded.handle(request)).toBe(await own.handle(request));
    }
  });

  it('names errors from added sources, also on threads that had already started', async () => {
    const request = text(VIEW, sight('stop'));
    const bytes = assembleFor(DEV_ACCOUNTS[0]!, SIGHTS);
    // Other test files, in the same process, ask about this module too.
    onTestFinished(() => addSources([{ bytes }]));
    expect(await threaded.handle(request)).not.toContain('ErrorStopped');
    for (const name of ['ErrorStopped', 'ErrorStoppedAnew']) {
      addSources([{ bytes, constants: { [name]: '7' } }]);
      const answer = await threaded.handle(request);
      expect(answer).toContain(`"${name}"`);
      expect(answer).toBe(await own.handle(request));
    }
  });

  it('gives programs values, and errors with their codes', async () => {
    const call = balance as { function_id: string; ty_args: string[]; args: string[] };
    expect(await threaded.request(VIEW, [call])).toEqual(await own.request(VIEW, [call]));
    const wrong = { ...call, function_id: '0x3::nowhere::balance' };
    await expect(threaded.request(VIEW, [wrong])).rejects.toMatchObject({ code: 2, data: { code: 'not-found' } });
  });

  it('answers over HTTP, alone and in a batch', async () => {
    const node = await serveHttp(threaded, { port: 0 });
    try {
      const one = text(VIEW, balance);
      const ask = async (body: string): Promise<string> =>
        (await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
      expect(await ask(one)).toBe(await own.handle(one));
      const batch = `[${one},${text('chain_getBalance', ACCOUNT, '0x3::gas_coin::RGas')},${text(VIEW, sight('several'))}]`;
      expect(await ask(batch)).toBe(await own.handle(batch));
    } finally {
      await node.close();
    }
  });

  it.each([
    ['of ASCII', 'x'.repeat(150_000)],
    ['of other characters', '中'.repeat(50_000)],
  ])('writes a large answer as bytes, which transports pass on: %s', async (_name, content) => {
    const argument = toHexPrefixed(encode(string, content));
    const request = text(VIEW, { function_id: '0x1::string::utf8', ty_args: [], args: [argument] });
    const expected = await own.handle(request);
    expect(JSON.parse(expected!)).toMatchObject({ id: 'ä', result: { return_values: [{ decoded_value: content }] } });
    const bytes = await threaded.handleEncoded(request);
    expect(typeof bytes).toBe('object');
    expect(new TextDecoder().decode(bytes as Uint8Array)).toBe(expected);
    expect(await threaded.handle(request)).toBe(expected);
    expect(await threaded.handle(`[${request},${text(VIEW, balance)}]`)).toBe(
      `[${expected},${await own.handle(text(VIEW, balance))}]`,
    );
    const node = await serveHttp(threaded, { port: 0 });
    try {
      const answer = await fetch(node.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: request,
      });
      expect(await answer.text()).toBe(expected);
      const socket = new WebSocket(node.url.replace('http', 'ws'));
      await once(socket, 'open');
      socket.send(request);
      const [message] = await once(socket, 'message');
      expect(String(message)).toBe(expected);
      socket.close();
    } finally {
      await node.close();
    }
  });

  it('sees what was written before it, and on a fork what the fork wrote', async () => {
    const sender = engine.accounts[0]!.address;
    const answers = [await threaded.handle(text(VIEW, balance))];
    for (let count = 0; count < 3; count++) {
      await engine.executeAs(sender, payment(engine.accounts[1]!.address, 7n));
      answers.push(await threaded.handle(text(VIEW, balance)));
      expect(answers.at(-1)).toBe(await own.handle(text(VIEW, balance)));
    }
    expect(new Set(answers).size).toBe(4);
    const { id } = (await threaded.request('dev_fork', [])) as unknown as { id: string };
    await threaded.request('dev_fund', [ACCOUNT, '0x3::gas_coin::RGas', '5000'], { fork: id });
    const onFork = await threaded.handle(text(VIEW, balance), { fork: id });
    expect(onFork).not.toBe(answers.at(-1));
    expect(await threaded.handle(text(VIEW, balance))).toBe(answers.at(-1));
  });
});

describe('a dry run on a worker thread', () => {
  it('answers like the engine’s thread, on a chain with a clock and on one without, before and after commits', async () => {
    for (const clock of [undefined, () => 1_800_000_000_000n]) {
      await using chain = await Engine.open({ clock });
      const [inline, threaded] = [createRpc(chain, { dev: true }), createRpc(chain, { dev: true, workers: 1 })];
      const [sender, receiver] = chain.accounts;
      const transferOf = (amount: bigint) => payment(receiver!.address, amount);
      const dataOf = (amount: bigint): string =>
        toHexPrefixed(encode(transactionData, sender!.transaction(transferOf(amount))));
      const simulated = (id: string, ...args: string[]): unknown => ({
        function_id: id,
        ty_args: ['0x3::gas_coin::RGas'],
        arguments: args,
      });
      try {
        const answers: string[] = [];
        for (let round = 0; round < 3; round++) {
          for (const request of [
            text('rooch_dryRunRawTransaction', dataOf(1n)),
            text('chain_dryRunRawTransaction', dataOf(1n << 100n)),
            text('chain_dryRunRawTransaction', '0x0102'),
            text('dev_simulate', ACCOUNT, simulated('0x3::transfer::transfer_coin', `${receiver!.address}`, '5')),
            text('dev_simulate', ACCOUNT, simulated('0x3::transfer::nowhere')),
          ]) {
            const answer = await threaded.handle(request);
            expect(answer, request).toBe(await inline.handle(request));
            answers.push(answer!);
          }
          await chain.executeAs(sender!.address, transferOf(3n));
        }
        // A root and a gas cost, an abort that is explained, and three errors.
        expect(answers[0]).toContain('"status":{"type":"executed"}');
        expect(answers[0]).not.toBe(answers[5]);
        expect(answers[1]).toContain('ErrorInsufficientBalance');
        expect(answers[2]).toContain('"code":3');
      } finally {
        await threaded.close();
      }
    }
  });
});

/** BCS that is a value of many types. */
const ARGUMENTS = [
  '0x00',
  '0x01',
  '0x0400010203',
  '0x2a00000000000000',
  ACCOUNT,
  `0x01${ACCOUNT.slice(2)}`,
  `0x20${'ff'.repeat(32)}`,
];
const TYPES = ['u8', 'vector<u8>', '0x1::string::String', '0x3::gas_coin::RGas'];

interface Abi {
  readonly functions: readonly {
    readonly name: string;
    readonly params: readonly string[];
    readonly type_params: readonly unknown[];
  }[];
}

/** Every public function of a framework module, with how many arguments and types it takes. */
async function publicFunctions(): Promise<{ id: string; args: number; types: number }[]> {
  const modules = FRAMEWORK_PACKAGES.flatMap(({ modules: own }) => own.map(({ bytes }) => selfIdOf(readModule(bytes))));
  const abis = modules.map(async ({ address, name }) => {
    const at = formatAddress(address);
    const abi = (await own.request('chain_getModuleABI', [at, name])) as unknown as Abi;
    return abi.functions.map((one) => ({
      id: `${at}::${name}::${one.name}`,
      args: one.params.filter((type) => !type.includes('signer')).length,
      types: one.type_params.length,
    }));
  });
  return (await Promise.all(abis)).flat();
}

/** An engine that gives up on views after that many milliseconds. */
const impatient = (patience: () => number): DevEngine =>
  new Proxy(engine as DevEngine, {
    get: (whole, name) => {
      if (name === 'inside') {
        const { longWork } = engine.inside.core;
        const briefly = (_: number, run: () => unknown): unknown => longWork.briefly(patience(), run);
        return { core: { longWork: { briefly, lend: longWork.lend.bind(longWork) } } };
      }
      const member: unknown = Reflect.get(whole, name, whole);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });

describe('any view of the framework', () => {
  it('is answered byte for byte as on the engine’s thread, at any root, while commits go on', async () => {
    const functions = await publicFunctions();
    expect(functions.length).toBeGreaterThan(900);
    const random = randomNumbers(seed);
    const auto = createRpc(
      impatient(() => random(4)),
      { dev: true, workers: 'auto' },
    );
    onTestFinished(() => auto.close());
    const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
    const roots = [before, after];
    const statuses = new Set<string>();
    const [sender, receiver] = engine.accounts;
    for (let run = 0; run < runs(150, 3_000); run++) {
      const { id, args, types } = pick(functions);
      const call = {
        function_id: id,
        ty_args: Array.from({ length: types }, () => pick(TYPES)),
        args: Array.from({ length: args }, () => pick(ARGUMENTS)),
      };
      const request = text(VIEW, call, { stateRoot: pick(roots) });
      const [answer, written] = await Promise.all([
        threaded.handle(request),
        engine.executeAs(sender!.address, payment(receiver!.address, 1n)),
      ]);
      roots.push(written.stateRoot);
      expect(answer, request).toBe(await own.handle(request));
      expect(await auto.handle(request), request).toBe(answer);
      const { result } = JSON.parse(answer!);
      statuses.add(typeof result?.vm_status === 'string' ? result.vm_status : Object.keys(result?.vm_status ?? {})[0]!);
    }
    expect([...statuses]).toEqual(expect.arrayContaining(['Executed', 'MoveAbort', 'Error']));
  });
});

const GREEDY = `module 0xa11ce::greedy
  public fun grow(): vector<u64> { let v: vector<u64>
    VecPack u64 0; StLoc v
    again: MutBorrowLoc v; LdU64 7; VecPushBack u64; ImmBorrowLoc v; VecLen u64; LdU64 400000; Lt; BrTrue again
    MoveLoc v; Ret }
  public fun keccak(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::hash::keccak256; Pop; Branch again }`;

const greedy = (name: string, ...args: string[]): { function_id: string; ty_args: string[]; args: string[] } => ({
  function_id: `${ACCOUNT}::greedy::${name}`,
  ty_args: [],
  args,
});

describe('workers that start by themselves', () => {
  const SPIN = `module 0xa11ce::spinner
    public entry fun turn() { let n: u64
      LdU64 1000; StLoc n
      again: MoveLoc n; LdU64 1; Sub; StLoc n; CopyLoc n; LdU64 0; Neq; BrTrue again
      Ret }
    public entry fun take(b: vector<u8>) { Ret }
    public fun truths(): vector<bool> { let v: vector<bool>
      VecPack bool 0; StLoc v
      again: MutBorrowLoc v; LdTrue; VecPushBack bool; ImmBorrowLoc v; VecLen bool; LdU64 20000; Lt; BrTrue again
      MoveLoc v; Ret }
    public fun bytes(): vector<u8> { let v: vector<u8>
      VecPack u8 0; StLoc v
      again: MutBorrowLoc v; LdU8 1; VecPushBack u8; ImmBorrowLoc v; VecLen u8; LdU64 20000; Lt; BrTrue again
      MoveLoc v; Ret }
    public fun fail() { again: LdU64 1; Pop; LdU64 7; Abort }`;
  const spinner = (name: string) => ({ function_id: `${ACCOUNT}::spinner::${name}`, ty_args: [], args: [] });
  const call = (name: string) => ({ function_id: `${ACCOUNT}::spinner::${name}`, ty_args: [], arguments: [] });

  beforeAll(async () => {
    await engine.publish(engine.accounts[0]!.address, [assembleFor(DEV_ACCOUNTS[0]!, SPIN)]);
  });

  it.each<[string, () => string]>([
    ['a view', () => text(VIEW, spinner('turn'))],
    ['a simulated call', () => text('dev_simulate', ACCOUNT, call('turn'))],
    ['a dry run', () => text('rooch_dryRunRawTransaction', rawData())],
    ['a trace', () => text('dev_trace', '1')],
  ])('take on what would hold the thread for long, and nothing else: %s', async (_name, request) => {
    const begun = begunThreads();
    const quick = createRpc(
      impatient(() => 60_000),
      { dev: true, workers: 'auto' },
    );
    const never = createRpc(
      impatient(() => 0),
      { dev: true, workers: 'auto' },
    );
    const right = await own.handle(request());
    expect(await quick.handle(request())).toBe(right);
    expect(begun).toEqual([]);
    expect(await never.handle(request())).toBe(right);
    expect(begun).toHaveLength(1);
    await Promise.all([quick.close(), never.close()]);
  });

  it('read arguments and show values when that would take long, as showing byte strings does not', async () => {
    const begun = begunThreads();
    const long = `0x80f104${'00'.repeat(80_000)}`;
    for (const [request, threads] of [
      [text(VIEW, spinner('bytes')), 0],
      // Twenty thousand booleans are estimated to take 40 ms, and so are eighty thousand bytes of arguments.
      [text(VIEW, spinner('truths')), 1],
      [text(VIEW, { ...spinner('take'), args: [long] }), 2],
      [text('dev_simulate', ACCOUNT, { ...call('take'), arguments: [long] }), 3],
    ] as const) {
      const rpc = createRpc(
        impatient(() => 39),
        { dev: true, workers: 'auto' },
      );
      onTestFinished(() => rpc.close());
      const right = await own.handle(request);
      expect(right).toMatch(/"vm_status":"Executed"|"type":"executed"/);
      // No time passes, so only the estimate counts.
      const now = vi.spyOn(performance, 'now').mockReturnValue(0);
      const answer = await rpc.handle(request);
      now.mockRestore();
      expect(answer).toBe(right);
      expect(begun).toHaveLength(threads);
    }
  });

  it('find the calls that led to a failure as the engine’s thread does', async () => {
    for (const patience of [0, 60_000]) {
      const rpc = createRpc(
        impatient(() => patience),
        { dev: true, workers: 'auto' },
      );
      onTestFinished(() => rpc.close());
      const request = text(VIEW, spinner('fail'));
      const answer = await rpc.handle(request);
      expect(answer).toBe(await own.handle(request));
      expect(answer).toContain('call_stack');
    }
  });

  it('let a balance that is asked for after a long view be answered first', async () => {
    await using short = await Engine.open({ viewMsMax: 1_000 });
    await short.publish(short.accounts[0]!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]);
    const rpc = createRpc(short, { workers: 'auto' });
    onTestFinished(() => rpc.close());
    const answered: string[] = [];
    const ask = (name: string, request: string): Promise<void> =>
      rpc.handle(request, { connection: {} }).then(() => void answered.push(name));
    const long = `0x${'ffff03'}${'00'.repeat(65_535)}`;
    await Promise.all([
      ask('view', text(VIEW, greedy('keccak', long))),
      ask('balance', text('chain_getBalance', ACCOUNT, '0x3::gas_coin::RGas')),
    ]);
    expect(answered).toEqual(['balance', 'view']);
  });

  it('keep serving a connection whose last view took long, until one does not', async () => {
    const connection = {};
    const threaded = new WorkerThreads({ workers: 'auto', log: () => {} });
    onTestFinished(() => threaded.close());
    const task = (name: string): WorkerTask => ({
      method: VIEW,
      forms: 'interface',
      values: [
        { function: `${ACCOUNT}::spinner::${name}`, typeArguments: [], arguments: [] },
        { stateRoot: undefined },
      ],
      written: { head: '', charactersMax: 1_000 },
      findsCallStacks: false,
    });
    expect(threaded.placeOf(connection)).toBe('briefly');
    const givesUp = { longWork: { briefly: () => undefined } } as unknown as DevEngine;
    expect(threaded.here(givesUp, connection, () => 'done')).toBeUndefined();
    expect([threaded.placeOf(connection), threaded.placeOf({}), threaded.placeOf()]).toEqual([
      'thread',
      'briefly',
      'briefly',
    ]);
    for (let asked = 0; threaded.placeOf(connection) === 'thread'; asked++) {
      // The first one loads the engine, and the machine may be busy.
      expect(asked).toBeLessThan(1_000);
      await threaded.answer(engine, task('nowhere'), { connection });
    }
  });

  it.each([
    ['the file is missing', 'missing.js', 'expected the file of the worker threads'],
    ['nobody knows where the file is', undefined, 'expected the file of the worker threads'],
    ['a thread ends before it answers', 'broken.js', 'a worker thread failed: nothing works'],
  ])('are done without when %s, and the log says so once', async (_name, file, reason) => {
    const directory = await mkdtemp(join(tmpdir(), 'movelet-auto-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'broken.js'), 'throw new Error("nothing works");');
    const said: LogEntry[] = [];
    const threaded = new WorkerThreads({
      workers: 'auto',
      log: (entry) => said.push(entry),
      ...(file !== undefined && { program: pathToFileURL(join(directory, file)).href }),
      ...(file === undefined && { program: 'none:' }),
    });
    onTestFinished(() => threaded.close());
    const task: WorkerTask = {
      method: VIEW,
      forms: 'interface',
      values: [],
      written: undefined,
      findsCallStacks: false,
    };
    expect(await Promise.all([1, 2].map(() => threaded.answer(engine, task, {})))).toEqual([undefined, undefined]);
    expect(threaded.placeOf()).toBe('here');
    expect(said.map(({ level, message }) => [level, message])).toEqual([['warning', expect.stringContaining(reason)]]);
  });
});

/** The data of a transaction that calls it. */
function rawData(): string {
  const [sender] = engine.accounts;
  const action = { function: `${ACCOUNT}::spinner::turn` };
  return toHexPrefixed(encode(transactionData, sender!.transaction(action)));
}

describe('a view of a directory', () => {
  it('reads LevelDB, and ends with an error if the engine is closed meanwhile', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'movelet-threads-'));
    const durable = await Engine.open({ store: directory });
    const rpc = createRpc(durable, { workers: 1 });
    try {
      expect(await rpc.handle(text(VIEW, balance))).toBe(await createRpc(durable).handle(text(VIEW, balance)));
      const [sender, receiver] = durable.accounts;
      await durable.executeAs(sender!.address, payment(receiver!.address, 1n));
      // The worker has yet to ask for what the transfer changed; it may just have been told all of it.
      const after = await createRpc(durable).handle(text(VIEW, balance));
      const asked = rpc.handle(text(VIEW, balance));
      await durable.close();
      const closed = { id: 'ä', error: { code: -32009, data: { code: 'closed' } } };
      const answer = await asked;
      if (answer !== after) expect(JSON.parse(answer!)).toMatchObject(closed);
      expect(JSON.parse((await rpc.handle(text(VIEW, balance)))!)).toMatchObject(closed);
    } finally {
      await rpc.close();
      await durable.close();
      await rm(directory, { recursive: true });
    }
  });
});

describe('a view that takes too much', () => {
  it('ends at its deadline, and the worker goes on', async () => {
    await using short = await Engine.open({ viewMsMax: 20 });
    await short.publish(short.accounts[0]!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]);
    const rpc = createRpc(short, { workers: 1 });
    try {
      const long = `0x${'ffff03'}${'00'.repeat(65_535)}`;
      await expect(rpc.request(VIEW, [greedy('keccak', long)])).rejects.toMatchObject({
        data: { code: 'deadline-exceeded', expected: 'at most 20 ms' },
      });
      const ended = await rpc.request(VIEW, [greedy('keccak', long)]).catch(({ data }) => data.code);
      expect(ended).toBe('deadline-exceeded');
      const answer = (): Promise<unknown> => rpc.request(VIEW, [greedy('nowhere')]).catch(({ data }) => data.code);
      // A busy machine may take longer than that for any view.
      await expect.poll(answer).toMatchObject({ vm_status: { Error: '1091' } });
    } finally {
      await rpc.close();
    }
  });

  it('ends with its worker if it takes more memory than a worker has, and the next call gets a new one', async () => {
    await engine.publish(engine.accounts[0]!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]);
    const program = new URL('../../../dist/worker.js', import.meta.url).href;
    const workers = new Workers({ count: 1, program, waitingMax: 1, heapMbMax: 24, idleMsMax: 60_000 });
    const ask = (call: ReturnType<typeof greedy>): Promise<unknown> => {
      const values = [{ function: call.function_id, typeArguments: [], arguments: [] }, { stateRoot: undefined }];
      const task: WorkerTask = {
        method: VIEW,
        forms: 'interface',
        values,
        written: { head: '', charactersMax: 1_000_000 },
        findsCallStacks: false,
      };
      return workers.use({}, (thread) => readPinned(engine, (chain) => thread.ask(chain.basis, task)));
    };
    try {
      await expect(ask(greedy('grow'))).rejects.toMatchObject({ code: 'limit-exceeded' });
      await expect(ask(greedy('nowhere'))).resolves.toMatchObject({ kind: 'written' });
    } finally {
      await workers.close();
    }
  });

  it('is refused if its answer is too long, which then does not leave the worker', async () => {
    const [inline, threaded] = [{}, { workers: 1 }].map((one) =>
      createRpc(engine, { ...one, responseCharactersMax: 100 }),
    ) as [Rpc, Rpc];
    try {
      const error = { code: -32008, data: { code: 'limit-exceeded', expected: 'an answer of at most 100 characters' } };
      for (const rpc of [inline, threaded]) {
        expect(JSON.parse((await rpc.handle(text(VIEW, balance)))!)).toMatchObject({ id: 'ä', error });
      }
    } finally {
      await threaded.close();
    }
  });

  it('is not started for a client that is gone', async () => {
    let views = 0;
    const counted: RpcEngine = Object.assign(Object.create(null), {
      at: () => {
        views++;
        return engine.at();
      },
    });
    const rpc = createRpc(counted, { workers: 1 });
    let isGone = false;
    const first = rpc.handle(text(VIEW, balance), { connection: {} });
    const second = rpc.handle(text(VIEW, balance), { connection: {}, isGone: () => isGone });
    isGone = true;
    expect(JSON.parse((await first)!)).toHaveProperty('result');
    await second;
    expect(views).toBe(1);
    await rpc.close();
  });
});

describe('the option workers', () => {
  it.each([-1, 1.5, 65, '2', 'automatic'])('takes no %j threads', (workers) => {
    expect(() => createRpc(engine, { workers: workers as number })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('workers: expected') }),
    );
  });

  it('adds to the metrics how many calls run and wait', async () => {
    const rpc = createRpc(engine, { workers: 1 });
    const meter = rpc.measure();
    const calls = async (): Promise<unknown> =>
      Object.fromEntries(
        (await meter.metrics())
          .filter(({ name }) => name.startsWith('movelet_worker_'))
          .map(({ name, samples }) => [name, samples[0]!.value]),
      );
    const idle = {
      movelet_worker_waiting_calls: 0,
      movelet_worker_waiting_calls_limit: 512,
      movelet_worker_running_calls: 0,
      movelet_worker_running_calls_limit: 1,
    };
    expect(await calls()).toEqual(idle);
    const asked = [1, 2, 3].map(() => rpc.request(VIEW, [balance]));
    // The first one starts the thread, which takes longer than to ask for the metrics.
    expect(await calls()).toEqual({ ...idle, movelet_worker_waiting_calls: 2, movelet_worker_running_calls: 1 });
    await Promise.all(asked);
    expect(await calls()).toEqual(idle);
    const none = await own.measure().metrics();
    expect(none.filter(({ name }) => name.startsWith('movelet_worker_'))).toEqual([]);
    await rpc.close();
  });

  it('works from a path with spaces, and lets the process exit when only the engine was closed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'movelet workers #1 '));
    try {
      const root = fileURLToPath(new URL('../../..', import.meta.url));
      await cp(join(root, 'dist'), join(directory, 'dist'), { recursive: true });
      await cp(join(root, 'package.json'), join(directory, 'package.json'));
      await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
      const at = (door: string): string => JSON.stringify(pathToFileURL(join(directory, 'dist', door)).href);
      const script = `
        import { Engine } from ${at('index.js')};
        import { createRpc } from ${at('server/index.js')};
        const engine = await Engine.open();
        console.log(await createRpc(engine, { workers: 1 }).handle(process.argv[1]));
        await engine.close();
      `;
      const request = text(VIEW, { function_id: '0x3::chain_id::chain_id', ty_args: [], args: [] });
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script, request], {
        encoding: 'utf8',
      });
      expect({ stdout, stderr, status }).toEqual({ stdout: `${await own.handle(request)}\n`, stderr: '', status: 0 });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
