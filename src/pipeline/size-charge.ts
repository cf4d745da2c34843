/**
 * The charge for a transaction's size: a price per byte, which rises with the size.
 *
 * Validation always requires the tiered price; execution charges by tiers if the chain has enabled them.
 * Source: `calculate_io_writes_gas` of the reference's moveos/moveos/src/gas/table.rs.
 * @module
 */
import type { GasEntries } from '../execution/runtime/machine-cache.ts';

/** From this many bytes on, each costs this many times the base price. */
const TIERS: readonly (readonly [bytes: bigint, factor: bigint])[] = [
  [300_000n, 46n],
  [160_000n, 23n],
  [8_000n, 16n],
  [4_000n, 4n],
  [2_000n, 2n],
  [0n, 1n],
];

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** Gas units for a transaction of `bytes` bytes, or 0 if that does not fit a u64: no budget could pay for it. */
export function sizeCharge(entries: GasEntries, bytes: bigint, isTiered: boolean): bigint {
  const [, factor] = isTiered ? TIERS.find(([from]) => bytes >= from)! : [0n, 1n];
  const price = (entries.get('storage.storage_fee_per_transaction_byte') ?? 0n) * factor;
  const charge = bytes * price;
  return price > U64_MAX || charge > U64_MAX ? 0n : charge;
}
