/**
 * Writes the instructions on references and structs. Most references to primitives never become objects in translated
 * code: the writer tracks them as places.
 * @module
 */

import { Op } from '../binary/opcode.ts';
import type { ResolvedInstruction } from '../link/function-body.ts';
import { Cell } from '../value/reference.ts';
import type { Type } from '../value/type.ts';
import type { BlockWriter } from './block.ts';
import { type CodeWriter, expression, inner, localOperand, type Operand, type ReferencePlace } from './code-writer.ts';
import { generateElementReferenceClass, generateFieldReferenceClass, unshare } from './type-code.ts';

/** The statement that marks the owner of a container. */
export function markOwner(container: string): string {
  return `if(${container}.owner!==null)${container}.owner.dirty=true;`;
}

/** The value at a place. */
export function readPlace(place: ReferencePlace): string {
  switch (place.kind) {
    case 'local':
      return place.base;
    case 'cell':
      return `${place.base}.value`;
    case 'field':
      return `${place.base}.f${place.field}`;
    case 'element':
      return `${place.base}.items[${place.index}]`;
  }
}

/** The statements that store `value` at a place. */
function writePlace(place: ReferencePlace, value: string): string {
  const { base } = place;
  switch (place.kind) {
    case 'local':
      return `${base}=${value};`;
    case 'cell':
      return `${base}.value=${value};`;
    case 'field':
      return `${base}.f${place.field}=${value};${markOwner(base)}`;
    case 'element':
      return `${unshare(base, place.item)}${base}.items[${place.index}]=${value};${markOwner(base)}`;
  }
}

/** The reference as a value that can be stored, passed and returned; other operands already are. */
export function materialise(writer: CodeWriter, operand: Operand): Operand {
  const { place } = operand;
  if (place === undefined) return operand;
  switch (place.kind) {
    case 'local':
      return writer.compute(`new ${writer.constant(Cell)}(${place.base})`, operand);
    case 'cell':
      return { code: place.base, isAtom: true, locals: operand.locals, temporaries: operand.temporaries };
    case 'field':
      return writer.compute(
        `new ${writer.constant(generateFieldReferenceClass(place.struct, place.field))}(${place.base})`,
        operand,
      );
    case 'element':
      return writer.compute(
        `new ${writer.constant(generateElementReferenceClass(place.item))}(${place.base},${place.index})`,
        operand,
      );
  }
}

/** @returns whether the step was one of these */
export function writeReference(block: BlockWriter, step: ResolvedInstruction): boolean {
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
  const operand = localOperand(local);
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
    const place: ReferencePlace = { kind: 'field', base: struct.code, struct: type, field };
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
    // A local that is borrowed immutably cannot change before the operand is consumed.
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
