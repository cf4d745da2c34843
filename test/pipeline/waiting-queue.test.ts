/** The queue in front of the writer: what passes what, and what is ended. */
import { describe, expect, it } from 'vitest';
import { type WaitingAction, WaitingQueue, type WaitingTurn } from '../../src/pipeline/waiting-queue.ts';

/** What those that wait were told. */
let told: string[] = [];

interface TurnSettings {
  readonly isBegun?: boolean;
  readonly lane?: string;
}

function turn(name: string, { isBegun = true, lane }: TurnSettings = {}): WaitingTurn & { name: string } {
  return {
    kind: 'turn',
    name,
    step: undefined,
    isBegun,
    turn: {
      ...(lane === undefined ? {} : { lane }),
      next: () => undefined,
      committed: () => {},
      end: (error) => told.push(`${name} ended: ${error}`),
    },
  };
}

function action(name: string): WaitingAction & { name: string } {
  const run = (): never => {
    throw new Error('nobody runs it here');
  };
  const reject = (error: unknown): void => void told.push(`${name} rejected: ${error}`);
  return { kind: 'action', name, run, resolve: () => told.push(`${name} resolved`), reject };
}

function queueOf(...waiting: readonly ((WaitingTurn | WaitingAction) & { name: string })[]): WaitingQueue {
  told = [];
  const queue = new WaitingQueue();
  for (const each of waiting) queue.add(each);
  return queue;
}

/** Takes everything out, in order. */
function names(queue: WaitingQueue): string[] {
  const found: string[] = [];
  for (let first = queue.first; first !== undefined; first = queue.first) {
    found.push((first as { readonly name?: string }).name!);
    queue.removeFirst();
  }
  return found;
}

describe('a turn that has begun', () => {
  it('goes behind all others', () => {
    const queue = queueOf(turn('a'), turn('b'), turn('c'));
    queue.rotate();
    expect(queue.length).toBe(3);
    expect(names(queue)).toEqual(['b', 'c', 'a']);
  });

  it('does not pass an action', () => {
    const queue = queueOf(turn('a'), turn('b'), action('revert'), turn('c'));
    queue.rotate();
    expect(names(queue)).toEqual(['b', 'a', 'revert', 'c']);
  });

  it('does not pass a turn of its lane, but those of others', () => {
    const queue = queueOf(turn('a', { lane: 'x' }), turn('b', { lane: 'y' }), turn('c', { lane: 'x' }), turn('d'));
    queue.rotate();
    expect(names(queue)).toEqual(['b', 'a', 'c', 'd']);
  });
});

describe('what waits first keeps its place', () => {
  it.each([
    ['a turn that has not begun', turn('first', { isBegun: false })],
    ['an action', action('first')],
  ])('%s', (_what, first) => {
    const queue = queueOf(first, turn('b'));
    queue.rotate();
    expect(names(queue)).toEqual(['first', 'b']);
  });

  it('nothing at all', () => {
    const queue = queueOf();
    queue.rotate();
    expect([queue.length, queue.first]).toEqual([0, undefined]);
    queue.removeFirst();
    const late = turn('late');
    queue.add(late);
    expect([queue.length, queue.first]).toEqual([1, late]);
  });
});

describe('ending', () => {
  it('only what has not begun leaves the rest in order', () => {
    const begun = turn('a');
    const queue = queueOf(begun, turn('b', { isBegun: false }), action('revert'), turn('c', { isBegun: false }));
    expect(queue.endUnbegun('silence')).toEqual([begun.turn]);
    expect(told).toEqual(['b ended: silence', 'c ended: silence']);
    expect(names(queue)).toEqual(['a', 'revert']);
  });

  it('everything tells turns and callers of actions why', () => {
    const queue = queueOf(turn('a'), action('revert'), turn('b', { isBegun: false }));
    queue.endAll('gone');
    expect(told).toEqual(['a ended: gone', 'revert rejected: gone', 'b ended: gone']);
    expect(queue.length).toBe(0);
  });
});
