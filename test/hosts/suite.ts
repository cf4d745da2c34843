/** The counter's hundred tests under a runner that has workers: two files of fifty, each on forks of a chain of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';

const FILES = ['one', 'two'];

/**
 * @param imports what a test file needs to have `test` and `afterAll`
 * @param name of the file, for its report
 */
const suite = (imports: string, name: string): string => `
import { readFile, writeFile } from 'node:fs/promises';
import { DEV_ACCOUNTS } from 'movelet';
import { expectChain, PreparedChain } from 'movelet/testing';
${imports}
const [{ address: alice }, { address: bob }] = DEV_ACCOUNTS;
const code = new URL('node_modules/movelet/examples/counter/counter.mv', import.meta.url);
const chain = new PreparedChain({ prepare: async (engine) => engine.publish(alice, [await readFile(code)]) });
const roots = [];
afterAll(async () => {
  await chain.close();
  await writeFile(new URL('${name}.roots.json', import.meta.url), JSON.stringify(roots));
});
for (let index = 1; index <= 50; index++) {
  const amount = BigInt(index);
  test('adds ' + index, async () => {
    const own = await chain.fork();
    try {
      roots.push(own.engine.head.stateRoot.slice(2));
      const counter = alice + '::counter::Counter';
      const receipt = await own.engine.executeAs(bob, { function: alice + '::counter::add', arguments: [counter, amount] });
      expectChain(receipt).toEmit('Added', { value: amount });
    } finally {
      await own.close();
    }
  });
}
`;

/** Writes the tests into a project. */
export function writeSuite(place: Place, imports: string): void {
  for (const name of FILES) place.write(`${name}.test.mjs`, suite(imports, name));
}

/** @throws {Error} if not all of the tests ran, or two began with different states */
export function checkSuite(place: Place): void {
  const roots = FILES.flatMap(
    (name) => JSON.parse(readFileSync(join(place.folder, `${name}.roots.json`), 'utf8')) as string[],
  );
  const different = new Set(roots).size;
  if (roots.length !== 100 || different !== 1) {
    throw new Error(`expected 100 tests from one state, got ${roots.length} from ${different}`);
  }
}
