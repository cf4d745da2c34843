/**
 * Constants of the binary format of Move modules and scripts.
 * Source: the reference's `move-binary-format/src/file_format_common.rs`.
 * @module
 */

/** The first bytes of every module and script. */
export const MAGIC: readonly number[] = [0xa1, 0x1c, 0xeb, 0x0b];

/**
 * Only versions 5 and 6 are written and in use. Versions from 1 on are read: the reference still accepts them, so a
 * chain may contain them.
 */
export const VERSION_WRITTEN_MIN = 5;
export const VERSION_MAX = 6;

/** Bounds of the format. Those of sizes are in bytes, the others count items or are the largest index. */
export const FORMAT_LIMITS = {
  tableCountMax: 255,
  tableBytesMax: 0xffff_ffff,
  indexMax: 65_535,
  instructionCountMax: 65_535,
  codeOffsetMax: 65_535,
  localIndexMax: 255,
  localCountMax: 255,
  identifierBytesMax: 65_535,
  constantBytesMax: 131_070,
  metadataKeyBytesMax: 1_023,
  metadataValueBytesMax: 65_535,
  signatureLengthMax: 255,
  acquiresCountMax: 255,
  fieldCountMax: 255,
  fieldOffsetMax: 255,
  typeParameterCountMax: 255,
  abilitySetMax: 15,
  signatureTokenDepthMax: 256,
} as const;

/** Table kinds, in the order of the canonical writer. */
export const TableKind = {
  moduleHandles: 0x1,
  structHandles: 0x2,
  functionHandles: 0x3,
  functionInstantiations: 0x4,
  signatures: 0x5,
  identifiers: 0x7,
  addresses: 0x8,
  constants: 0x6,
  metadata: 0x10,
  structDefinitions: 0xa,
  structInstantiations: 0xb,
  functionDefinitions: 0xc,
  fieldHandles: 0xd,
  fieldInstantiations: 0xe,
  friends: 0xf,
} as const;

export type TableName = keyof typeof TableKind;

/** Likewise. */
export const TABLE_NAMES = Object.keys(TableKind) as TableName[];
