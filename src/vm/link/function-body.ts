/**
 * The instructions of a function instance with everything resolved: types, callees, constants, prices.
 *
 * Both engines run from this. Generic instructions are replaced by their plain forms, because with given type arguments
 * they do the same. Failures that the reference detects only when an instruction runs, but that depend only on types
 * (type arguments with too many nodes, values that nest too deep), are detected here and kept as the step's fault.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import type { Type } from '../value/type.ts';
import type { Block } from './blocks.ts';
import type { FunctionInstance } from './function-instance.ts';

/**
 * One instruction. What `type` is:
 * - of the local for CopyLoc, MoveLoc, StLoc and the borrows of locals; of the value for Pop, LdConst, Eq and Neq
 * - of the target for ReadRef, WriteRef and FreezeRef; of the struct for Pack, Unpack, borrows of fields and globals
 * - of the element for vector instructions; of the left operand for arithmetic, of the operand for casts
 */
export interface Step {
  /** Never a generic form. */
  readonly op: Op;
  /** The fixed charge. */
  readonly cost: number;
  /** Local, branch target, field position, literal below 2^32, number of elements. */
  readonly operand: number;
  readonly type: Type | undefined;
  /** Of LdU64, LdU128 and LdU256; of LdConst, a `ModuleConstant`. */
  readonly value: unknown;
  readonly callee: FunctionInstance | undefined;
  /** A status with which the instruction fails before anything is charged for it; 0 for none. */
  readonly fault: number;
  /** The number of values that this frame has on the operand stack before it. */
  readonly height: number;
}

export interface FunctionBody {
  /** By code offset; `undefined` where it is unreachable. */
  readonly steps: readonly (Step | undefined)[];
  readonly blocks: readonly Block[];
  /** Greatest number of values that this frame has on the operand stack. */
  readonly heightMax: number;
  /** By local: whether it is a primitive that is borrowed mutably, and so lives in a cell. */
  readonly inCell: readonly boolean[];
  /** Locals that hold references which are counted. */
  readonly countedLocals: readonly number[];
}

/** The plain form of a generic instruction; any other instruction itself. */
export function plainOp(op: Op): Op {
  switch (op) {
    case Op.MutBorrowFieldGeneric:
      return Op.MutBorrowField;
    case Op.ImmBorrowFieldGeneric:
      return Op.ImmBorrowField;
    case Op.CallGeneric:
      return Op.Call;
    case Op.PackGeneric:
      return Op.Pack;
    case Op.UnpackGeneric:
      return Op.Unpack;
    case Op.ExistsGeneric:
      return Op.Exists;
    case Op.MutBorrowGlobalGeneric:
      return Op.MutBorrowGlobal;
    case Op.ImmBorrowGlobalGeneric:
      return Op.ImmBorrowGlobal;
    case Op.MoveFromGeneric:
      return Op.MoveFrom;
    case Op.MoveToGeneric:
      return Op.MoveTo;
    default:
      return op;
  }
}
