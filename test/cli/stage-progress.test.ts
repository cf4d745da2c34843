import { describe, expect, it } from 'vitest';
import { StageProgress } from '../../src/cli/stage-progress.ts';
import { Engine } from '../../src/engine.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { type VerifyProgress, verifyStore } from '../../src/verify/verify.ts';

/** What is written while `play` reports, with a clock that it sets. */
function written(isTTY: boolean, play: (progress: StageProgress, at: (milliseconds: number) => void) => void): string {
  let text = '';
  let time = 5_000;
  const progress = new StageProgress({ isTTY, write: (part) => (text += part) }, () => time);
  play(progress, (milliseconds) => {
    time = 5_000 + milliseconds;
  });
  return text;
}

describe('the progress of a long check', () => {
  it('is a bar with rate and remaining time on a terminal', () => {
    const text = written(true, (progress, at) => {
      progress.show({ name: 'rows', done: 0, total: 400 });
      at(1_000);
      progress.show({ name: 'rows', done: 100, total: 400 });
      at(1_100);
      progress.show({ name: 'rows', done: 110, total: 400 });
      at(2_000);
      progress.show({ name: 'objects', done: 50, total: undefined });
      at(4_000);
      progress.show({ name: 'objects', done: 60, total: undefined });
      progress.end();
    });
    expect(text.split('\r\u001b[2K').slice(1)).toEqual([
      `[${'#'.repeat(8)}${'-'.repeat(22)}] 100/400 rows, 100/s, 3 s left`,
      '50 objects',
      '60 objects, 30/s',
      '',
    ]);
  });

  it('is a line now and then elsewhere, and nothing where it is short', () => {
    const play =
      (end: number) =>
      (progress: StageProgress, at: (milliseconds: number) => void): void => {
        for (let time = 0; time <= end; time += 500) {
          at(time);
          progress.show({ name: 'rows', done: time / 100, total: 1000 });
        }
        progress.end();
      };
    expect(written(false, play(9_500))).toBe('');
    expect(written(false, play(21_000))).toBe('100/1000 rows, 10/s, 90 s left\n200/1000 rows, 10/s, 80 s left\n');
  });

  it('is told by a verification, stage by stage, up to the total', async () => {
    const store = new MemoryStore();
    const engine = await Engine.open({ store });
    const seen: VerifyProgress[] = [];
    await verifyStore(store.view(), { onProgress: (progress) => seen.push(progress) });
    await engine.close();
    const names = seen.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(['transactions', 'rows', 'objects and fields']);
    expect(seen[0]).toEqual({ name: 'transactions', done: 1, total: 1 });
    const rows = seen.filter(({ name }) => name === 'rows');
    const last = rows.at(-1)!;
    expect(last.total! - last.done).toBeLessThan(256);
    expect(last.done).toBeLessThanOrEqual(last.total!);
  });
});
