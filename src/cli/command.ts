/**
 * A command of the command line.
 * @module
 */
export interface Command {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /** Runs with what stands behind the name; gives the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}
