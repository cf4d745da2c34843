/**
 * The instructions of a function instance with everything looked up: types, callees, constants, prices.
 *
 * Both engines run from this. Generic instructions are folded into their plain twins, because at given type arguments
 * they do the same. What the reference finds out only when an instruction runs, and what depends on types alone (type
 * arguments with too many nodes, values that nest too deep), is found out here and kept as the step's fault.
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
  /** What is charged for certain. */
  readonly cost: number;
  /** Local, branch target, field position, literal below 2^32, number of elements. */
  readonly operand: number;
  readonly type: Type | undefined;
  /** Of LdU64, LdU128, LdU256 and LdConst. A constant must be copied before it is handed out. */
  readonly value: unknown;
  readonly callee: FunctionInstance | undefined;
  /** A status with which the instruction fails before anything is charged for it; 0 for none. */
  readonly fault: number;
  /** Values on the operand stack before it, of this frame alone. */
  readonly height: number;
}

export interface FunctionBody {
  /** By code offset; `undefined` where control cannot come. */
  readonly steps: readonly (Step | undefined)[];
  readonly blocks: readonly Block[];
  /** Greatest number of values that this frame has on the operand stack. */
  readonly heightMax: number;
  /** By local: a primitive whose address is taken mutably, so that it lives in a cell. */
  readonly inCell: readonly boolean[];
  /** Locals that hold references which are counted. */
  readonly countedLocals: readonly number[];
}

/** The plain form of a generic instruction; other instructions are their own. */
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
