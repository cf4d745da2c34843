/** The signals that end a node: the first closes it, and the next one is left to the system, whichever it is. */
import { describe, expect, it } from 'vitest';
import { onEndSignal } from '../../src/cli/progress.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = (): number[] => SIGNALS.map((signal) => process.listenerCount(signal));

describe.each(SIGNALS)('%s', (signal) => {
  it('asks a node to close, and after it no signal is listened for', () => {
    const before = listeners();
    let closed = 0;
    onEndSignal(() => closed++);
    expect(listeners()).toEqual(before.map((count) => count + 1));
    process.emit(signal);
    expect([closed, listeners()]).toEqual([1, before]);
  });
});
