import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LiveThread, lifeOf, thisThread } from '../../src/store/directory-owner.ts';

describe('the life of a thread', () => {
  const own = thisThread();
  const ended = spawnSync(process.execPath, ['-e', '']).pid;

  it('is its own, and not that of another start or another thread with its number', () => {
    expect(lifeOf(own, own)).toBe('alive');
    expect(lifeOf(thisThread(), own)).toBe('alive');
    expect(lifeOf({ ...own, started: own.started - 60_000 }, own)).toBe('ended');
    expect(lifeOf({ ...own, place: 'elsewhere' }, own)).toBe('unknown');
    expect(lifeOf({ ...own, pid: ended, tid: ended }, own)).toBe('ended');
  });

  it.skipIf(own.tid === 0)(
    `is over once its process shows no such thread, if that shows its threads${own.tid === 0 ? ' (skipped: there is no /proc)' : ''}`,
    () => {
      // Linux numbers no thread so high.
      const tid = 2 ** 22 + 1;
      expect(lifeOf({ ...own, tid }, own)).toBe('ended');
      expect(lifeOf({ ...own, pid: process.ppid, tid }, own)).toBe('unknown');
    },
  );

  it.skipIf(own.tid === 0)(
    `is over once its process has been killed, even if its parent never takes note of that${own.tid === 0 ? ' (skipped: there is no /proc)' : ''}`,
    async () => {
      // The shell becomes a program that waits for no child.
      const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
      onTestFinished(() => void parent.kill('SIGKILL'));
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(String(line));
      const fields = (): string[] => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      const child: LiveThread = { ...own, pid, tid: pid, started: Number(fields()[19]) };
      expect(lifeOf(child, own)).toBe('alive');
      // As long as it is the shell, it may take note.
      while (!readFileSync(`/proc/${parent.pid}/stat`, 'latin1').includes('(sleep)')) await pause(1);
      process.kill(pid, 'SIGKILL');
      while (fields()[0] !== 'Z') await pause(1);
      expect(lifeOf(child, own)).toBe('ended');
    },
  );

  it('is judged by the process where the system says nothing about threads', () => {
    const process_: LiveThread = { pid: process.pid, tid: 0, started: 1_700_000_000_000, place: 'host' };
    expect(lifeOf({ ...process_, started: process_.started + 900 }, process_)).toBe('alive');
    expect(lifeOf({ ...process_, started: process_.started - 4_999 }, process_)).toBe('alive');
    expect(lifeOf({ ...process_, started: process_.started + 5_000 }, process_)).toBe('ended');
    expect(lifeOf({ ...process_, started: process_.started - 60_000 }, process_)).toBe('ended');
    expect(lifeOf({ ...process_, pid: ended }, process_)).toBe('ended');
    // Another process with that number runs; whether it is the same cannot be told.
    expect(lifeOf({ ...process_, pid: process.ppid }, process_)).toBe('unknown');
  });
});
