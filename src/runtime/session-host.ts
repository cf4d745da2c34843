/**
 * What natives reach of the session that they run in; the `host` of every call (`vm/native.ts`).
 * @module
 */
import type { EventLog } from './event-log.ts';

export interface SessionHost {
  readonly events: EventLog;
}
