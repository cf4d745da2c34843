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

/** Takes what the engine has to say. It must not throw. */
export type Log = (entry: LogEntry) => void;

export const SILENT_LOG: Log = () => {};
