/**
 * One thing that strangers may hand to the node, as the fuzzer sees it: inputs are bytes, whatever they stand for.
 * @module
 */
import { EngineError } from '../../src/base/error.ts';
import type { RandomNumber } from '../random.ts';

export interface Area {
  /** The first inputs; all others are made by changing these. */
  readonly seeds: readonly Uint8Array[];
  /** Milliseconds that no input may take: of processor time, or by `now`. */
  readonly msMax: number;
  /** The clock of an area whose work is not done in this process. */
  readonly now?: () => number;
  /** Changes an input, if not as one of JSON or of a protocol of lines. */
  readonly mutate?: (input: Uint8Array, random: RandomNumber) => Uint8Array;
  /** Tries an input; throws if the node does not do what it promises. */
  run(input: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Runs what may be refused by an error of the engine, and by no other error. */
export async function refusedOrDone(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'invariant-violation') throw error;
  }
}

/** An edit of something too large to be an input: a place, an offset in it, and what happens there. */
export interface Edit {
  readonly place: number;
  readonly offset: number;
  readonly kind: number;
  readonly byte: number;
}

const EDIT_BYTES = 8;
const EDITS_MAX = 8;

/** An input as edits: two bytes of a place, four of an offset, one of a kind, one of a byte. */
export function editsOf(input: Uint8Array): Edit[] {
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const count = Math.min(EDITS_MAX, Math.floor(input.length / EDIT_BYTES));
  return Array.from({ length: count }, (_, index) => ({
    place: view.getUint16(index * EDIT_BYTES),
    offset: view.getUint32(index * EDIT_BYTES + 2),
    kind: input[index * EDIT_BYTES + 6]!,
    byte: input[index * EDIT_BYTES + 7]!,
  }));
}

export function editBytes({ place, offset, kind, byte }: Edit): Uint8Array {
  const bytes = new Uint8Array(EDIT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, place);
  view.setUint32(2, offset);
  bytes[6] = kind;
  bytes[7] = byte;
  return bytes;
}
