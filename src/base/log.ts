/**
 * Log entries. The library prints nothing: it passes entries to the `log` option.
 * @module
 */
/** A log entry. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Receives the engine's log entries. Its errors are ignored. */
export type Log = (entry: LogEntry) => void;

export const SILENT_LOG: Log = () => {};

/** A program's log without its errors: the writer calls it in the middle of commits. */
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
