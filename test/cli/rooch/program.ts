/**
 * The `rooch` program in a test: a configuration and a node of its own, and its commands.
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRooch } from '../../../src/cli/rooch/program.ts';

const QUIET = { write: () => {}, untilEnd: async () => {} };

export class Program {
  readonly directory: string;
  readonly #cwd: string;
  readonly #end: () => void;
  readonly #server: Promise<string>;

  private constructor(directory: string, cwd: string, end: () => void, server: Promise<string>) {
    this.directory = directory;
    this.#cwd = cwd;
    this.#end = end;
    this.#server = server;
  }

  /** @param cwd what paths are relative to */
  static async start(cwd: string = process.cwd()): Promise<Program> {
    const directory = mkdtempSync(join(tmpdir(), 'movelet-rooch-'));
    const place = { cwd, env: { ROOCH_CONFIG_DIR: directory } };
    await runRooch(['init', '--skip-password'], place, QUIET);
    let end = (): void => {};
    let server: Promise<string>;
    const port = await new Promise<string>((resolve, reject) => {
      const host = {
        write: (text: string) => resolve(/:(\d+)/.exec(text)![1]!),
        untilEnd: () =>
          new Promise<void>((ended) => {
            end = ended;
          }),
      };
      server = runRooch(['server', 'start', '-n', 'local', '-d', 'TMP', '--port', '0'], place, host);
      server.catch(reject);
    });
    const program = new Program(directory, cwd, () => end(), server!);
    await program.run(['env', 'add', '--alias', 'local', '--rpc', `http://127.0.0.1:${port}`]);
    return program;
  }

  /** What a command prints. */
  run(words: readonly string[]): Promise<string> {
    return runRooch(words, { cwd: this.#cwd, env: { ROOCH_CONFIG_DIR: this.directory } }, QUIET);
  }

  async json<T = Record<string, unknown>>(...words: readonly string[]): Promise<T> {
    return JSON.parse(await this.run(words)) as T;
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#server;
    rmSync(this.directory, { recursive: true });
  }
}
