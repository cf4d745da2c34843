/**
 * The signals that end a node. The first one asks it to close; whichever comes next finds no listener and ends the
 * process at once, which loses nothing that was acknowledged.
 * @module
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `close` at the first of the signals. */
export function onEndSignal(close: () => void): void {
  const end = (): void => {
    for (const signal of SIGNALS) process.off(signal, end);
    close();
  };
  for (const signal of SIGNALS) process.on(signal, end);
}
