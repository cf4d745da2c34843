/**
 * `--record FILE`: everything done to a command's chain, written to a file as it happens.
 * @module
 */
import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { EngineError } from '../base/error.ts';
import type { Engine } from '../engine/engine.ts';
import { type Arguments, type Option, UsageError } from './arguments.ts';

export const RECORD_OPTIONS: Readonly<Record<string, Option>> = { record: { type: 'string', completes: 'file' } };

export const RECORD_HELP = `  --record FILE           write what is done to the chain to FILE as it goes, for movelet replay; forks are not in it
`;

/** The open file of `--record`. It is created before anything listens, so that a bad name is refused at once. */
export class RecordFile {
  readonly #name: string;
  readonly #file: number;

  private constructor(name: string, file: number) {
    this.#name = name;
    this.#file = file;
  }

  /**
   * The file that the arguments ask for; undefined if they ask for none.
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

  /** Starts recording. Each piece is with the operating system before the sender of its transaction gets the answer. */
  take(engine: Engine): void {
    engine.record({ write: (piece) => writeFileSync(this.#file, piece) });
  }

  /** Call it once the engine is closed. If no chain was opened, no file is left. */
  close(): void {
    const { size } = fstatSync(this.#file);
    closeSync(this.#file);
    if (size === 0) rmSync(this.#name, { force: true });
  }
}
