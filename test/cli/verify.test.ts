/** `movelet verify --repair`: what it writes, and what it leaves to people. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { verifyCommand } from '../../src/cli/verify.ts';
import { Engine } from '../../src/index.ts';
import { COLUMN } from '../../src/store/column.ts';
import { type Operation, openDirectory, type Row } from '../../src/store/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ran } from './ran.ts';

const directory = temporaryDirectories();
const data = directory();
const engine = await Engine.open({ store: data });
await engine.dev.mint('0x77', 1n);
await engine.close();

async function verify(...args: string[]): Promise<{ readonly code: number; readonly lines: string[] }> {
  const { code, out } = await ran(verifyCommand, ...args);
  return { code, lines: out.trimEnd().split('\n') };
}

/** Damages the first row of a column, or puts another one into it that belongs to nothing; gives what was there. */
async function damage(column: keyof typeof COLUMN, edit: (row: Row) => Operation): Promise<Row> {
  const store = await openDirectory(data);
  const [row] = await store.range({ gte: Uint8Array.of(COLUMN[column]), limit: 1 });
  await store.batch([edit(row!)]);
  await store.close();
  return row!;
}

describe('movelet verify', () => {
  it('repairs what follows from other rows, when it is asked to', async () => {
    await damage('objectByType', ({ key, value }) => ({ type: 'put', key: key.with(-5, 7), value }));
    const problem = /^the objectByType row 53[0-9a-f]+ belongs to nothing$/;
    const told = await verify(data);
    expect(told).toEqual({ code: 1, lines: [expect.stringMatching(/: 1 problems$/), expect.stringMatching(problem)] });
    expect(await verify(data, '--repair')).toEqual({
      code: 0,
      lines: [...told.lines, 'repaired: 1 rows; verified anew:', expect.stringMatching(/: sound$/)],
    });
    expect(await verify(data, '--repair')).toEqual({ code: 0, lines: [expect.stringMatching(/: sound$/)] });
  });

  it('changes nothing if that would not repair everything', async () => {
    await damage('objectByType', ({ key, value }) => ({ type: 'put', key: key.with(-5, 7), value }));
    const lost = await damage('event', ({ key }) => ({ type: 'delete', key }));
    const told = await verify(data);
    const { code, lines } = await verify(data, '--repair');
    expect([code, lines.slice(0, -1)]).toEqual([1, told.lines]);
    expect(lines.at(-1)).toMatch(/^not repaired: not all of it follows from other rows; restore the directory from /);
    expect(await verify(data)).toEqual(told);
    await damage('event', () => ({ type: 'put', ...lost }));
    expect((await verify(data, '--repair')).code).toBe(0);
  });

  it('takes the directory as other commands do', async () => {
    expect(await verify('--data', data)).toEqual(await verify(data));
    await expect(verifyCommand.run([data, '--data', data])).rejects.toThrow('expected DIR or --data DIR, got both');
    await expect(verifyCommand.run([])).rejects.toThrow('expected DIR or --data DIR, got none');
  });

  it('takes no other options', async () => {
    await expect(verifyCommand.run([data, '--mend'])).rejects.toThrow(UsageError);
  });
});
