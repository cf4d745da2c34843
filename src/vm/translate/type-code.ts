/**
 * Struct classes and operations on values, generated for each type.
 *
 * An operation starts as the generic walk and is generated after some uses: generating it takes as long as about twenty
 * uses of the walk, and most types of a transaction occur once. Callers therefore go through the operations object at
 * every call. Generated and generic operations do the same (`value/generic-operations.ts`).
 *
 * This is the one place where text becomes code. V8 caches functions by their text, and functions of equal text share
 * its type feedback. Two struct classes of two fields, or one generic function with two types, would slow each other
 * down. A number in a comment makes every text different.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import type { ValueSizes } from '../gas/schedule.ts';
import { genericOperations, readBool, readByteVector, readLength } from '../value/generic-operations.ts';
import { type FieldReferenceClass, Reference } from '../value/reference.ts';
import { SignerValue, type StructClass, StructInstance } from '../value/struct.ts';
import type { Operations, Type } from '../value/type.ts';
import { ArrayVector, EMPTY_ARRAYS, U64Vector, type VectorValue } from '../value/vector.ts';

/**
 * The sizes of struct types. Thirty structs of two fields each, each of the struct before, are a type of a billion
 * parts: code may name it although no value of it can be built.
 */
const structSizes = new WeakMap<ValueSizes, WeakMap<Type, number | undefined>>();

/** The size of every value of the type; `undefined` if it depends on the value, as with vectors. */
export function fixedSize(type: Type, sizes: ValueSizes): number | undefined {
  switch (type.kind) {
    case 'vector':
      return undefined;
    case 'reference':
    case 'mutableReference':
      return sizes.reference;
    case 'signer':
      return sizes.struct + sizes.address;
    case 'struct': {
      const known = getOrInsert(structSizes, sizes, () => new WeakMap());
      if (!known.has(type)) known.set(type, structSize(type, sizes));
      return known.get(type);
    }
    default:
      return sizes[type.kind];
  }
}

