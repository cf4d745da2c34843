/** `movelet prune`: what it removes, what it says, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { pruneCommand } from '../../src/cli/prune.ts';
import { Engine } from '../../src/index.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { openDirectory } from '../../src/store/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ran } from './ran.ts';

const directory = temporaryDirectories();
const data = directory();
const engine = await Engine.open({ store: data });
for (let time = 0; time < 6; time++) await engine.dev.mint('0x77', 1n);
await engine.close();

/** What the command writes to its output. */
async function prune(...args: string[]): Promise<string> {
  const { code, out } = await ran(pruneCommand, ...args);
  expect(code).toBe(0);
  return out;
}

describe('movelet prune', () => {
  it('says what is kept, removes nothing without a bound, and uses the bound that the directory remembers', async () => {
    expect(await prune(data)).toBe('states are readable from order 0 to 6; new ones are all kept\n');
    expect(await prune(data, '--history', '2')).toBe(
      'states are readable from order 4 to 6; at least the last 2 are kept\n',
    );
    expect(await prune(data)).toContain('from order 4 to 6');
    expect(await prune(data, '--history', 'all')).toContain('from order 4 to 6; new ones are all kept');
    const store = await openDirectory(data);
    expect((await verifyStore(store)).problems).toEqual([]);
    await store.close();
  });

  it('refuses an invalid bound, and a directory without a chain', async () => {
    await expect(pruneCommand.run([data, '--history', '0'])).rejects.toThrow(UsageError);
    await expect(pruneCommand.run([data, '--history', 'some'])).rejects.toThrow(
      '--history: expected all or a whole number of at least 1, got some',
    );
    await expect(pruneCommand.run([directory()])).rejects.toMatchObject({ code: 'not-found' });
  });
});
