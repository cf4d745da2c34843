/**
 * What sees every session of the process that has no tracer of its own: the coverage of tests.
 * @module
 */
import type { SessionTracer } from './session.ts';

/** Sees one session. */
export interface SessionObserver extends SessionTracer {
  /** The session has ended with a value; what a session did that threw is not to count. */
  end(): void;
}

let begin: (() => SessionObserver) | undefined;

/** From now on, each session is seen by what `observer` returns for it, and is interpreted so that it can be. */
export function observeSessions(observer: () => SessionObserver): void {
  begin = observer;
}

/** Undefined unless sessions are observed. */
export function beginObserver(): SessionObserver | undefined {
  return begin?.();
}
