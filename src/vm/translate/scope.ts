/**
 * The function whose blocks are being written, and where its code goes: on its own, or in place of a call.
 * @module
 */
import type { FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import type { FailureSite } from './failure-site.ts';

/** A function whose code is written in place of its call. */
export interface Inlined {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  readonly site: FailureSite;
}

/** The function whose block is written, and where its code goes. */
export interface Scope {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  /** The name of its failure site. */
  readonly site: string;
  /** The number of its first local in the code. */
  readonly firstLocal: number;
  /** Frames and operands that the functions around it have, if it is inlined. */
  readonly frames: number;
  readonly height: number;
  /** Where an inlined function leaves its results, and the label that it leaves. */
  readonly exit: { readonly label: string; readonly results: readonly string[] } | undefined;
  /** The function that it is inlined in. */
  readonly outer: Scope | undefined;
}

/** What a block's code may rely on. */
export interface Entry {
  /** Whether gas is checked at the start of the block. */
  readonly looksAtGas: boolean;
  /** Whether each call must check the depth, because the function does not at its entry. */
  readonly checksDepth: boolean;
}
