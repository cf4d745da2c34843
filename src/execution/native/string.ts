/**
 * Natives of `0x1::string`: they work on the bytes of UTF-8 text.
 *
 * Source: `str` of Rust's standard library for what a character boundary is.
 * @module
 */
import { isUtf8 } from '../../base/bytes/bytes.ts';
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import { StatusCode } from '../../vm/status.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import { linearCost, type ModuleNatives, type NativePrices, type Natives } from './module-natives.ts';

/** Bytes that `index_of` searches per microsecond; measured; the same with and without a match. */
const SEARCHED_PER_WORK = 200;
/** The price of the call covers shorter searches, whose results may be cached. */
const BYTES_UNCOUNTED_MAX = 256;

/** The abort code for a range that ends before it begins. */
const RANGE_REVERSED = 1;

export const STRING: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'string' },
  pure: {
    internal_check_utf8: 'cheap',
    internal_is_char_boundary: 'cheap',
    internal_sub_string: 'cheap',
    internal_index_of: 'cheap',
  },
  natives: stringNatives,
};

function stringNatives(prices: NativePrices): Natives {
  const checkCost = linearCost(0, prices.of('move_stdlib.string.check_utf8.per_byte'));
  const boundaryCost = prices.of('move_stdlib.string.is_char_boundary.base');
  const subStringCost = linearCost(0, prices.of('move_stdlib.string.sub_string.per_byte'));
  const searchCost = linearCost(0, prices.of('move_stdlib.string.index_of.per_byte_searched'));
  return {
    internal_check_utf8: (context, _signature, bytes: ByteVector): boolean => {
      context.charge(checkCost(bytes.length));
      return isUtf8(bytes.view());
    },

    internal_is_char_boundary: (context, _signature, bytes: ByteVector, index: bigint): boolean => {
      context.charge(boundaryCost);
      if (index >= BigInt(bytes.length)) return index === BigInt(bytes.length);
      return index === 0n || (bytes.get(Number(index)) & 0xc0) !== 0x80;
    },

    internal_sub_string: (context, _signature, bytes: ByteVector, start: bigint, end: bigint): ByteVector => {
      if (end < start) return context.abort(RANGE_REVERSED);
      // Move code checks the range first; the reference's process would die here.
      if (end > BigInt(bytes.length)) {
        const status = StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR;
        return context.fail(status, `expected a range within ${bytes.length} bytes, got an end of ${end}`);
      }
      context.charge(subStringCost(Number(end - start)));
      return new ByteVector(bytes.items.slice(Number(start), Number(end)));
    },

    internal_index_of: (context, _signature, bytes: ByteVector, pattern: ByteVector): bigint => {
      const searched = bytes.length + pattern.length;
      if (searched > BYTES_UNCOUNTED_MAX) {
        context.keepNoResult();
        context.host.work.spend(Math.ceil(searched / SEARCHED_PER_WORK));
      }
      const index = indexOf(bytes.view(), pattern.view());
      context.charge(searchCost(index));
      return BigInt(index);
    },
  };
}

/**
 * Index of the first `pattern` in `bytes`, or the length of `bytes`: the algorithm of Knuth, Morris and Pratt, so that
 * every pattern takes linear time, whatever its gas.
 */
function indexOf(bytes: Uint8Array, pattern: Uint8Array): number {
  if (pattern.length === 0) return 0;
  // For each position, the length of the pattern's longest prefix that ends there.
  const borders = new Int32Array(pattern.length);
  for (let at = 1, matched = 0; at < pattern.length; at++) {
    while (matched > 0 && pattern[at] !== pattern[matched]) matched = borders[matched - 1]!;
    if (pattern[at] === pattern[matched]) matched++;
    borders[at] = matched;
  }
  for (let at = 0, matched = 0; at < bytes.length; at++) {
    while (matched > 0 && bytes[at] !== pattern[matched]) matched = borders[matched - 1]!;
    if (bytes[at] === pattern[matched]) matched++;
    if (matched === pattern.length) return at + 1 - matched;
  }
  return bytes.length;
}
