/**
 * A chain whose commits are in a log, and an archive of it, for tests.
 * @module
 */
import { join } from 'node:path';
import { DEV_ACCOUNTS, Engine, type EngineOptions } from '../../../src/index.ts';
import { Archive } from '../../../src/log/archive/archive.ts';
import { ArchiveWriter } from '../../../src/log/archive/archive-writer.ts';
import { type DirectoryLog, openDirectoryLog } from '../../../src/log/index.ts';
import { payment } from '../../payment.ts';

const [alice, bob] = DEV_ACCOUNTS as unknown as readonly [(typeof DEV_ACCOUNTS)[0], (typeof DEV_ACCOUNTS)[0]];

export async function transfer(engine: Engine, amount: bigint): Promise<void> {
  await engine.execute(engine.accounts[0]!.signTransaction(payment(bob.address, amount)));
}

/** One of each kind of input. */
export async function liveALittle(engine: Engine): Promise<void> {
  await transfer(engine, 5n);
  await engine.executeAs(bob.address, payment(alice.address, 7n));
  await engine.dev.mint(alice.address, 1_000n);
  await engine.dev.time.advance(60_000n);
  await engine.dev.mine({ to: alice.regtestAddress });
  await engine.dev.mine({ to: bob.regtestAddress });
}

export class ArchivedChain implements AsyncDisposable {
  readonly directory: string;
  readonly path: string;
  readonly engine: Engine;
  readonly log: DirectoryLog;
  /** State roots, by order. */
  readonly roots: string[] = [];
  /** Bytes of a segment. */
  readonly #segmentBytes: number;

  private constructor(directory: string, engine: Engine, log: DirectoryLog, segmentBytes: number) {
    this.directory = directory;
    this.path = join(directory, 'archive');
    this.engine = engine;
    this.log = log;
    this.#segmentBytes = segmentBytes;
    this.roots.push(String(engine.head.stateRoot));
    engine.on('head', ({ head }) => {
      this.roots[Number(head.order)] = String(head.stateRoot);
    });
  }

  /** A chain with a log in segments of one append each; `directory` is removed by the caller. */
  static async open(directory: string, segmentBytes = 20_000, options: EngineOptions = {}): Promise<ArchivedChain> {
    const commitLog = await openDirectoryLog(join(directory, 'log'), { segmentBytes: 1 });
    const engine = await Engine.open({ commitLog, ...options });
    return new ArchivedChain(directory, engine, commitLog, segmentBytes);
  }

  /** Archives what is new. */
  async archive(): Promise<number> {
    const writer = await ArchiveWriter.open(this.path);
    try {
      if (writer.archive.dumps.length === 0) {
        const genesis = await Engine.open();
        await writer.addDump(genesis.dump());
        await genesis.close();
      }
      return await writer.addRecords(this.log, { segmentBytes: this.#segmentBytes });
    } finally {
      writer.close();
    }
  }

  /** Adds a dump of the chain in its present state. */
  async dump(): Promise<void> {
    const writer = await ArchiveWriter.open(this.path);
    try {
      await writer.addDump(this.engine.dump());
    } finally {
      writer.close();
    }
  }

  read(): Promise<Archive> {
    return Archive.open(this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }
}
