/**
 * A command of the command line.
 * @module
 */
import type { Completed, Option } from './arguments.ts';

export interface Command {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /** What it may be told, by name without dashes. */
  readonly options: Readonly<Record<string, Option>>;
  /** What its arguments are, for completion: paths, or words to choose from. */
  readonly completes?: Completed | undefined;
  /** Runs with what stands behind the name; gives the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}
