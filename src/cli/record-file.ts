/**
 * `--record FILE`: what is done to the chain of a command, written to a file as it goes.
 * @module
 */
import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Engine } from '../engine.ts';
import { EngineError } from '../error.ts';
import { type Arguments, type Option, UsageError } from './arguments.ts';

export const RECORD_OPTIONS: Readonly<Record<string, Option>> = { record: { type: 'string', completes: 'file' } };

export const RECORD_HELP = `  --record FILE           write what is done to the chain to FILE as it goes, for movelet replay; forks are not in it
`;

/** The file of `--record`, open. It is there before anything listens, so that nobody waits for what is refused. */
export class RecordFile {
  readonly #name: string;
  readonly #file: number;

  private constructor(name: string, file: number) {
    this.#name = name;
    this.#file = file;
  }

  /**
   * The file that the arguments ask for; undefined where they ask for none.
   * @throws {UsageError} for a file that exists. {EngineError} `store-failed` for one that cannot be written.
   */
  static open(args: Arguments): RecordFile | undefined {
    const name = args.string('record');
    if (name === undefined) return undefined;
    try {
      return new RecordFile(name, openSync(name, 'wx'));
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new UsageError(`--record: ${name} exists; give another name`);
      throw new EngineError('store-failed', `--record: ${message}`, { cause });
    }
  }

  /** Begins to record. A piece is with the operating system when whoever sent the transaction is told. */
  take(engine: Engine): void {
    engine.record({ write: (piece) => writeFileSync(this.#file, piece) });
  }

  /** Once the engine is closed. Where no chain was opened, no file is left. */
  close(): void {
    const { size } = fstatSync(this.#file);
    closeSync(this.#file);
    if (size === 0) rmSync(this.#name, { force: true });
  }
}
