/** Files of the shared folder, if it is there: see the brief of the repository's tests. */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatOutPoint, type SatPoint } from '../../src/bitcoin/outpoint.ts';

const { MOVELET_SHARED } = process.env;
const folder: string = MOVELET_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));

export const sharedPresent: boolean = existsSync(folder);
export const skipNote: string = sharedPresent ? '' : ' (skipped: ../shared is missing)';

export function sharedFile(path: string): Uint8Array {
  return new Uint8Array(readFileSync(`${folder}/${path}`));
}

/** Locations of satoshis as the recorded indexes write them: `<txid reversed>:<vout>:<offset>`. */
export function formatSatPoint({ outpoint, offset }: SatPoint): string {
  return `${formatOutPoint(outpoint)}:${offset}`;
}
