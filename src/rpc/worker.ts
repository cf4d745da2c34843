/**
 * The program of a worker thread, which answers methods on the chain of one moment with the same rows as the adapter.
 * @module
 */

import { INTERNAL_ERROR } from '../json-rpc.ts';
import { answerJobs, type JobChain } from '../workers/jobs.ts';
import type { AsideAnswer, AsideTask } from './aside.ts';
import { errorOf, responseTooBig } from './error.ts';
import { stringifyResult } from './json.ts';
import type { DevContext, MethodContext } from './method.ts';
import { methodTable } from './methods.ts';

const METHODS = methodTable(['chain', 'rooch'], true);

await answerJobs((chain, task) => answer(chain, task as AsideTask));

function answer(chain: JobChain, { method, forms, values, charactersMax, findsCallStacks }: AsideTask): AsideAnswer {
  try {
    const value = METHODS.get(method)!.row.handle(contextOf(chain, { forms, findsCallStacks }), values);
    if (value instanceof Promise) throw new Error(`${method} waits, which nothing may on a worker`);
    if (charactersMax === undefined) return { kind: 'value', value };
    const text = stringifyResult(value);
    // Do not send an answer to the other thread only to have it refused.
    if (text.length > charactersMax) throw responseTooBig(text.length, charactersMax);
    return { kind: 'written', text };
  } catch (thrown) {
    const { code, message, data } = errorOf(thrown);
    const stack = code === INTERNAL_ERROR ? ((thrown as Error | undefined)?.stack ?? String(thrown)) : undefined;
    return { kind: 'refused', error: { code, message, data }, stack };
  }
}

/** The context of rows that run on a worker: they read the chain, and neither write nor subscribe. */
function contextOf(
  { moment, simulate, trace }: JobChain,
  asked: Pick<MethodContext, 'forms' | 'findsCallStacks'>,
): MethodContext {
  const engine = { simulate, trace } as MethodContext['engine'] & DevContext['engine'];
  const context: Partial<MethodContext> = { ...asked, chain: moment, engine, dev: { engine } as DevContext };
  return context as MethodContext;
}