function structSize(type: Type, sizes: ValueSizes): number | undefined {
  let sum = sizes.struct;
  for (const field of type.fields) {
    const size = fixedSize(field, sizes);
    if (size === undefined) return undefined;
    sum += size;
  }
  // No execution can pay for such a value.
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

let made = 0;

/** A function of `parameters` with `body`. The text must consist only of integers and generated names. */
export function makeFunction(parameters: readonly string[], body: string): (...values: unknown[]) => unknown {
  made++;
  return new Function(...parameters, `"use strict";/*${made}*/${body}`) as (...values: unknown[]) => unknown;
}

/** Uses of a generic operation after which it is generated. */
const USES_BEFORE_GENERATION = 16;

/** A class whose constructor is written out for its number of fields. */
export function generateStructClass(type: Type): StructClass {
  if (type.kind === 'signer') return SignerValue;
  const names = type.fields.map((_, index) => `f${index}`);
  const counter = type.countsReferences ? 'this.references=0;' : '';
  const stores = names.map((name) => `this.${name}=${name};`).join('');
  const text = `return class Struct{constructor(${names.join()}){this.owner=null;${counter}${stores}}}`;
  const made = makeFunction([], text)() as StructClass;
  // Not `extends`: the constructor would have to call the empty one of StructInstance.
  Object.setPrototypeOf(made.prototype, StructInstance.prototype);
  return made;
}

const fieldReferenceClasses = new WeakMap<Type, FieldReferenceClass[]>();

/**
 * The class of references to the field at `index` of structs of one type. With a class for each type, each refers to
 * objects of one shape, which makes access fast in the function that creates the reference.
 */
export function generateFieldReferenceClass(type: Type, index: number): FieldReferenceClass {
  const classes = getOrInsert(fieldReferenceClasses, type, () => []);
  classes[index] ??= makeFieldReferenceClass(index);
  return classes[index];
}

function makeFieldReferenceClass(index: number): FieldReferenceClass {
  const get = `get(){return this.target.f${index};}`;
  const set = `set(v){const t=this.target;t.f${index}=v;if(t.owner!==null)t.owner.dirty=true;}`;
  return makeReferenceClass(`FieldReference{constructor(target){this.target=target;}${get}${set}}`);
}

/** A subclass of `Reference`: its name and body. Without `extends`, whose constructor would have to call the base's. */
function makeReferenceClass<Class extends new (...parameters: never[]) => Reference>(text: string): Class {
  const made = makeFunction([], `return class ${text}`)() as Class;
  Object.setPrototypeOf(made.prototype, Reference.prototype);
  return made;
}

/** Kinds of elements whose vectors share no memory with copies. */
const COPIED: ReadonlySet<string> = new Set(['struct', 'vector', 'signer']);

/** The statement that unshares the items of a vector before an element changes or is removed. */
export function unshare(vector: string, item: string): string {
  return COPIED.has(item) ? '' : `if(${vector}.shared)${vector}.unshare();`;
}

const elementReferenceClasses = new Map<string, ElementReferenceClass>();

/** Makes a reference to the element of a vector at an index below its length. */
type ElementReferenceClass = new (vector: VectorValue, index: number) => Reference;

/** The class of references to elements of vectors whose elements are of one kind. */
export function generateElementReferenceClass(item: string): ElementReferenceClass {
  return getOrInsert(elementReferenceClasses, item, () => {
    const set = `set(x){const v=this.vector;${unshare('v', item)}v.items[this.index]=x;if(v.owner!==null)v.owner.dirty=true;}`;
    const get = 'get(){return this.vector.items[this.index];}';
    return makeReferenceClass(`ElementReference{constructor(v,i){this.vector=v;this.index=i;}${get}${set}}`);
  });
}

/** Operations that generate themselves. */
export function adaptiveOperations(type: Type, sizes: ValueSizes): Operations {
  const generic = genericOperations(type, sizes);
  if (type.kind !== 'struct' && type.kind !== 'vector') return generic;
  const operations: { -readonly [Name in keyof Operations]: Operations[Name] } = { ...generic };
  for (const name of Object.keys(generic) as (keyof Operations)[]) {
    let uses = 0;
    const walk = generic[name] as (...operands: unknown[]) => unknown;
    const adaptive = (...operands: unknown[]): unknown => {
      if (++uses < USES_BEFORE_GENERATION) return walk(...operands);
      const generated = generate(type, name, sizes);
      operations[name] = generated as never;
      return generated(...operands);
    };
    operations[name] = adaptive as never;
  }
  return operations;
}

type AnyFunction = (...operands: unknown[]) => unknown;

/** The values that generated code names `c0`, `c1`, ... */
class Names {
  readonly values: unknown[] = [];

  of(value: unknown): string {
    const known = this.values.indexOf(value);
    return `c${known === -1 ? this.values.push(value) - 1 : known}`;
  }
}

function generate(type: Type, name: keyof Operations, sizes: ValueSizes): AnyFunction {
  const names = new Names();
  const writers = type.kind === 'struct' ? STRUCT_CODE : VECTOR_CODE;
  const code = writers[name](type, names, sizes);
  const parameters = names.values.map((_, index) => `c${index}`);
  return makeFunction(parameters, `return ${code}`)(...names.values) as AnyFunction;
}

type CodeOf = (type: Type, names: Names, sizes: ValueSizes) => string;

const STRUCT_CODE: Readonly<Record<keyof Operations, CodeOf>> = {
  copy: (type, names) => {
    const fields = type.fields.map((field, index) => copyOf(field, `v.f${index}`, names));
    return `v=>new ${names.of(type.structClass)}(${fields.join()})`;
  },
  equals: (type, names) => {
    const fields = type.fields.map((field, index) => equalityOf(field, `a.f${index}`, `b.f${index}`, names));
    return `(a,b)=>${fields.join('&&')}`;
  },
  assign: (type) => {
    const stores = type.fields.map((_, index) => `t.f${index}=v.f${index};`);
    return `(t,v)=>{${stores.join('')}if(t.owner!==null)t.owner.dirty=true;}`;
  },
  size: (type, names, sizes) => `v=>${sizeOfStruct(type, names, sizes, 'size')}`,
  comparedSize: (type, names, sizes) => `v=>${sizeOfStruct(type, names, sizes, 'comparedSize')}`,
  write: (type, names) => {
    const fields = type.fields.map((field, index) => `${writeOf(field, `v.f${index}`, names)};`);
    return `(w,v)=>{${fields.join('')}}`;
  },
  read: (type, names) => {
    const fields = type.fields.map((field) => readOf(field, names));
    return `(r,o)=>{const s=new ${names.of(type.structClass)}(${fields.join()});s.owner=o;return s;}`;
  },
};

const VECTOR_CODE: Readonly<Record<keyof Operations, CodeOf>> = {
  copy: ({ item }, names) => {
    if (!item.isContainer) return 'v=>v.copy()';
    // An array that grows by pushing reserves room for seventeen elements; most lists have one.
    const vector = names.of(ArrayVector);
    const element = copyOf(item, 'a[i]', names);
    return `v=>{const a=v.items.slice();for(let i=0;i<a.length;i++)a[i]=${element};return new ${vector}(a);}`;
  },
  equals: ({ item }, names) => {
    if (isPacked(item)) return '(a,b)=>a.equals(b)';
    const element = equalityOf(item, 'a.items[i]', 'b.items[i]', names);
    return `(a,b)=>{const n=a.items.length;if(n!==b.items.length)return false;for(let i=0;i<n;i++)if(!(${element}))return false;return true;}`;
  },
  assign: () => '(t,v)=>t.assign(v)',
  size: (type, names, sizes) => sizeOfVector(type.item, names, sizes, 'size'),
  comparedSize: (type, names, sizes) => sizeOfVector(type.item, names, sizes, 'comparedSize'),
  write: ({ item }, names) => {
    if (item.kind === 'u8') return '(w,v)=>{w.uleb128(v.length);w.bytes(v.view());}';
    const length = isPacked(item) ? 'v.length' : 'v.items.length';
    return `(w,v)=>{const n=${length};w.uleb128(n);for(let i=0;i<n;i++)${writeOf(item, 'v.items[i]', names)};}`;
  },
  read: ({ item }, names) => {
    if (item.kind === 'u8') return `(r,o)=>{const v=${names.of(readByteVector)}(r);v.owner=o;return v;}`;
    const length = `${names.of(readLength)}(r)`;
    const element = readOf(item, names);
    const end = (vector: unknown): string => `const v=new ${names.of(vector)}(a);v.owner=o;return v;`;
    if (item.kind === 'u64') {
      const array = `n===0?${names.of(EMPTY_ARRAYS.u64)}:new BigUint64Array(n)`;
      return `(r,o)=>{const n=${length},a=${array};for(let i=0;i<n;i++)a[i]=${element};${end(U64Vector)}}`;
    }
    const more = `for(let i=1;i<n;i++)a.push(${element});`;
    return `(r,o)=>{const n=${length},a=n===0?[]:[${element}];${more}${end(ArrayVector)}}`;
  },
};

function isPacked({ kind }: Type): boolean {
  return kind === 'u8' || kind === 'u64';
}

function copyOf(type: Type, code: string, names: Names): string {
  return type.isContainer ? `${names.of(type.operations)}.copy(${code})` : code;
}

function equalityOf(type: Type, left: string, right: string, names: Names): string {
  if (type.isContainer) return `${names.of(type.operations)}.equals(${left},${right})`;
  if (type.kind === 'address') return `${names.of(equalBytes)}(${left},${right})`;
  return `${left}===${right}`;
}

function writeOf(type: Type, code: string, names: Names): string {
  if (type.isContainer) return `${names.of(type.operations)}.write(w,${code})`;
  if (type.kind === 'address') return `w.bytes(${code})`;
  return type.kind === 'bool' ? `w.u8(${code}?1:0)` : `w.${type.kind}(${code})`;
}

function readOf(type: Type, names: Names): string {
  if (type.isContainer) return `${names.of(type.operations)}.read(r,o)`;
  if (type.kind === 'address') return 'r.copy(32)';
  return type.kind === 'bool' ? `${names.of(readBool)}(r)` : `r.${type.kind}()`;
}

function sizeOfStruct(type: Type, names: Names, sizes: ValueSizes, name: 'size' | 'comparedSize'): string {
  let fixed = sizes.struct;
  const parts: string[] = [];
  for (const [index, field] of type.fields.entries()) {
    const size = fixedSize(field, sizes);
    if (size === undefined) parts.push(`${names.of(field.operations)}.${name}(v.f${index})`);
    else fixed += size;
  }
  return [String(fixed), ...parts].join('+');
}

function sizeOfVector(item: Type, names: Names, sizes: ValueSizes, name: 'size' | 'comparedSize'): string {
  if (item.isContainer) {
    const fixed = fixedSize(item, sizes);
    if (fixed !== undefined) return `v=>${sizes.vector}+${fixed}*v.items.length`;
    const element = `${names.of(item.operations)}.${name}(v.items[i])`;
    return `v=>{const n=v.items.length;let s=${sizes.vector};for(let i=0;i<n;i++)s+=${element};return s;}`;
  }
  const { kind } = item as { kind: 'u8' };
  const singly = name === 'comparedSize' && ['u16', 'u32', 'u256'].includes(kind);
  const each = singly ? sizes[kind] : sizes[`per_${kind}_packed`];
  return `v=>${sizes.vector}+${each}*${isPacked(item) ? 'v.length' : 'v.items.length'}`;
}
