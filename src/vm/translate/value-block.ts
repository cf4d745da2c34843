/**
 * Writes the instructions that compute values: literals, constants, logic, comparisons, arithmetic and casts.
 * @module
 */
import { CAST_TARGETS, Op } from '../binary/opcode.ts';
import type { ResolvedInstruction } from '../link/function-body.ts';
import type { ModuleConstant } from '../link/loaded-module.ts';
import type { IntegerKind } from '../value/integer.ts';
import type { Type } from '../value/type.ts';
import type { BlockWriter } from './block.ts';
import { expression, inner, literal, type Operand } from './code-writer.ts';
import { integerLiteral, writeArithmetic, writeCast, writeShift } from './integer.ts';
import { readPlace } from './reference.ts';

const OPERATORS: Readonly<Partial<Record<Op, string>>> = {
  [Op.Lt]: '<',
  [Op.Gt]: '>',
  [Op.Le]: '<=',
  [Op.Ge]: '>=',
  [Op.And]: '&&',
  [Op.Or]: '||',
};

/** Writes any step that the other files do not handle. */
export function writeValue(block: BlockWriter, step: ResolvedInstruction): void {
  const { writer } = block;
  switch (step.op) {
    case Op.LdTrue:
    case Op.LdFalse:
      block.push(literal(step.op === Op.LdTrue ? 'true' : 'false'));
      return;
    case Op.LdU8:
    case Op.LdU16:
    case Op.LdU32:
      block.push(literal(String(step.operand), String(step.operand)));
      return;
    case Op.LdU64:
    case Op.LdU128:
    case Op.LdU256:
      block.push(integerLiteral('u64', step.value as bigint));
      return;
    case Op.LdConst:
      loadConstant(block, step);
      return;
    case Op.Not: {
      const value = block.pop();
      block.push(expression(`!${inner(value)}`, [value]));
      return;
    }
    case Op.And:
    case Op.Or:
    case Op.Lt:
    case Op.Gt:
    case Op.Le:
    case Op.Ge: {
      const operands = block.popMany(2) as [Operand, Operand];
      const [left, right] = comparable(operands);
      block.push(expression(`${left}${OPERATORS[step.op]}${right}`, operands));
      return;
    }
    case Op.Eq:
    case Op.Neq:
      compare(block, step);
      return;
    case Op.CastU8:
    case Op.CastU16:
    case Op.CastU32:
    case Op.CastU64:
    case Op.CastU128:
    case Op.CastU256: {
      const target = CAST_TARGETS[step.op]!;
      block.push(writeCast(writer, step.type!.kind as IntegerKind, target, block.pop(), block.arithmeticCheck));
      return;
    }
    default: {
      const operands = block.popMany(2) as [Operand, Operand];
      const write = step.op === Op.Shl || step.op === Op.Shr ? writeShift : writeArithmetic;
      block.push(write(writer, step.op, step.type!.kind as IntegerKind, operands, block.arithmeticCheck));
    }
  }
}

function loadConstant(block: BlockWriter, step: ResolvedInstruction): void {
  const { writer } = block;
  const constant = step.value as ModuleConstant;
  const { kind } = constant.type;
  switch (kind) {
    case 'bool':
      block.push(literal(String(constant.copy())));
      return;
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u64':
    case 'u128':
    case 'u256':
      block.push(integerLiteral(kind, constant.copy() as bigint | number));
      return;
    case 'address':
      block.push(literal(writer.constant(constant.copy())));
      return;
    default:
      if (constant.isLong) {
        writer.emit('g.settle();');
        block.push(
          writer.hold(`${writer.constant(block.context.processor)}.loadConstant(${writer.constant(constant)})`),
        );
      } else block.push(expression(`${writer.constant(constant)}.copy()`, []));
  }
}

/** Eq and Neq; references are compared by what they refer to. */
function compare(block: BlockWriter, step: ResolvedInstruction): void {
  const { writer } = block;
  const type = step.type!;
  const target = type.isReference ? type.item : type;
  const isEqual = step.op === Op.Eq;
  const operands = block.popMany(2).map((operand) => (type.isReference ? readBehind(block, operand, target) : operand));
  const [left, right] = operands as [Operand, Operand];
  if (!target.isContainer && target.kind !== 'address') {
    const [a, b] = comparable([left, right]);
    block.push(expression(`${a}${isEqual ? '===' : '!=='}${b}`, operands));
    return;
  }
  const [a, b] = [writer.atom(left), writer.atom(right)];
  const { unitPrices } = block.context;
  const price = isEqual ? unitPrices.equal : unitPrices.unequal;
  if (block.fixedSize(target) === undefined && price !== 0) {
    const size = `${writer.constant(target.operations)}.comparedSize`;
    writer.emit(`g.chargeWithin(${price}*(${size}(${a.code})+${size}(${b.code})));`);
  }
  if (type.isCountedReference) writer.emit(`${a.code}.references--;${b.code}.references--;`);
  const equals = `${writer.constant(target.operations)}.equals`;
  block.push(writer.compute(`${isEqual ? '' : '!'}${equals}(${a.code},${b.code})`, a, b));
}

/** Two operands as parts of a comparison: as numbers if both are available as numbers. */
function comparable([left, right]: readonly [Operand, Operand]): readonly [string, string] {
  const isNumber = left.asNumber !== undefined && right.asNumber !== undefined;
  return isNumber ? [left.asNumber, right.asNumber] : [inner(left), inner(right)];
}

/** The value behind a reference, for a comparison: a container is not copied. */
function readBehind(block: BlockWriter, reference: Operand, target: Type): Operand {
  if (target.isContainer) return reference;
  const { place } = reference;
  return block.writer.compute(place === undefined ? `${inner(reference)}.get()` : readPlace(place), reference);
}
