/** The queue in front of the writer: what is ended. What passes what: writer.test.ts. */
import { expect, it } from 'vitest';
import { type WaitingAction, WaitingQueue, type WaitingTurn } from '../../src/pipeline/waiting-queue.ts';

/** What those that wait were told. */
let told: string[] = [];

function turn(name: string, isBegun: boolean): WaitingTurn & { name: string } {
  const end = (error: unknown): void => void told.push(`${name} ended: ${error}`);
  return { kind: 'turn', name, step: undefined, isBegun, turn: { next: () => undefined, committed: () => {}, end } };
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

it('entries that have not begun are ended, and the rest stay in order', () => {
  const begun = turn('a', true);
  const queue = queueOf(begun, turn('b', false), action('revert'), turn('c', false));
  expect(queue.endUnbegun('silence')).toEqual([begun.turn]);
  expect(told).toEqual(['b ended: silence', 'c ended: silence']);
  expect(names(queue)).toEqual(['a', 'revert']);
});

it('if the writer ends, turns and callers of actions are told why', () => {
  const queue = queueOf(turn('a', true), action('revert'), turn('b', false));
  queue.endAll('gone');
  expect(told).toEqual(['a ended: gone', 'revert rejected: gone', 'b ended: gone']);
  expect(queue.length).toBe(0);
});
