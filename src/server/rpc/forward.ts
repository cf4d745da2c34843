/**
 * How a reader of a commit log handles write requests: it forwards them to the writer, and answers the client once this
 * node has the commit too, so that the client's next read here includes its write.
 *
 * The request is sent in one batch with a query of the writer's status: the writer answers in order, so the order in
 * the status is at least that of the write. A forwarded request is marked as such, and a node that would have to
 * forward it again refuses it, so two readers configured as each other's writer cannot loop.
 * @module
 */
import { FORWARD_ANSWER_BYTES_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { type RpcEngine, readNow } from './engine.ts';
import { RpcError } from './error.ts';
import type { FairQueue } from './fair-queue.ts';
import { type JsonBounds, type JsonValue, parseJson, stringifyJson } from './json.ts';
import { isObject } from './param.ts';
import { givenOrder } from './request.ts';
import type { RpcContext } from './rpc.ts';

/** Sends a JSON-RPC message to the writer, under this base path, and returns its answer; `forwardTo` makes one. */
export type Forward = (message: string, path: string | undefined) => Promise<string>;

interface Write {
  readonly method: string;
  readonly params: unknown;
  /** The method by which the writer is asked for its status. */
  readonly statusMethod: 'chain_status' | 'rooch_status';
}

/** How the writer's answer is read: queued among the requests of the connection, since it may be long. */
interface Reading<T> {
  readonly queue: FairQueue;
  readonly depthMax: number;
  readonly made: (result: JsonValue) => T;
}

/** Any answer up to FORWARD_ANSWER_BYTES_MAX is accepted, since the request has been executed by then. */
const OF_ANSWER: JsonBounds = {
  lists: FORWARD_ANSWER_BYTES_MAX,
  longIntegers: FORWARD_ANSWER_BYTES_MAX,
  members: FORWARD_ANSWER_BYTES_MAX,
  values: FORWARD_ANSWER_BYTES_MAX,
};

/** Whether this chain follows a log that another node writes. Once it has stopped, it would never see a write. */
export function isFollowing(engine: RpcEngine): boolean {
  const { log } = readNow(engine, (chain) => chain.status());
  return log?.role === 'reader' && log.state !== 'stopped';
}

/**
 * The writer's answer, once `engine` has reached its order.
 * @throws {RpcError} the writer's own error. {EngineError} `read-only` for a request that was already forwarded;
 * `behind` if the writer has executed it but this node does not catch up in time; `transport-failed`; `malformed-bytes`.
 */
export async function forwarded<T>(
  forward: Forward,
  engine: RpcEngine,
  { method, params, statusMethod }: Write,
  { connection, path, isForwarded }: RpcContext,
  { queue, depthMax, made }: Reading<T>,
): Promise<T> {
  if (isForwarded === true) {
    throw new EngineError(
      'read-only',
      `${method} was forwarded to this node, which takes no transactions either: configure the reader with the address of the writer`,
    );
  }
  const write = { jsonrpc: '2.0', id: 1, method, params: params as JsonValue, forwarded: true };
  const status = { jsonrpc: '2.0', id: 2, method: statusMethod, params: [] };
  const text = await forward(stringifyJson([write, status]), path);
  const { result, order } = await queue.run(connection, () => {
    const answers = readAnswers(text, depthMax);
    const given = answerTo(1, answers).result as JsonValue;
    return { order: orderOf(answerTo(2, answers).result), result: made(given) };
  });
  try {
    await engine.waitFor(order);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'behind') throw error;
    throw new EngineError('behind', `the writer has executed it, so do not send it again; ${error.message}`, {
      details: error.details,
      cause: error,
    });
  }
  return result;
}

/** An answer from something other than a node, such as a proxy, may not be JSON. */
function readAnswers(text: string, depthMax: number): unknown {
  try {
    return parseJson(text, depthMax, OF_ANSWER);
  } catch (cause) {
    throw unexpected('JSON', text, cause);
  }
}

/** @throws {RpcError} if the answer is an error */
function answerTo(id: number, answers: unknown): { readonly result: unknown } {
  // A batch refused as a whole gets a single answer.
  const answer = Array.isArray(answers) ? answers.find((one) => isObject(one) && one['id'] === id) : answers;
  if (isObject(answer)) {
    const { error } = answer;
    if (isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string') {
      throw new RpcError(error['code'] as number, error['message'], (error['data'] ?? null) as JsonValue);
    }
    if (Object.hasOwn(answer, 'result')) return { result: answer['result'] };
  }
  throw unexpected('answers to a batch of JSON-RPC requests', answers);
}

function orderOf(status: unknown): bigint {
  const chain = isObject(status) ? (status['chain_status'] ?? status['rooch_status']) : undefined;
  const sequencer = isObject(chain) ? chain['sequencer_info'] : undefined;
  const order = isObject(sequencer) ? givenOrder(sequencer['last_order']) : undefined;
  if (order === undefined) throw unexpected('the status of a node', status);
  return order;
}

function unexpected(expected: string, received: unknown, cause?: unknown): EngineError {
  const text = (JSON.stringify(received) ?? '').slice(0, SHOWN_CHARACTERS);
  return new EngineError(
    'malformed-bytes',
    `the writer did not answer as a node does: expected ${expected}, got ${text}`,
    { cause },
  );
}

/** How much of an unexpected answer is shown. */
const SHOWN_CHARACTERS = 80;
