/**
 * Writes the instructions on references and structs.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import type { Step } from '../link/function-body.ts';
import type { Type } from '../value/type.ts';
import type { BlockWriter } from './block.ts';
import { expression, inner, localOperand, type Operand, type Place } from './code-writer.ts';
import { materialise, readPlace, writePlace } from './place.ts';

/** @returns whether the step was one of these */
export function writeReference(block: BlockWriter, step: Step): boolean {
  switch (step.op) {
    case Op.MutBorrowLoc:
    case Op.ImmBorrowLoc:
      borrowLocal(block, step.operand, step.type!);
      return true;
    case Op.MutBorrowField:
    case Op.ImmBorrowField:
      borrowField(block, step.operand, step.type!);
      return true;
    case Op.ReadRef:
      readReference(block, step.type!);
      return true;
    case Op.WriteRef:
      writeThrough(block, step.type!);
      return true;
    case Op.FreezeRef:
      return true;
    case Op.Pack: {
      const fields = block.popMany(step.type!.fields.length).map((field) => materialise(block.writer, field));
      const name = block.writer.constant(step.type!.structClass);
      block.push(expression(`new ${name}(${fields.map((field) => field.code).join()})`, fields));
      return true;
    }
    case Op.Unpack: {
      const struct = block.writer.atom(block.pop());
      for (const index of step.type!.fields.keys()) block.push(block.writer.hold(`${struct.code}.f${index}`));
      block.writer.release(struct);
      return true;
    }
    default:
      return false;
  }
}

function borrowLocal(block: BlockWriter, local: number, type: Type): void {
  const operand = localOperand(block.numberOf(local));
  if (type.isContainer) {
    if (type.countsReferences) block.writer.emit(`${operand.code}.references++;`);
    block.push(operand);
  } else if (block.isInCell(local)) {
    // The cell stays in its local forever, so the operand does not depend on what is stored there.
    block.push({ ...operand, locals: [], place: { kind: 'cell', base: operand.code } });
  } else {
    block.push({ ...operand, place: { kind: 'local', base: operand.code } });
  }
}

function borrowField(block: BlockWriter, field: number, type: Type): void {
  const { writer } = block;
  const fieldType = type.fields[field]!;
  const struct = writer.atom(block.pop());
  if (!fieldType.isContainer) {
    if (type.countsReferences) writer.emit(`${struct.code}.references--;`);
    const place: Place = { kind: 'field', base: struct.code, struct: type, field };
    block.push({ ...struct, place });
    return;
  }
  const target = writer.hold(`${struct.code}.f${field}`);
  if (type.countsReferences) writer.emit(`${struct.code}.references--;`);
  if (fieldType.countsReferences) writer.emit(`${target.code}.references++;`);
  writer.release(struct);
  block.push(target);
}

function readReference(block: BlockWriter, type: Type): void {
  const { writer } = block;
  const reference = block.pop();
  if (!type.isContainer) {
    const { place } = reference;
    // A local that is borrowed immutably cannot change before it is used up.
    if (place?.kind === 'local') {
      const { code, isAtom, locals, temporaries } = reference;
      block.push({ code, isAtom, locals, temporaries });
    } else {
      block.push(writer.compute(place === undefined ? `${inner(reference)}.get()` : readPlace(place), reference));
    }
    return;
  }
  const container = writer.atom(reference);
  block.chargeSize(type, container.code, block.context.unitPrices.read);
  if (type.countsReferences) writer.emit(`${container.code}.references--;`);
  block.push(writer.compute(`${writer.constant(type.operations)}.copy(${container.code})`, container));
}

function writeThrough(block: BlockWriter, type: Type): void {
  const { writer } = block;
  const reference: Operand = block.pop();
  const value = block.pop();
  if (type.isContainer) {
    const target = writer.atom(reference);
    writer.emit(`${writer.constant(type.operations)}.assign(${target.code},${value.code});`);
    if (type.countsReferences) writer.emit(`${target.code}.references--;`);
    writer.release(target, value);
    return;
  }
  const { place } = reference;
  writer.emit(place === undefined ? `${inner(reference)}.set(${value.code});` : writePlace(place, value.code));
  writer.release(reference, value);
}
