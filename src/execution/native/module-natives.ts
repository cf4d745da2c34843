/**
 * The natives of one Move module.
 * @module
 */

import type { ModuleId } from '../../vm/module-id.ts';
import type { NativeFunction } from '../../vm/native.ts';
import type { PureNatives } from '../../vm/native-table.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { NativePrices } from './prices.ts';

/** By the names in the Move module. */
export type Natives = Readonly<Record<string, NativeFunction<SessionHost>>>;

export interface ModuleNatives {
  readonly module: ModuleId;
  /** Natives that are pure functions of their arguments; listed only where knowing it pays. */
  readonly pure?: PureNatives;
  /**
   * The natives with the prices of one schedule. A native whose price the schedule lacks is missing if it is missing in
   * the reference: calls to it then fail.
   */
  natives(prices: NativePrices): Natives;
}
