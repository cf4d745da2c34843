/**
 * Runs sessions, each in one attempt or two.
 *
 * Move allows more frames than the JavaScript stack may have left. If the stack runs out, or much code has to be
 * prepared (`vm/link/preparation.ts`), the attempt is discarded, and everything runs again from the start on a separate
 * interpreter, whose frames are on the heap. So the body may run twice and must have no effect besides its result.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import { PREPARED_EXACT_MAX, PREPARED_MAX, TooMuchPrepared } from '../../vm/link/preparation.ts';
import { isStackExhausted, StackExhausted } from '../../vm/stack-exhausted.ts';
import { Session, type SessionSettings } from './session.ts';

/**
 * Runs `body` in a new session, and again from the start if the JavaScript stack ran out or too much code was prepared.
 * @throws {EngineError} `limit-exceeded` if the stack ran out even on the interpreter, because the caller is too deep
 * in its own stack; `deadline-exceeded`.
 */
export function runSession<T>(settings: SessionSettings, body: (session: Session) => T): T {
  const { preparation } = settings.machine;
  const outer = preparation.begin(PREPARED_MAX);
  try {
    return body(Session.begin(settings, undefined));
  } catch (error) {
    if (!ranOut(error)) throw error;
    settings.tracer?.restart();
    settings.prints?.clear();
  } finally {
    preparation.resume(outer);
  }
  const machine = settings.machine.exact();
  machine.preparation.begin(PREPARED_EXACT_MAX);
  try {
    return body(Session.begin({ ...settings, machine }, 'interpret'));
  } catch (error) {
    if (!ranOut(error)) throw error;
    throw new EngineError('limit-exceeded', 'the JavaScript stack is full: call from less deep in your own program', {
      cause: error,
    });
  }
}

function ranOut(error: unknown): boolean {
  return error instanceof StackExhausted || error instanceof TooMuchPrepared || isStackExhausted(error);
}
