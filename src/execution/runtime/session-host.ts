/**
 * What natives can access of the session that they run in; the `host` of every call (`vm/native.ts`).
 * @module
 */
import type { EventLog } from './event-log.ts';
import type { Features } from './features.ts';
import type { InitRequests } from './init-requests.ts';
import type { SessionModules } from './module-source.ts';
import type { NativeWork } from './native-work.ts';
import type { ObjectRuntime } from './object-runtime.ts';
import type { PrintLog } from './print-log.ts';
import type { TxContextValue } from './tx-context-value.ts';

export interface SessionHost {
  readonly objects: ObjectRuntime;
  readonly txContext: TxContextValue;
  readonly events: EventLog;
  readonly modules: SessionModules;
  readonly initRequests: InitRequests;
  /** As the state had them when the session began. */
  readonly features: Features;
  readonly work: NativeWork;
  /** Whether every well-formed signature is accepted. */
  readonly assumesSignatures: boolean;
  /** Where `0x1::debug::print` prints; nowhere if undefined. */
  readonly prints?: PrintLog | undefined;
}
