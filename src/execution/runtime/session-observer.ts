/**
 * The observer of all sessions of the process without a tracer of their own: the coverage of tests.
 * @module
 */
import type { SessionTracer } from './session.ts';

/** Observes one session. */
export interface SessionObserver extends SessionTracer {
  /** The session ended with a value; a session that threw does not count. */
  end(): void;
}

let begin: (() => SessionObserver) | undefined;

/** From now on, calls `observer` for each session to observe it, which is then interpreted. */
export function observeSessions(observer: () => SessionObserver): void {
  begin = observer;
}

/** Undefined unless sessions are observed. */
export function beginObserver(): SessionObserver | undefined {
  return begin?.();
}
