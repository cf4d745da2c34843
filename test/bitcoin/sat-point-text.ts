/** Locations of satoshis as the recorded indexes write them: `<txid reversed>:<vout>:<offset>`. */

import type { SatPoint } from '../../src/bitcoin/outpoint.ts';
import { formatOutPoint } from '../../src/bitcoin/outpoint.ts';

export function formatSatPoint({ outpoint, offset }: SatPoint): string {
  return `${formatOutPoint(outpoint)}:${offset}`;
}
