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

/** Receives the engine's log entries. It must not throw. */
export type Log = (entry: LogEntry) => void;

export const SILENT_LOG: Log = () => {};
