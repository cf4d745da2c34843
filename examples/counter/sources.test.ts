/** If a contract's sources are known, a failure gives the name of its code, the comment on it, and the source lines. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Account, addSources, Engine } from 'movelet';
import { compile } from 'movelet/compile';
import { createRpc } from 'movelet/rpc';
import { afterAll, expect, test } from 'vitest';

const engine = await Engine.open();
const [alice] = engine.accounts as [Account];
const bytes = await readFile(new URL('counter.mv', import.meta.url));
await engine.publish(alice.address, [bytes]);
afterAll(() => engine.close());

const add = (amount: bigint) => ({
  function: `${alice.address}::counter::add`,
  arguments: [`${alice.address}::counter::Counter`, amount],
});

test('a failure is explained from the sources', async () => {
  // The chain has the bytes of an earlier build. The package is compiled again and recognised by its bytes.
  const { modules } = await compile(fileURLToPath(new URL('.', import.meta.url)));
  addSources(modules);

  const { failure, order } = await engine.executeAs(alice.address, add(0n));
  expect(failure).toMatchObject({
    abortCode: 1n,
    abortName: 'ErrorNothingToAdd',
    abortMeaning: 'Adding nothing is a mistake.',
    source: 'sources/counter.move:27',
  });
  expect(failure?.callStack?.map(({ source }) => source)).toEqual(['sources/counter.move:27']);
  expect(String(engine.trace(order))).toContain('in counter::add, sources/counter.move:27, offset 10: Abort');

  const rpc = createRpc(engine, { dev: true });
  const trace = await rpc.request('dev_trace', [order]);
  expect(trace['failure']).toMatchObject({
    abort_meaning: 'Adding nothing is a mistake.',
    call_stack: [{ function: 'add', source: 'sources/counter.move:27' }],
  });
  await rpc.close();
});
