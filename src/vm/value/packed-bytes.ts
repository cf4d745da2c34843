/**
 * The packed size of a primitive value in bytes: in BCS, and in the reference's machine.
 * @module
 */
export const PACKED_BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
  address: 32,
  signer: 32,
};
