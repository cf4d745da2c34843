/** Worker threads that fail, by programs made for it; the program of the package is tested by test/server/rpc/worker-threads.test.ts. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WORKER_YOUNG_MB_MAX, Workers, type WorkersOptions } from '../../../src/engine/workers/workers.ts';
import type { ViewBasis } from '../../../src/query/chain-view.ts';
import { begunThreads } from './begun-threads.ts';

/** Does what the task says. */
const OBEDIENT = `
  const { parentPort, resourceLimits, workerData, receiveMessageOnPort } = require('node:worker_threads');
  const { shared, rows } = workerData;
  const hold = [];
  const read = (key) => {
    Atomics.store(shared, 0, 0);
    rows.postMessage(Uint8Array.from(key));
    Atomics.wait(shared, 0, 0);
    return receiveMessageOnPort(rows).message;
  };
  parentPort.on('message', ({ task, head }) => {
    if (task === 'spin') for (;;);
    if (task === 'fill') for (;;) hold.push(new Array(1_000).fill({}));
    if (task === 'exit') process.exit(3);
    if (task === 'throw') throw new Error('broken on purpose');
    if (task === 'limits') return parentPort.postMessage(resourceLimits);
    parentPort.postMessage(task === 'head' ? head : Array.isArray(task) ? read(task) : task);
  });
`;

/** A path that a careless URL would not survive. */
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'movelet workers #1 '));
  await writeFile(join(directory, 'obedient.cjs'), OBEDIENT);
  await writeFile(join(directory, 'broken.cjs'), 'throw new Error("nothing works");');
});
afterAll(() => rm(directory, { recursive: true }));

function workers(options: Partial<WorkersOptions> = {}, program = 'obedient.cjs'): Workers {
  const url = pathToFileURL(join(directory, program)).href;
  const made = new Workers({ count: 1, program: url, waitingMax: 4, heapMbMax: 64, idleMsMax: 60_000, ...options });
  onTestFinished(() => made.close());
  return made;
}

const NO_ROWS: ViewBasis = {
  rows: { get: () => undefined },
  viewMsMax: 3_600_000,
  now: undefined,
  settings: {
    blocks: { network: 'regtest', checkParent: true, checkWork: false, headersOnly: false },
    verifySignatures: true,
    gasGift: false,
  },
};
const ask = (made: Workers, task: unknown, connection: object = {}, basis = NO_ROWS): Promise<unknown> =>
  made.use(connection, (thread) => thread.ask(basis, task));

describe('worker threads', () => {
  it('read rows of the moment at which they are asked, and get the errors of the store', async () => {
    const made = workers();
    const rows = {
      get: (key: Uint8Array) => {
        if (key.length > 2) throw new Error('no such row');
        return key.length === 2 ? Uint8Array.of(0, ...key).subarray(1) : undefined;
      },
    };
    expect(await ask(made, [1, 2], {}, { ...NO_ROWS, rows })).toEqual(Uint8Array.of(1, 2));
    expect(await ask(made, [1], {}, { ...NO_ROWS, rows })).toBeUndefined();
    expect(await ask(made, [1, 2, 3], {}, { ...NO_ROWS, rows })).toMatchObject({ code: 'invariant-violation' });
    expect(await ask(made, [1, 2])).toBeUndefined();
  });

  it.each([
    ['spin', { code: 'deadline-exceeded', message: expect.stringContaining('within 1 ms (viewMsMax)') }],
    ['fill', { code: 'limit-exceeded', message: expect.stringContaining('at most 64 MiB (WORKER_HEAP_MB_MAX)') }],
    ['exit', { code: 'invariant-violation', message: 'a worker thread failed: it ended' }],
    ['throw', { code: 'invariant-violation', message: 'a worker thread failed: broken on purpose' }],
  ])('are replaced if one ends: %s', async (task, error) => {
    const made = workers();
    const basis = task === 'spin' ? { ...NO_ROWS, viewMsMax: 1 } : NO_ROWS;
    const [failed, next] = await Promise.allSettled([ask(made, task, {}, basis), ask(made, 'hello')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: error });
    expect(next).toEqual({ status: 'fulfilled', value: 'hello' });
  });

  it('have the memory that they were given, and little of it for new objects', async () => {
    expect(await ask(workers(), 'limits')).toMatchObject({
      maxOldGenerationSizeMb: 64,
      maxYoungGenerationSizeMb: WORKER_YOUNG_MB_MAX,
    });
  });

  it('say why if none can start', async () => {
    const broken = workers({}, 'broken.cjs');
    for (let count = 0; count < 2; count++) {
      await expect(ask(broken, 'hello')).rejects.toMatchObject({ message: 'a worker thread failed: nothing works' });
    }
    expect(() => workers({}, 'missing.cjs')).toThrow(/expected the file of the worker threads at file:.*missing/);
    expect(() => workers({ program: undefined })).toThrow(expect.objectContaining({ code: 'not-supported' }));
  });

  it('refuse the last one of the longest line if too many wait', async () => {
    const made = workers({ waitingMax: 2 });
    const [alice, bob] = [{}, {}];
    const answers = await Promise.allSettled([
      ...['a1', 'a2', 'a3', 'a4'].map((task) => ask(made, task, alice)),
      ask(made, 'b1', bob),
    ]);
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))).toEqual([
      'a1',
      'a2',
      'limit-exceeded',
      'limit-exceeded',
      'b1',
    ]);
  });

  it('say how many calls run and wait', async () => {
    const made = workers({ waitingMax: 3, count: 2 });
    const idle = { waiting: 0, waitingMax: 3, running: 0, threadsMax: 2 };
    expect(made.usage).toEqual(idle);
    const asked = Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map((task) => ask(made, task)));
    await Promise.resolve();
    expect(made.usage).toEqual({ ...idle, waiting: 3, running: 2 });
    await asked;
    expect(made.usage).toEqual(idle);
  });

  it('end after a while without a call, and start again', async () => {
    const begun = begunThreads();
    const made = workers({ idleMsMax: 1 });
    for (let count = 0; count < 2; count++) {
      expect(await ask(made, 'hello')).toBe('hello');
      await once(begun[count]!, 'exit');
    }
    expect(begun).toHaveLength(2);
  });

  it('work side by side', async () => {
    const made = workers({ count: 2 });
    // The first would never end if the second waited for it.
    const spinning = ask(made, 'spin');
    const refused = expect(spinning).rejects.toMatchObject({ code: 'closed' });
    expect(await ask(made, 'hello')).toBe('hello');
    await made.close();
    await refused;
  });

  it('refuse calls that run, wait or arrive when they are closed', async () => {
    const made = workers();
    const asked = [ask(made, 'spin'), ask(made, 'hello')];
    const refused = Promise.all(asked.map((one) => expect(one).rejects.toMatchObject({ code: 'closed' })));
    await made.close();
    await refused;
    await expect(ask(made, 'hello')).rejects.toMatchObject({ code: 'closed' });
  });
});
