/**
 * Methods that are answered aside: on worker threads, while the engine's thread does something else (src/workers).
 *
 * A worker answers by the row of the same name (worker.ts) and writes the answer's text, which takes as long as the view
 * itself where it returns much. Parameters are read, and refused, before.
 * @module
 */
import { WORKER_CALLS_WAITING_MAX, WORKER_HEAP_MB_MAX } from '../config.ts';
import { SERVICE_UNAVAILABLE } from '../json-rpc.ts';
import { Workers, type WorkersUsage } from '../workers/workers.ts';
import type { RpcEngine } from './engine.ts';
import { RpcError, rpcError } from './error.ts';
import type { JsonValue } from './json.ts';
import type { Forms } from './method.ts';

/** What a worker is asked. */
export interface AsideTask {
  readonly method: string;
  readonly forms: Forms;
  /** Those of the row's parameters, as they were read. */
  readonly values: readonly unknown[];
  /** Where the answer is to be text: the characters that it may have. */
  readonly charactersMax: number | undefined;
}

export type AsideAnswer =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | {
      readonly kind: 'refused';
      readonly error: Pick<RpcError, 'code' | 'message' | 'data'>;
      /** Of a fault of ours, for the log. */
      readonly stack: string | undefined;
    };

/** A result as the text that it is on the wire. */
export class WrittenResult {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Where a task comes from. */
export interface Asker {
  readonly connection?: object | undefined;
  readonly isGone?: (() => boolean) | undefined;
}

/** Who asks without a connection: programs of this process, all of them together. */
const NO_CONNECTION = {};

export class Aside {
  readonly #workers: Workers;

  /**
   * @param count threads
   * @throws {EngineError} `not-supported` where the file that they run is not there
   */
  constructor(count: number) {
    this.#workers = new Workers({
      count,
      program: programUrl(),
      waitingMax: WORKER_CALLS_WAITING_MAX,
      heapMbMax: WORKER_HEAP_MB_MAX,
    });
  }

  get usage(): WorkersUsage {
    return this.#workers.usage;
  }

  /**
   * Has a task done on the moment at which a thread is free for it.
   * @throws {RpcError} what the method answers with, and `limit-exceeded` where the node is busy
   */
  async answer(engine: RpcEngine, task: AsideTask, { connection, isGone }: Asker): Promise<JsonValue | WrittenResult> {
    const answer = await this.#workers.use(connection ?? NO_CONNECTION, (thread) => {
      // Nobody reads this.
      if (isGone?.() === true) throw rpcError(SERVICE_UNAVAILABLE, 'the client is gone', 'closed');
      return engine.moment((chain) => thread.ask(chain.basis, task));
    });
    return resultOf(answer as AsideAnswer);
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#workers.close();
  }
}

function resultOf(answer: AsideAnswer): JsonValue | WrittenResult {
  switch (answer.kind) {
    case 'written':
      return new WrittenResult(answer.text);
    case 'value':
      return answer.value;
    case 'refused': {
      const { error, stack } = answer;
      // What is no fault of ours has no stack.
      if (stack !== undefined) throw Object.assign(new Error(error.message), { stack });
      throw new RpcError(error.code, error.message, error.data);
    }
  }
}

/** The program of the threads: beside this code where it was built, in the build where it runs from its sources. */
function programUrl(): string | undefined {
  const { url } = import.meta;
  if (url?.startsWith('file:') !== true) return undefined;
  // A function of its own, since bundlers would look for the file.
  const beside = (file: string): string => new URL(file, url).href;
  return beside(url.endsWith('.ts') ? '../../dist/worker.js' : './worker.js');
}
