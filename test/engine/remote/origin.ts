import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Engine, EngineOptions } from '../../../src/index.ts';
import type { CallInput } from '../../../src/query/function-call.ts';
import type { RpcOptions } from '../../../src/server/rpc/options.ts';
import type { Rpc } from '../../../src/server/rpc/rpc.ts';

/** A call that sends gas coins. */
export const transfer = (to: string, amount: bigint): CallInput => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [to, amount],
});

/** What runs on the thread of an origin. */
export interface OriginSide {
  readonly transfer: typeof transfer;
  readonly engine: Engine;
  readonly rpc: Rpc;
  /** Milliseconds that each answer takes longer. */
  delayMs: number;
  /** The methods that were asked for. */
  requests: string[];
  /** Answers in place of the node; undefined breaks the connection. */
  answer:
    | ((
        request: { readonly method: string; readonly params: readonly unknown[] },
        pass: () => Promise<{ status: number; text: string }>,
      ) => Promise<{ status?: number; text: string } | undefined>)
    | undefined;
}

/** A node on another thread, behind a proxy. */
export class Origin implements AsyncDisposable {
  readonly url: string;
  readonly #worker: Worker;
  #asked = 0;

  private constructor(worker: Worker, url: string) {
    this.#worker = worker;
    this.url = url;
  }

  /**
   * @param dump the chain that it has; default: a new one
   * @param served how its methods answer
   */
  static async open(
    options: EngineOptions = {},
    dump?: Uint8Array,
    served: RpcOptions = { serveNodes: true, dev: true },
  ): Promise<Origin> {
    const modules = new URL('../../../build/sources/', import.meta.url).href;
    const worker = new Worker(new URL('./origin.mjs', import.meta.url), {
      workerData: { modules, options, dump, served },
    });
    const [{ url }] = (await once(worker, 'message')) as [{ url: string }];
    return new Origin(worker, url);
  }

  /** Runs a function on the other thread, as its text: it sees nothing but its arguments. */
  async run<T, A>(code: (side: OriginSide, argument: A) => T | Promise<T>, argument?: A): Promise<T> {
    const id = ++this.#asked;
    const answered = new Promise<T>((resolve, reject) => {
      const listen = (message: { id: number; value: T; error?: string }): void => {
        if (message.id !== id) return;
        this.#worker.off('message', listen);
        if (message.error === undefined) resolve(message.value);
        else reject(new Error(message.error));
      };
      this.#worker.on('message', listen);
    });
    this.#worker.postMessage({ id, code: String(code), argument });
    return answered;
  }

  /** The methods that were asked for since the last call. */
  requests(): Promise<string[]> {
    return this.run((side) => {
      const { requests } = side;
      side.requests = [];
      return requests;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A chain on which the first account has sent coins to 64 others. */
export async function paidOrigin(options: EngineOptions = {}, served?: RpcOptions): Promise<Origin> {
  const origin = await Origin.open(options, undefined, served);
  await origin.run(async ({ engine, transfer: pay }) => {
    for (let to = 0x1000; to < 0x1040; to++) {
      await engine.executeAs(engine.accounts[0]!.address, pay(`0x${to.toString(16)}`, 5n));
    }
  });
  return origin;
}

/**
 * Such an origin for all tests of a file that leave its chain as it is: before each, it answers as a node does, and nothing
 * has been asked.
 */
export function sharedOrigin(): () => Origin {
  let origin: Origin;
  beforeAll(async () => {
    origin = await paidOrigin();
  });
  beforeEach(() =>
    origin.run((side) => {
      side.answer = undefined;
      side.requests = [];
    }),
  );
  afterAll(() => origin[Symbol.asyncDispose]());
  return () => origin;
}
