/**
 * The program of a worker thread: it answers methods on the chain of a moment, by the same rows as the adapter.
 * @module
 */
import { answerJobs } from '../workers/jobs.ts';
import type { AsideAnswer, AsideTask } from './aside.ts';
import type { RpcChain } from './engine.ts';
import { errorOf, INTERNAL_ERROR } from './error.ts';
import { stringifyResult } from './json.ts';
import type { MethodContext } from './method.ts';
import { methodTable } from './methods.ts';

const METHODS = methodTable(['chain', 'rooch'], true);

await answerJobs((chain, task) => answer(chain, task as AsideTask));

function answer(chain: RpcChain, { method, forms, values, isWritten }: AsideTask): AsideAnswer {
  try {
    const value = METHODS.get(method)!.row.handle(contextOf(chain, forms), values);
    if (value instanceof Promise) throw new Error(`${method} waits, which nothing may on a worker`);
    return isWritten ? { kind: 'written', text: stringifyResult(value) } : { kind: 'value', value };
  } catch (thrown) {
    const { code, message, data } = errorOf(thrown);
    const stack = code === INTERNAL_ERROR ? ((thrown as Error | undefined)?.stack ?? String(thrown)) : undefined;
    return { kind: 'refused', error: { code, message, data }, stack };
  }
}

/** What rows that are answered aside work with: they read the chain, and neither write nor subscribe. */
function contextOf(chain: RpcChain, forms: MethodContext['forms']): MethodContext {
  return { chain, forms } satisfies Partial<MethodContext> as MethodContext;
}
