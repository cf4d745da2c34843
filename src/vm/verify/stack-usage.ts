/**
 * Checks that each basic block pops only what it pushed, and leaves the operand stack empty.
 *
 * So a block can be compiled, and its types inferred, by itself. Source: the reference's
 * `move-bytecode-verifier/src/stack_usage_verifier.rs`.
 * @module
 */
import { type Binary, type Instruction, namedBy } from '../binary/module.ts';
import { OPCODES, Op, opcodeName, plainOp } from '../binary/opcode.ts';
import { OPERANDS_MAX } from '../machine-limits.ts';
import { StatusCode } from '../status.ts';
import { type FunctionContext, handleOf, moduleOnly, rejectIn } from './function-context.ts';

/** In `POPS`: the effect depends on the operand, or on the function. */
const VARIABLE = 0xffff;
const POPS = new Uint16Array(256).fill(VARIABLE);
const PUSHES = new Uint16Array(256);
for (const row of OPCODES) {
  if (row?.pops === undefined) continue;
  POPS[row.number] = row.pops;
  PUSHES[row.number] = row.pushes!;
}

export function checkStackUsage(body: FunctionContext): void {
  for (let block = 0; block < body.graph.blockCount; block++) checkBlock(body, block);
}

function checkBlock(body: FunctionContext, block: number): void {
  const start = body.graph.starts[block]!;
  const end = body.graph.ends[block]!;
  let height = 0;
  for (let offset = start; offset <= end; offset++) {
    const item = body.code.instructions[offset]!;
    const pops = popsOf(body, item);
    const pushes = pushesOf(body, item);
    if (height < pops) {
      const message = `${opcodeName(item.op)} at ${offset} pops ${pops} values, but its block has pushed ${height}`;
      throw rejectIn(body, StatusCode.NEGATIVE_STACK_SIZE_WITHIN_BLOCK, start, message);
    }
    height += pushes - pops;
    if (height > OPERANDS_MAX) {
      const message = `expected at most ${OPERANDS_MAX} values on the operand stack`;
      throw rejectIn(body, StatusCode.VALUE_STACK_OVERFLOW, start, message);
    }
  }
  if (height === 0) return;
  const message = `expected an empty operand stack at the end of the block, got ${height} values`;
  throw rejectIn(body, StatusCode.POSITIVE_STACK_SIZE_AT_BLOCK_END, start, message);
}

/** Number of values that the instruction pops. */
export function popsOf(body: FunctionContext, item: Instruction): number {
  const pops = POPS[item.op]!;
  if (pops !== VARIABLE) return pops;
  const { binary } = body;
  switch (plainOp(item.op)) {
    case Op.Ret:
      return body.returns.length;
    case Op.Call:
      return binary.signatures[handleOf(binary, item).parameters]!.length;
    case Op.Pack:
      return fieldCount(binary, item);
    case Op.VecPack:
      return Number(item.literal);
    default:
      return 1;
  }
}

/** Number of values that the instruction pushes. */
export function pushesOf(body: FunctionContext, item: Instruction): number {
  if (POPS[item.op] !== VARIABLE) return PUSHES[item.op]!;
  const { binary } = body;
  switch (plainOp(item.op)) {
    case Op.Ret:
      return 0;
    case Op.Call:
      return binary.signatures[handleOf(binary, item).returns]!.length;
    case Op.Unpack:
      return fieldCount(binary, item);
    case Op.VecUnpack:
      return Number(item.literal);
    default:
      return 1;
  }
}

/** Number of fields of the struct that an instruction packs or unpacks; a native struct has none and fails later. */
function fieldCount(binary: Binary, item: Instruction): number {
  return moduleOnly(binary).structDefinitions[namedBy(binary, item)]!.fields?.length ?? 0;
}
