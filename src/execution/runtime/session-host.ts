/**
 * The natives' access to their session; the `host` of every call (`vm/native.ts`).
 * @module
 */

import { TRACE_VALUE_BYTES_MAX } from '../../base/config.ts';
import { compareModuleIds, type ModuleId, moduleKey } from '../../vm/binary/module.ts';
import { encodeUpTo } from '../../vm/value/short-encoding.ts';
import type { Type } from '../../vm/value/type.ts';
import type { EventLog } from './event-log.ts';
import type { Features } from './features.ts';
import type { SessionModules } from './module-source.ts';
import type { NativeWork } from './native-work.ts';
import type { ObjectRuntime } from './object-runtime.ts';
import type { TxContextValue } from './tx-context.ts';

export interface SessionHost {
  readonly objects: ObjectRuntime;
  readonly txContext: TxContextValue;
  readonly events: EventLog;
  readonly modules: SessionModules;
  readonly initRequests: InitRequests;
  /** As in the session's initial state. */
  readonly features: Features;
  readonly work: NativeWork;
  /** Whether every well-formed signature is accepted. */
  readonly assumesSignatures: boolean;
  /** Where `0x1::debug::print` prints; nowhere if undefined. */
  readonly prints?: PrintLog | undefined;
}

/** The `init` functions of modules that a transaction published, to be run after its action. */
export class InitRequests {
  readonly #modules = new Map<string, ModuleId>();

  /** Each module runs once, however often it is requested. */
  add(id: ModuleId): void {
    this.#modules.set(moduleKey(id), id);
  }

  /** In execution order: by address, then by name. */
  get modules(): readonly ModuleId[] {
    return [...this.#modules.values()].sort(compareModuleIds);
  }
}

/** Maximum number of printed values per execution; later ones are dropped. */
export const PRINTS_MAX = 100;

/** A value that was printed. */
interface Printed {
  readonly type: Type;
  /** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * The output of `0x1::debug::print` in one execution, for developers. It is not part of the outcome: nothing is stored,
 * and the output remains when the action fails.
 */
export class PrintLog {
  /** The first PRINTS_MAX, in order. */
  readonly printed: Printed[] = [];

  /** @param type may be a reference, to the value that is printed */
  add(type: Type, value: unknown): void {
    if (this.printed.length >= PRINTS_MAX) return;
    this.printed.push({ type, bytes: encodeUpTo(type, value, TRACE_VALUE_BYTES_MAX) });
  }

  /** The execution starts over. */
  clear(): void {
    this.printed.length = 0;
  }
}
