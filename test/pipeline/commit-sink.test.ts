/** A sink that does not answer: who is refused, who stops waiting, and when the outage ends. */
import { expect, it } from 'vitest';
import { EngineError } from '../../src/base/error.ts';
import { type CommitSink, SinkKeeper } from '../../src/pipeline/commit-sink.ts';
import { single, type Turn } from '../../src/pipeline/turn.ts';
import { WaitingQueue } from '../../src/pipeline/waiting-queue.ts';

/** A sink that is silent until it is told what became of the commits. */
class SilentSink implements CommitSink {
  onOutage: (error: EngineError) => void = () => {};
  answer: () => void = () => {};
  fail: (error: EngineError) => void = () => {};

  append(_commits: readonly never[], onOutage: (error: EngineError) => void): Promise<void> {
    this.onOutage = onOutage;
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
  }
}

const codeOf = (error: unknown): unknown => (error as EngineError).code;

function turnOf(name: string, told: unknown[][]): Turn {
  return {
    next: () => undefined,
    committed: () => {},
    doubted: (error) => told.push([name, 'doubted', codeOf(error)]),
    end: (error) => told.push([name, 'ended', codeOf(error)]),
  };
}

const SILENCE = new EngineError('log-failed', 'no answer for a minute');

it('refuses what has not begun and releases the waiting callers of the rest, each once', async () => {
  const told: unknown[][] = [];
  const sink = new SilentSink();
  const queue = new WaitingQueue();
  const keeper = new SinkKeeper(sink, queue);
  const [made, long, waiting] = ['made', 'long', 'waiting'].map((name) => turnOf(name, told)) as [Turn, Turn, Turn];
  queue.add({ kind: 'turn', turn: long, step: undefined, isBegun: true });
  queue.add({ kind: 'turn', turn: waiting, step: undefined, isBegun: false });
  const kept = keeper.keep([], () => [made, long]);
  expect([keeper.outage, told]).toEqual([undefined, []]);
  sink.onOutage(SILENCE);
  expect(keeper.outage).toMatchObject({ code: 'log-failed', cause: SILENCE });
  expect(told).toEqual([
    ['waiting', 'ended', 'log-failed'],
    ['made', 'doubted', 'log-unknown'],
    ['long', 'doubted', 'log-unknown'],
  ]);
  expect(queue.length).toBe(1);
  sink.answer();
  await kept;
  expect(keeper.outage).toBeUndefined();
});

it('is also over when the sink says that it failed', async () => {
  const sink = new SilentSink();
  const keeper = new SinkKeeper(sink, new WaitingQueue());
  const kept = keeper.keep([], () => []);
  sink.onOutage(SILENCE);
  sink.fail(SILENCE);
  await expect(kept).rejects.toBe(SILENCE);
  expect(keeper.outage).toBeUndefined();
});

it('leaves no sender of a single input waiting', async () => {
  const { turn, commit } = single({ kind: 'l1-block', height: 0n, bytes: new Uint8Array(0) });
  turn.doubted!(SILENCE);
  await expect(commit).rejects.toBe(SILENCE);
});
