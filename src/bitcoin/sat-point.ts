/**
 * The location of a satoshi: an output and the offset in it.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { struct } from '../base/bcs/composite.ts';
import { u64 } from '../base/bcs/primitive.ts';
import { type OutPoint, outPoint } from './outpoint.ts';

/** `0x4::ord::SatPoint`. */
export interface SatPoint {
  readonly outpoint: OutPoint;
  readonly offset: bigint;
}

export const satPoint: Codec<SatPoint> = struct<SatPoint>({ outpoint: outPoint, offset: u64 });
