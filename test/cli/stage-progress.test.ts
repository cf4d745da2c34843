import { describe, expect, it } from 'vitest';
import { StageProgress } from '../../src/cli/progress.ts';
import { Engine } from '../../src/index.ts';
import { type VerifyProgress, verifyStore } from '../../src/query/verify/verify.ts';
import { MemoryStore } from '../../src/store/index.ts';

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

describe('the progress of long work', () => {
  it('is a line with rate and remaining time on a terminal', () => {
    const text = written(true, (progress, at) => {
      progress.show({ name: 'rows', done: 0, total: 400 });
      at(1_000);
      progress.show({ name: 'rows', done: 100, total: 400 });
      at(1_100);
      progress.show({ name: 'rows', done: 110, total: 400 });
      at(2_000);
      progress.show({ name: 'objects', done: 50, total: undefined });
      at(4_000);
      progress.show({ name: 'objects', done: 70, total: undefined });
      progress.end();
    });
    expect(text.split('\r\u001b[2K').slice(1)).toEqual([
      `[${'#'.repeat(8)}${'-'.repeat(22)}] 100/400 rows, 100/s, 3 s left`,
      '50 objects',
      '70 objects, 10/s',
      '',
    ]);
  });

  it('counts bytes in megabytes, long times in minutes and hours, and has room for a note', () => {
    const text = written(true, (progress, at) => {
      progress.show({ name: 'bytes', done: 0, total: 3_000_000_000 });
      at(10_000);
      progress.show({ name: 'bytes', done: 15_000_000, total: 3_000_000_000 });
      at(20_000);
      progress.show({ name: 'blocks', done: 0, total: 50_000 });
      at(30_000);
      progress.show({ name: 'blocks', done: 20, total: 50_000, note: 'height 840020' });
    });
    expect(text.split('\r\u001b[2K').slice(1)).toEqual([
      `[${'-'.repeat(30)}] 15.0/3000.0 MB, 1.5/s, 33 min left`,
      `[${'-'.repeat(30)}] 0/50000 blocks`,
      `[${'-'.repeat(30)}] 20/50000 blocks, 2/s, 6 h 57 min left, height 840020`,
    ]);
  });

  it('leaves earlier work out of the rate', () => {
    const text = written(true, (progress, at) => {
      progress.show({ name: 'rows', done: 1_000, total: 2_000 });
      at(10_000);
      progress.show({ name: 'rows', done: 1_100, total: 2_000 });
    });
    expect(text).toContain('1100/2000 rows, 10/s, 90 s left');
  });

  it('prints nothing without a terminal', () => {
    const text = written(false, (progress, at) => {
      for (let time = 0; time < 60_000; time += 500) {
        at(time);
        progress.show({ name: 'rows', done: time, total: 60_000 });
      }
      progress.end();
    });
    expect(text).toBe('');
  });

  it('is reported by a verification, stage by stage, up to the total', async () => {
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
