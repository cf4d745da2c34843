/**
 * Writes the instructions on vectors. The element type determines the class (`value/vector.ts`); hot operations are
 * inlined.
 * @module
 */
import { Op } from '../binary/opcode.ts';
import { VectorFault } from '../interpret/handlers.ts';
import type { ResolvedInstruction } from '../link/function-body.ts';
import { vectorOf } from '../value/generic-operations.ts';
import type { Type } from '../value/type.ts';
import { ArrayVector, ByteVector, EMPTY_ARRAYS, U64Vector } from '../value/vector.ts';
import type { BlockWriter } from './block.ts';
import { expression, type Operand, type ReferencePlace } from './code-writer.ts';
import { numberToWide, writeIndex } from './integer.ts';
import { markOwner } from './reference.ts';
import { unshare } from './type-code.ts';

/** Classes of vectors with typed arrays, with the empty array that their instances may share. */
const PACKED: Readonly<Record<string, { readonly vector: unknown; readonly empty: unknown }>> = {
  u8: { vector: ByteVector, empty: EMPTY_ARRAYS.u8 },
  u64: { vector: U64Vector, empty: EMPTY_ARRAYS.u64 },
};

/** @returns whether the step was one of these */
export function writeVector(block: BlockWriter, step: ResolvedInstruction): boolean {
  const item = step.type!;
  switch (step.op) {
    case Op.VecPack:
      pack(block, item, step.operand);
      return true;
    case Op.VecLen: {
      const vector = block.writer.atom(block.pop());
      block.push(numberToWide(block.writer.compute(lengthOf(vector, item), vector)));
      return true;
    }
    case Op.VecImmBorrow:
    case Op.VecMutBorrow:
      borrow(block, item);
      return true;
    case Op.VecPushBack:
      pushBack(block, item);
      return true;
    case Op.VecPopBack:
      popBack(block, item);
      return true;
    case Op.VecUnpack:
      unpack(block, item, step.operand);
      return true;
    case Op.VecSwap: {
      const [vector, left, right] = block.popMany(3) as [Operand, Operand, Operand];
      const target = block.writer.atom(vector);
      const check = block.vectorCheck(VectorFault.IndexOutOfBounds);
      const a = writeIndex(block.writer, left, lengthOf(target, item), check);
      const b = writeIndex(block.writer, right, lengthOf(target, item), check);
      block.writer.emit(`${target.code}.swap(${a.code},${b.code});`);
      block.writer.release(target, a, b);
      return true;
    }
    default:
      return false;
  }
}

/** The number of elements; `vector` is a name. */
function lengthOf(vector: Operand, item: Type): string {
  return PACKED[item.kind] === undefined ? `${vector.code}.items.length` : `${vector.code}.length`;
}

function pack(block: BlockWriter, item: Type, count: number): void {
  const { writer } = block;
  const elements = block.popMany(count);
  const packed = PACKED[item.kind];
  const list = `[${elements.map((element) => element.code).join()}]`;
  if (packed === undefined) {
    block.push(expression(`new ${writer.constant(ArrayVector)}(${list})`, elements));
  } else if (count === 0) {
    block.push(expression(`new ${writer.constant(packed.vector)}(${writer.constant(packed.empty)})`, []));
  } else {
    block.push(expression(`${writer.constant(vectorOf)}(${writer.constant(item)},${list})`, elements));
  }
}

function borrow(block: BlockWriter, item: Type): void {
  const { writer } = block;
  const [reference, given] = block.popMany(2) as [Operand, Operand];
  const vector = writer.atom(reference);
  const check = block.vectorCheck(VectorFault.IndexOutOfBounds);
  const index = writer.settle(writeIndex(writer, given, lengthOf(vector, item), check));
  if (item.isContainer) {
    const element = writer.compute(`${vector.code}.items[${index.code}]`, vector, index);
    if (item.countsReferences) writer.emit(`${element.code}.references++;`);
    block.push(element);
    return;
  }
  const place: ReferencePlace = { kind: 'element', base: vector.code, index: index.code, item: item.kind };
  block.push({ ...vector, temporaries: [...vector.temporaries, ...index.temporaries], place });
}

function pushBack(block: BlockWriter, item: Type): void {
  const { writer } = block;
  const [reference, value] = block.popMany(2) as [Operand, Operand];
  const vector = writer.atom(reference);
  const { code } = vector;
  if (PACKED[item.kind] === undefined) {
    writer.emit(`${unshare(code, item.kind)}${code}.items.push(${value.code});${markOwner(code)}`);
  } else {
    writer.emit(`if(${code}.length===${code}.items.length)${code}.grow(${code}.length+1);`);
    writer.emit(`${code}.items[${code}.length++]=${value.code};${markOwner(code)}`);
  }
  writer.release(vector, value);
}

function popBack(block: BlockWriter, item: Type): void {
  const { writer } = block;
  const vector = writer.atom(block.pop());
  const { code } = vector;
  writer.emit(block.vectorCheck(VectorFault.PopEmpty)(`${lengthOf(vector, item)}===0`));
  writer.emit(unshare(code, item.kind) + markOwner(code));
  const isPacked = PACKED[item.kind] !== undefined;
  block.push(writer.compute(isPacked ? `${code}.items[--${code}.length]` : `${code}.items.pop()`, vector));
}

function unpack(block: BlockWriter, item: Type, count: number): void {
  const { writer } = block;
  const vector = writer.atom(block.pop());
  writer.emit(block.vectorCheck(VectorFault.UnpackLength)(`${lengthOf(vector, item)}!==${count}`));
  for (let index = 0; index < count; index++) {
    block.push(writer.hold(`${vector.code}.items[${index}]`));
  }
  writer.release(vector);
}
