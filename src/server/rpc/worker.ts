/**
 * The program of a worker thread: it answers methods on the chain as of one moment, with the same rows as the adapter.
 * @module
 */

import { INTERNAL_ERROR } from '../../base/json-rpc.ts';
import { answerJobs, type JobChain } from '../../engine/workers/jobs.ts';
import { AnswerRoom, RESULT_END } from './answer.ts';
import { answerTooLong, errorOf } from './error.ts';
import { stringifyResult } from './json.ts';
import type { DevContext, MethodContext } from './method.ts';
import { methodTable } from './methods.ts';
import type { WorkerAnswer, WorkerTask } from './worker-threads.ts';

/** Characters from which a worker thread encodes an answer as bytes, which are transferred instead of copied. */
const ENCODED_ANSWER_CHARACTERS = 262_144;

const METHODS = methodTable(['chain', 'rooch'], true);

await answerJobs((chain, task) => {
  const value = answer(chain, task as WorkerTask);
  return { value, moved: value.kind === 'encoded' ? [value.bytes.buffer] : [] };
});

function answer(chain: JobChain, { method, forms, values, written, findsCallStacks }: WorkerTask): WorkerAnswer {
  try {
    const value = METHODS.get(method)!.row.handle(
      contextOf(chain, { forms, findsCallStacks, room: new AnswerRoom(written?.charactersMax) }),
      values,
    );
    if (value instanceof Promise) throw new Error(`${method} is asynchronous, which no method on a worker may be`);
    if (written === undefined) return { kind: 'value', value };
    const { head, charactersMax } = written;
    const text = stringifyResult(value);
    // Do not send the other thread an answer that it would refuse.
    if (text.length > charactersMax) throw answerTooLong(text.length, charactersMax);
    if (text.length < ENCODED_ANSWER_CHARACTERS) return { kind: 'written', text };
    return { kind: 'encoded', bytes: encoded(head, text) };
  } catch (thrown) {
    const { code, message, data } = errorOf(thrown);
    const stack = code === INTERNAL_ERROR ? ((thrown as Error | undefined)?.stack ?? String(thrown)) : undefined;
    return { kind: 'refused', error: { code, message, data }, stack };
  }
}

const ENCODER = new TextEncoder();
const END = ENCODER.encode(RESULT_END);

/** An answer in UTF-8. Nearly all results are ASCII and need no second copy. */
function encoded(head: string, result: string): Uint8Array<ArrayBuffer> {
  const start = ENCODER.encode(head);
  const end = start.length + result.length;
  const bytes = new Uint8Array(end + END.length);
  const { read } = ENCODER.encodeInto(result, bytes.subarray(start.length, end));
  if (read < result.length) return ENCODER.encode(head + result + RESULT_END);
  bytes.set(start);
  bytes.set(END, end);
  return bytes;
}

/** The context of rows that run on a worker: they read the chain, and neither write nor subscribe. */
function contextOf(
  { view: chain }: JobChain,
  asked: Pick<MethodContext, 'forms' | 'findsCallStacks' | 'room'>,
): MethodContext {
  const engine = chain as unknown as MethodContext['engine'] & DevContext['engine'];
  const context: Partial<MethodContext> = { ...asked, chain, engine, dev: { engine } as DevContext };
  return context as MethodContext;
}
