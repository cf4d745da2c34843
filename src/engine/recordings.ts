/**
 * The recordings of a chain, and what its forks inherit of them.
 * @module
 */

import { A_FUNCTION, assertObject, assertOptions } from '../base/argument.ts';
import { closeEach } from '../base/closing.ts';
import { EngineError } from '../base/error.ts';
import { type Head, storedHead } from '../chain/ledger/head.ts';
import type { RecordedChain, Recording, RecordOptions } from '../log/recording/recording.ts';
import type { Engine } from './engine.ts';
import type { EngineCore } from './engine-core.ts';

/**
 * Records what is done to this chain from now on: a file that `replay` and `movelet replay` replay to the same roots.
 * A chain at its genesis is recorded from there; for any other, the file begins with a dump of it. A fork of a
 * recorded chain is recorded too: its own recording begins where the chain's recording began.
 *
 * ```ts
 * const recording = record(engine);
 * await engine.executeAs(alice, { function: '0x42::counter::increase', arguments: [7n] });
 * await writeFile('counter.run', await recording.bytes());
 * ```
 * @throws {EngineError} `not-supported` on an engine that was opened with `ingest: { owners }`; `invalid-argument`, `closed`
 */
export function record(engine: Engine, options: RecordOptions = {}): Recording {
  assertObject(engine, 'engine', 'an engine');
  const { core } = engine.inside;
  core.assertOpen();
  assertOptions(options, { write: A_FUNCTION });
  return core.recordings.begin(options);
}

export class Recordings {
  readonly #core: EngineCore;
  /** Forks continue the last one. */
  #recordings: Recording[] = [];

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** @throws {EngineError} `not-supported` on a chain that keeps the outputs of some owners */
  begin(options: RecordOptions): Recording {
    const { execution, settings, writer } = this.#core;
    if (settings.ingest.owners !== undefined) {
      const message = 'a chain that keeps the outputs of some owners is not recorded: which they are is in no input';
      throw new EngineError('not-supported', message);
    }
    const before = options.write === undefined ? this.#reaching(storedHead(writer.store)) : undefined;
    const recording = new execution.Recording(this.#chain(), options, before);
    this.#recordings = [...this.#recordings.filter(({ isOver }) => !isOver), recording];
    return recording;
  }

  /** Continues the recording of the chain that this one was forked from. */
  takeOver(from: Recordings): void {
    const { execution, writer } = this.#core;
    const recorded = from.#reaching(writer.head);
    if (recorded !== undefined) this.#recordings.push(new execution.Recording(this.#chain(), {}, recorded));
  }

  async close(): Promise<void> {
    await closeEach(...this.#recordings.map((recording) => () => recording.close()));
  }

  /** A recording that another can continue at this head. */
  #reaching(head: Head): Recording | undefined {
    return this.#recordings.findLast((recording) => recording.reaches(head));
  }

  #chain(): RecordedChain {
    const { feed, writer, settings, shared } = this.#core;
    const { remote } = shared;
    const { verifySignatures, ingest, log } = settings;
    const { checkParent, checkWork, headersOnly } = ingest;
    return {
      feed,
      store: writer.store,
      head: writer.head,
      state: this.#core.current().state,
      settings: { verifySignatures, checkParent, checkWork, headersOnly },
      log,
      fork: remote && { remote: remote.name, head: remote.point.head, hasRoots: remote.hasTree },
    };
  }
}
