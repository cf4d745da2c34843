/**
 * Reads the files of test/vectors. Each says in `source` where it came from: never from movelet's own output.
 */
import { readFileSync } from 'node:fs';
import { fromHex } from '../src/base/bytes/bytes.ts';

/** The parsed file `name`, as it stands. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`vectors/${name}`, import.meta.url), 'utf8')) as T;
}

/** The parsed file with values in the shapes of src: `"0x.."` is bytes, `"12n"` a bigint, null is undefined. */
export function readValueVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`vectors/${name}`, import.meta.url), 'utf8'), (_key, value: unknown) => {
    if (value === null) return undefined;
    if (typeof value !== 'string') return value;
    if (/^0x(?:[0-9a-f]{2})*$/.test(value)) return fromHex(value);
    return /^[0-9]+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
  }) as T;
}
