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
  /** Its options, by name without dashes. */
  readonly options: Readonly<Record<string, Option>>;
  /** How its arguments are completed: paths, or words to choose from. */
  readonly completes?: Completed | undefined;
  /** Runs with the arguments after its name; returns the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}
