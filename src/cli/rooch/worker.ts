/**
 * The program of the thread on which `rooch` commands run for a TestBox, and on which its nodes live.
 * @module
 */
import { parentPort } from 'node:worker_threads';
import { EngineError, messageOf } from '../../base/error.ts';
import { UsageError } from '../arguments.ts';
import { runRooch } from './program.ts';
import type { Ask, CommandFailure, Told } from './thread.ts';

parentPort!.on('message', async ({ words, place, port, wake }: Ask) => {
  const tell = (told: Told): void => {
    port.postMessage(told);
    Atomics.store(wake, 0, 1);
    Atomics.notify(wake, 0);
  };
  // The only message that the caller sends: the command should end.
  const untilEnd = (): Promise<void> => new Promise((resolve) => port.once('message', () => resolve()));
  try {
    const output = await runRooch(words, place, { write: (text) => tell({ kind: 'output', text }), untilEnd });
    tell({ kind: 'ended', output, failure: undefined });
  } catch (error) {
    tell({ kind: 'ended', output: '', failure: failureOf(error) });
  }
  port.close();
});

function failureOf(error: unknown): CommandFailure {
  const message = messageOf(error);
  if (error instanceof EngineError) return { code: error.code, message };
  return { code: error instanceof UsageError ? 'invalid-argument' : 'invariant-violation', message };
}
