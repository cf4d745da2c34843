/**
 * What the engine reports besides its answers. The library prints nothing: it hands entries to the `log` option.
 * @module
 */
/** One thing that the engine reports. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Receives the engine's log entries. What it throws is dropped: there is no one else to tell. */
export type Log = (entry: LogEntry) => void;

export const SILENT_LOG: Log = () => {};

/** The log of a program, which the writer calls with commits in hand whose senders wait: whatever it throws stays here. */
export function harmlessLog(log: Log): Log {
  return (entry) => {
    try {
      const given: unknown = log(entry);
      if (given instanceof Promise) given.catch(() => undefined);
    } catch {
      // See `Log`.
    }
  };
}
