/**
 * A command of the `rooch` program as a row of a table.
 * @module
 */
import { type Arguments, type Options, UsageError } from '../arguments.ts';
import type { RoochSession } from './session.ts';

/** What a command answers. */
export interface CommandAnswer {
  /** JSON text; undefined if there is none. */
  readonly json?: string | undefined;
  /** What is printed unless `--json` is given; without it, the JSON. */
  readonly text?: string | undefined;
}

/** Where a running command writes, and when it should end. */
export interface CommandHost {
  write(text: string): void;
  /** Resolves when the command should end: a server runs until then. */
  untilEnd(): Promise<void>;
}

/** A command: its words, flags, and what it does. */
export interface RoochCommand {
  /** As it is typed, without `rooch`: `move publish`. */
  readonly name: string;
  readonly summary: string;
  /** Its arguments beside options, for the help. */
  readonly usage?: string;
  readonly options?: Options;
  /** The largest number of arguments beside options. Default: `min`. */
  readonly max?: number;
  /** The least number of them. Default: 0. */
  readonly min?: number;
  readonly run: (session: RoochSession, args: Arguments, host: CommandHost) => Promise<CommandAnswer>;
}

export const jsonAnswer = (value: unknown, text?: string): CommandAnswer => ({ json: JSON.stringify(value), text });

/** A command that prints what a node answers. @param params the method, and its parameters */
export const asking =
  (params: (session: RoochSession, args: Arguments) => readonly [method: string, ...params: unknown[]]) =>
  async (session: RoochSession, args: Arguments): Promise<CommandAnswer> => ({
    json: await session.ask(...params(session, args)),
  });

/** @throws {UsageError} without it */
export function requiredOption(args: Arguments, name: string): string {
  const value = args.string(name);
  if (value === undefined) throw new UsageError(`--${name}: expected a value, got none`);
  return value;
}
