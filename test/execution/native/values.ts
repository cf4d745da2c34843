/** Arguments of natives as BCS, and values as `summarise` shows them. */
import { bytes, encode, u8, u16, u64 } from '../../../src/base/bcs.ts';
import { fromHex } from '../../../src/base/bytes/bytes.ts';

const utf8 = new TextEncoder();

/** `vector<u8>` of hexadecimal digits. */
export function hex(digits: string): Uint8Array {
  return encode(bytes, fromHex(digits));
}

/** `vector<u8>` of UTF-8, which is also the BCS of a `String`. */
export function text(value: string): Uint8Array {
  return encode(bytes, utf8.encode(value));
}

export function byte(value: number): Uint8Array {
  return encode(u8, value);
}

export function short(value: number): Uint8Array {
  return encode(u16, value);
}

export function long(value: bigint | number): Uint8Array {
  return encode(u64, BigInt(value));
}

/** A `vector<u8>` as it is shown. */
export function shownHex(digits: string): string {
  return `[${[...fromHex(digits)].join(', ')}]`;
}

/** A `vector<u8>` of UTF-8 as it is shown. */
export function shownText(value: string): string {
  return `[${[...utf8.encode(value)].join(', ')}]`;
}

/** An outcome without where it failed: `ABORTED 7` for `ABORTED 7 at m:1:0`. */
export function withoutPlace<Outcome extends { readonly result: string }>(outcome: Outcome): Outcome {
  return { ...outcome, result: outcome.result.replace(/ at \w+:\d+:\d+$/, '') };
}
