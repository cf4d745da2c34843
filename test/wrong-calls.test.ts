/**
 * No silent wrong answers: every public function refuses what it cannot take, by an error that names the argument, what
 * was expected and what came. None answers with an empty page, `undefined`, a TypeError or an internal error.
 *
 * The functions are listed by the compiler from the declarations of the package, so a new one without a row fails here.
 */
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Level } from 'level';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegtestChain } from '../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine, EngineError } from '../src/index.ts';
import { type DirectoryLog, openDirectoryLog } from '../src/log/index.ts';
import { RpcError } from '../src/server/index.ts';
import { type Database, MemoryStore, MirrorStore, openDirectory, type Store } from '../src/store/index.ts';
import { type PublicCallable, publicSurface } from './public-surface.ts';
import { temporaryDirectories } from './store/temporary.ts';
import type { Table, WrongCall } from './wrong-calls/attempts.ts';
import { WITHOUT_ROW, wrongCalls } from './wrong-calls/table.ts';

const directory = temporaryDirectories()();
let engine: Engine;
let stores: Store[];
let log: DirectoryLog;
let table: Table;
let callables: readonly PublicCallable[];

beforeAll(async () => {
  engine = await Engine.open();
  const chain = new RegtestChain();
  chain.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  const level = await openDirectory(join(directory, 'level'));
  const pieces = await openDirectory(join(directory, 'pieces'));
  const database = new Level(join(directory, 'mirror'), { keyEncoding: 'view', valueEncoding: 'view' });
  const mirror = await MirrorStore.over(database as Database);
  stores = [level, pieces, mirror];
  log = await openDirectoryLog(join(directory, 'log'));
  const batches = [new MemoryStore().begin(), pieces.begin()];
  table = wrongCalls({ engine, chain, batches, level, mirror, log, directory: join(directory, 'never') });
  ({ callables } = await publicSurface());
});

afterAll(async () => {
  for (const store of stores) await store.close();
  await log.close();
  await engine.close();
});

/** What is wrong with the answer to a call; undefined when it was refused as it should be. */
async function faultOf({ name, given, call }: WrongCall): Promise<string | undefined> {
  const shown = `${name} ${inspect(given, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, 80)}`;
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    const isOurs = error instanceof EngineError || error instanceof RpcError;
    const { code, message } = error as EngineError;
    const isTold = isOurs && code !== 'invariant-violation' && message.startsWith(name) && message.includes('expected');
    if (!isTold) return `${shown}: ${String(error)}`;
    const [first] = /(?<=\n\s+at ).*/.exec((error as EngineError).stack ?? '') ?? [];
    return first?.includes('/test/wrong-calls') === true ? undefined : `${shown}: its stack begins at ${first}`;
  }
  return `${shown}: answered ${inspect(answer, { depth: 0 }).slice(0, 80)}`;
}

describe('a wrong call', () => {
  it('is tried on every function of the package, and on no other', () => {
    const rows = [...Object.keys(table), ...Object.keys(WITHOUT_ROW)];
    const isInherited = (name: string): boolean => rows.includes(name.replace(/^Engine#/, 'ChainView#'));
    const names = callables.map(({ name }) => name).filter((name) => rows.includes(name) || !isInherited(name));
    expect(
      names.filter((name) => !rows.includes(name)),
      'functions that have no row in test/wrong-calls',
    ).toEqual([]);
    expect(
      rows.filter((name) => !names.includes(name)),
      'rows of test/wrong-calls for no function',
    ).toEqual([]);
  });

  it('has several kinds in every row', () => {
    for (const [name, calls] of Object.entries(table)) expect(calls.length, name).toBeGreaterThan(1);
  });

  it('is refused by an error that names the argument and what was expected', async () => {
    const faults: string[] = [];
    for (const [name, calls] of Object.entries(table)) {
      for (const call of calls) {
        const fault = await faultOf(call);
        if (fault !== undefined) faults.push(`${name}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('of an unknown method says where the methods are listed', async () => {
    const { createRpc } = await import('../src/server/index.ts');
    await expect(createRpc(engine).request('chain_nothing' as never)).rejects.toThrow(/chain_nothing.*rpc\.discover/);
  });
});
