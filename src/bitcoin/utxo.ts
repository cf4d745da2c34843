/**
 * Unspent outputs as the chain stores them, and the seals other protocols put on them.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { struct, vector } from '../base/bcs/composite.ts';
import { bytes32, string, u32, u64 } from '../base/bcs/primitive.ts';

/** The parts of an object id, outermost first. */
export type SealedObject = readonly Uint8Array[];

/** The objects that a protocol has put on an output. */
export interface Seal {
  /** The canonical type name of the sealed objects; see `INSCRIPTION_PROTOCOL`. */
  readonly protocol: string;
  /** In the order in which they landed. */
  readonly objects: readonly SealedObject[];
}

/** `0x4::utxo::UTXO`. */
export interface Utxo {
  readonly txid: Uint8Array;
  readonly vout: number;
  /** In satoshis. */
  readonly value: bigint;
  /** At most one for each protocol, in the order of their first seal. */
  readonly seals: readonly Seal[];
}

/** A UTXO in BCS: the value of its object. */
export const utxo: Codec<Utxo> = struct<Utxo>({
  txid: bytes32,
  vout: u32,
  value: u64,
  seals: vector(struct<Seal>({ protocol: string, objects: vector(vector(bytes32)) })),
});

/** The objects that a protocol has put on an output. */
export function sealedObjects(value: Utxo, protocol: string): readonly SealedObject[] {
  return value.seals.find((seal) => seal.protocol === protocol)?.objects ?? [];
}
