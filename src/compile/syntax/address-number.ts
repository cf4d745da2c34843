/**
 * Numbers that stand for addresses.
 * @module
 */
import { ADDRESS_BYTES } from '../../move/address.ts';

/**
 * The address of a number as the source has it, decimal or with `0x`; `undefined` if it needs more than 32 bytes, or if
 * it has no digits after its `0x`.
 */
export function addressOfNumber(text: string): Uint8Array | undefined {
  const digits = text.replaceAll('_', '');
  if (digits === '0x') return undefined;
  let value = BigInt(digits);
  const bytes = new Uint8Array(ADDRESS_BYTES);
  for (let at = ADDRESS_BYTES - 1; at >= 0; at--) {
    bytes[at] = Number(value & 0xffn);
    value >>= 8n;
  }
  return value === 0n ? bytes : undefined;
}
