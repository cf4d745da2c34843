/** What a process that is killed says on its output. */
import { readSync, writeSync } from 'node:fs';

export const tell = (...words: readonly unknown[]): number => writeSync(1, `${words.join(' ')}\n`);

/** Says that it is ready, and goes on once there is something to read; ends if nothing comes. */
export function untilAsked(): void {
  tell('ready');
  if (readSync(0, new Uint8Array(1)) === 0) process.exit();
}
