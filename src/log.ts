/**
 * What the engine has to say beside its answers. The library prints nothing: it hands entries to the `log` option.
 * @module
 */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Log = (entry: LogEntry) => void;

export const SILENT_LOG: Log = () => {};
