/**
 * The natives of one Move module.
 * @module
 */
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleId } from '../vm/module-id.ts';
import type { NativeFunction } from '../vm/native.ts';
import type { PureNatives } from '../vm/native-table.ts';
import type { NativePrices } from './prices.ts';

/** By the names that the Move module declares. */
export type Natives = Readonly<Record<string, NativeFunction<SessionHost>>>;

export interface ModuleNatives {
  readonly module: ModuleId;
  /** Those that are functions of their arguments; said only where it pays to know. */
  readonly pure?: PureNatives;
  /**
   * The natives at the prices of one schedule. One that needs a price which the schedule lacks is left out, where the
   * reference leaves it out: calls of it fail then.
   */
  natives(prices: NativePrices): Natives;
}
