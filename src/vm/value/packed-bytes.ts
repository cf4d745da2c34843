/**
 * Bytes of a value of a primitive type, packed: as BCS has it and as the reference's machine holds it.
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
