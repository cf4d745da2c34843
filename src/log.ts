/**
 * What the engine has to say beside its answers. The library prints nothing: it hands entries to the `log` option.
 * @module
 */
/** One thing that the engine has to say. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Takes what the engine has to say. What it throws is told to nobody: there is nobody else to tell. */
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
