/**
 * Methods that are answered on worker threads, while the engine's thread does something else (src/workers).
 *
 * A worker answers with the row of the same name (worker.ts) and also writes the answer's text, which for large results
 * takes as long as the view itself. Parameters are parsed, and refused, beforehand.
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
  /** The row's parameters, parsed. */
  readonly values: readonly unknown[];
  /** If the answer is to be text, the number of characters it may have. */
  readonly charactersMax: number | undefined;
  readonly findsCallStacks: boolean;
}

export type AsideAnswer =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | {
      readonly kind: 'refused';
      readonly error: Pick<RpcError, 'code' | 'message' | 'data'>;
      /** The stack of an unexpected error, for the log. */
      readonly stack: string | undefined;
    };

/** A result in its wire form, as text. */
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

/** Stands for all callers without a connection: programs in this process. */
const NO_CONNECTION = {};

export class Aside {
  readonly #workers: Workers;

  /**
   * @param count threads
   * @throws {EngineError} `not-supported` if the file that the threads run is missing
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
   * Runs a task on the chain as it is when a thread becomes free for it.
   * @throws {RpcError} the method's own error, or `limit-exceeded` if the node is busy
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
      // Expected errors have no stack.
      if (stack !== undefined) throw Object.assign(new Error(error.message), { stack });
      throw new RpcError(error.code, error.message, error.data);
    }
  }
}

/** The program of the threads: beside this code in a build, and in the build's folder when running from the sources. */
function programUrl(): string | undefined {
  const { url } = import.meta;
  if (url?.startsWith('file:') !== true) return undefined;
  // A separate function, because bundlers would look for the file otherwise.
  const beside = (file: string): string => new URL(file, url).href;
  return beside(url.endsWith('.ts') ? '../../dist/worker.js' : './worker.js');
}
