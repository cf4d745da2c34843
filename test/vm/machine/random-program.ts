/**
 * Random programs that the verifier accepts and that do something when they run: arithmetic of every width, structs,
 * vectors, generics, references held across statements, loops, branches, calls, early returns and aborts.
 *
 * A program is written from a source of choices, so that a test library can make it smaller by making the choices
 * smaller: choice 0 is always the simplest. It is built from statements, which are lowered to instructions with an
 * empty operand stack between them; borrowed locals are left alone while a reference to them is held.
 * @module
 */

import { concatBytes } from '../../../src/base/bytes/bytes.ts';

/** Gives a number from 0 to `bound - 1`. */
export type Choose = (bound: number) => number;

const INTEGERS = ['u8', 'u16', 'u32', 'u64', 'u128', 'u256'] as const;
const BITS: Readonly<Record<string, number>> = { u8: 8, u16: 16, u32: 32, u64: 64, u128: 128, u256: 256 };

/** Those that cannot fail are listed more than once, or no program would reach its end. */
const ARITHMETIC = [
  'BitAnd',
  'BitOr',
  'Xor',
  'Add',
  'BitAnd',
  'Xor',
  'Sub',
  'BitOr',
  'Mul',
  'BitAnd',
  'Div',
  'Xor',
  'Mod',
  'Add',
];

const FIELDS: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>> = {
  S: [
    ['a', 'u64'],
    ['b', 'u8'],
    ['c', 'bool'],
  ],
  T: [
    ['s', 'S'],
    ['v', 'vector<u64>'],
    ['w', 'u16'],
    ['o', 'address'],
  ],
  'G<u128>': [
    ['t', 'u128'],
    ['n', 'u32'],
  ],
  'G<S>': [
    ['t', 'S'],
    ['n', 'u32'],
  ],
};

/** A constant of 300 empty lists, whose instruction counts work. */
const LONG_LIST = `0xac02${'00'.repeat(300)}`;
const VECTORS = ['u8', 'u64', 'bool', 'u256', 'S', 'vector<u8>', 'u16', 'address'].map((item) => `vector<${item}>`);
const TYPES: readonly string[] = ['u64', ...INTEGERS, 'bool', 'address', ...Object.keys(FIELDS), ...VECTORS];
/** What functions take by reference. */
const REFERENCES = ['u64', 'S', 'vector<u64>', 'u8', 'T', 'bool'];

const DECLARATIONS = `
  struct S has copy, drop { a: u64, b: u8, c: bool }
  struct T has copy, drop { s: S, v: vector<u64>, w: u16, o: address }
  struct G<X: copy, drop> has copy, drop { t: X, n: u32 }
  fun same<X>(x: X): X { MoveLoc x; Ret }
  fun twice<X: copy, drop>(x: X): vector<X> { CopyLoc x; MoveLoc x; VecPack X 2; Ret }
  fun put<X: drop>(r: &mut X, x: X) { MoveLoc x; MoveLoc r; WriteRef; Ret }
  fun get<X: copy>(r: &X): X { MoveLoc r; ReadRef; Ret }
  fun field(s: &mut S): &mut u64 { MoveLoc s; MutBorrowField S.a; Ret }`;

interface Signature {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly returns: readonly string[];
}

/** A path from a local to a place of some type. */
interface Path {
  readonly local: number;
  /** Instructions after the borrow of the local; each takes a reference and gives one. */
  readonly steps: readonly { readonly field?: string; readonly item?: string }[];
  readonly type: string;
}

/** A module `program` and what its function `main` takes. */
interface RandomProgram {
  readonly text: string;
  readonly parameters: readonly string[];
}

/** A program whose `main` takes at most `parametersMax` values. */
export function randomProgram(choose: Choose, parametersMax = 0): RandomProgram {
  const signatures: Signature[] = [];
  const functions: string[] = [];
  const count = choose(4);
  for (let index = 0; index <= count; index++) {
    const isMain = index === count;
    const pick = (list: readonly string[]): string => list[choose(list.length)]!;
    const parameters = Array.from({ length: choose(isMain ? parametersMax + 1 : 4) }, () =>
      isMain ? pick(TYPES) : randomParameter(choose),
    );
    const returns = Array.from({ length: isMain ? 1 + choose(3) : choose(3) }, () => pick(TYPES));
    const signature = { name: isMain ? 'main' : `f${index}`, parameters, returns };
    functions.push(new FunctionWriter(choose, signature, [...signatures]).text());
    signatures.push(signature);
  }
  const text = `module 0x1::program ${DECLARATIONS}\n${functions.join('\n')}`;
  return { text, parameters: signatures.at(-1)!.parameters };
}

/** BCS of a value for a parameter of `main`. */
export function randomArgument(choose: Choose, type: string): Uint8Array {
  const bits = BITS[type];
  if (bits !== undefined) return randomInteger(choose, bits / 8);
  if (type === 'bool') return Uint8Array.of(choose(2));
  if (type === 'address') return new Uint8Array(32).fill(choose(3), 31);
  const item = /^vector<(.*)>$/.exec(type)?.[1];
  if (item === undefined) return concatBytes(...FIELDS[type]!.map(([, field]) => randomArgument(choose, field)));
  const items = Array.from({ length: choose(5) }, () => randomArgument(choose, item));
  return concatBytes(Uint8Array.of(items.length), ...items);
}

/** Small, or near one of its ends. */
function randomInteger(choose: Choose, width: number): Uint8Array {
  const kind = choose(8);
  const bytes = new Uint8Array(width).fill(kind === 1 ? 0xff : 0);
  bytes[0] = kind === 1 ? 255 - choose(3) : choose(12);
  if (kind === 2) bytes[width - 1] = 0x80;
  if (kind === 3) bytes[choose(width)] = choose(256);
  return bytes;
}

function randomParameter(choose: Choose): string {
  const kind = choose(4);
  if (kind === 1) return `&mut ${REFERENCES[choose(REFERENCES.length)]!}`;
  if (kind === 2) return `&${REFERENCES[choose(REFERENCES.length)]!}`;
  return TYPES[choose(TYPES.length)]!;
}

class FunctionWriter {
  readonly #choose: Choose;
  readonly #signature: Signature;
  readonly #callees: readonly Signature[];
  readonly #locals: string[];
  readonly #lines: string[] = [];
  /** Locals that a held reference may point into, and locals that are being stored to elsewhere. */
  readonly #borrowed = new Set<number>();
  #labels = 0;
  #budget = 60;

  constructor(choose: Choose, signature: Signature, callees: readonly Signature[]) {
    this.#choose = choose;
    this.#signature = signature;
    this.#callees = callees;
    this.#locals = [...signature.parameters];
  }

  text(): string {
    const { name, parameters, returns } = this.#signature;
    const own = 2 + this.#choose(6);
    for (let index = 0; index < own; index++) {
      const type = TYPES[this.#choose(TYPES.length)]!;
      this.#locals.push(type);
      this.#literal(type);
      this.#emit(`StLoc ${this.#locals.length - 1}`);
    }
    this.#statements(1 + this.#choose(7), 0);
    this.#return();
    const declared = this.#locals.map((type, index) => `l${index}: ${type}`);
    const locals = declared.slice(parameters.length).map((local) => `let ${local}`);
    const result = returns.length === 0 ? '' : `: ${returns.join(', ')}`;
    const head = `fun ${name}(${declared.slice(0, parameters.length).join(', ')})${result}`;
    return [`${head} {`, ...locals, ...this.#lines, '}'].join('\n');
  }

  #emit(line: string): void {
    this.#lines.push(line);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#choose(items.length)]!;
  }

  #label(): string {
    return `at${this.#labels++}`;
  }

  #addLocal(type: string): number {
    this.#locals.push(type);
    return this.#locals.length - 1;
  }

  #return(): void {
    for (const type of this.#signature.returns) this.#expression(type, 2);
    this.#emit('Ret');
  }

  #statements(count: number, depth: number): void {
    for (let index = 0; index < count && this.#budget > 0; index++) this.#statement(depth);
  }

  #statement(depth: number): void {
    this.#budget--;
    const kind = this.#choose(depth < 3 ? 14 : 8);
    switch (kind) {
      case 1:
        this.#write();
        return;
      case 2:
      case 3:
        this.#changeVector();
        return;
      case 4:
        this.#call();
        return;
      case 5:
        this.#unpack();
        return;
      case 6:
        this.#put();
        return;
      case 7:
        this.#maybeStop();
        return;
      case 8:
      case 9:
        this.#conditional(depth);
        return;
      case 10:
      case 11:
        this.#loop(depth);
        return;
      case 12:
      case 13:
        this.#held(depth);
        return;
      default:
        this.#assign();
    }
  }

  #valueLocals(): number[] {
    return [...this.#locals.keys()].filter(
      (local) => !this.#locals[local]!.startsWith('&') && !this.#borrowed.has(local),
    );
  }

  #assign(): void {
    const locals = this.#valueLocals();
    if (locals.length === 0) return;
    const local = this.#pick(locals);
    this.#expression(this.#locals[local]!, 3);
    this.#emit(`StLoc ${local}`);
  }

  /** Paths to places of all types; `isMutable` leaves out immutable references. */
  #paths(isMutable: boolean): Path[] {
    const paths: Path[] = [];
    for (const [local, declared] of this.#locals.entries()) {
      if (this.#borrowed.has(local)) continue;
      if (isMutable && declared.startsWith('&') && !declared.startsWith('&mut')) continue;
      this.#extend({ local, steps: [], type: declared.replace(/^&(mut )?/, '') }, paths, 0);
    }
    return paths;
  }

  #extend(path: Path, paths: Path[], depth: number): void {
    paths.push(path);
    if (depth === 2) return;
    for (const [field, type] of FIELDS[path.type] ?? []) {
      this.#extend({ ...path, steps: [...path.steps, { field: `${path.type}.${field}` }], type }, paths, depth + 1);
    }
    const item = /^vector<(.*)>$/.exec(path.type)?.[1];
    if (item !== undefined) this.#extend({ ...path, steps: [...path.steps, { item }], type: item }, paths, depth + 1);
  }

  /** Leaves a reference to the end of the path on the stack. */
  #borrow(path: Path, isMutable: boolean): void {
    const kind = isMutable ? 'Mut' : 'Imm';
    const declared = this.#locals[path.local]!;
    if (!declared.startsWith('&')) this.#emit(`${kind}BorrowLoc ${path.local}`);
    else {
      this.#emit(`CopyLoc ${path.local}`);
      if (!isMutable && declared.startsWith('&mut')) this.#emit('FreezeRef');
    }
    for (const { field, item } of path.steps) {
      if (field !== undefined) this.#emit(`${kind}BorrowField ${field}`);
      else {
        this.#index();
        this.#emit(`Vec${kind}Borrow ${item}`);
      }
    }
  }

  /** An index into a vector: most are small. No local is read, since one may be borrowed by now. */
  #index(): void {
    this.#emit(`LdU64 ${this.#pick([0, 1, 0, 2, 3, 0, 1, 4294967296])}`);
  }

  #pathOf(type: string | undefined, isMutable: boolean): Path | undefined {
    const paths = this.#paths(isMutable).filter((path) => type === undefined || path.type === type);
    return paths.length === 0 ? undefined : this.#pick(paths);
  }

  #write(): void {
    const path = this.#pathOf(undefined, true);
    if (path === undefined) return;
    this.#expression(path.type, 2);
    this.#borrow(path, true);
    this.#emit('WriteRef');
  }

  #changeVector(): void {
    const paths = this.#paths(true).filter((path) => path.type.startsWith('vector'));
    if (paths.length === 0) return;
    const path = this.#pick(paths);
    const item = path.type.slice(7, -1);
    switch (this.#choose(4)) {
      case 1: {
        const kept = this.#addLocal(item);
        this.#borrow(path, true);
        this.#emit(`VecPopBack ${item}; StLoc ${kept}`);
        // Not filled on every path that leads here, so it must not be read elsewhere.
        this.#borrowed.add(kept);
        return;
      }
      case 2:
        this.#borrow(path, true);
        this.#index();
        this.#index();
        this.#emit(`VecSwap ${item}`);
        return;
      default: {
        const value = this.#addLocal(item);
        this.#borrowed.add(value);
        this.#expression(item, 2);
        this.#emit(`StLoc ${value}`);
        this.#borrow(path, true);
        this.#emit(`MoveLoc ${value}; VecPushBack ${item}`);
      }
    }
  }

  #call(): void {
    const callee = this.#callees.length === 0 ? undefined : this.#pick(this.#callees);
    if (callee === undefined || !this.#arguments(callee)) return;
    this.#emit(`Call ${callee.name}`);
    for (const _ of callee.returns) this.#emit('Pop');
  }

  /** Pushes arguments, references to different locals; false, and nothing pushed, if there are not enough. */
  #arguments(callee: Signature): boolean {
    const taken: number[] = [];
    const paths: (Path | undefined)[] = [];
    let isPossible = true;
    for (const parameter of callee.parameters) {
      if (!parameter.startsWith('&')) {
        paths.push(undefined);
        continue;
      }
      const path = this.#pathOf(parameter.replace(/^&(mut )?/, ''), parameter.startsWith('&mut'));
      if (path === undefined) isPossible = false;
      else {
        paths.push(path);
        taken.push(path.local);
        this.#borrowed.add(path.local);
      }
    }
    if (isPossible) {
      for (const [index, parameter] of callee.parameters.entries()) {
        const path = paths[index];
        if (path === undefined) this.#expression(parameter, 1);
        else this.#borrow(path, parameter.startsWith('&mut'));
      }
    }
    for (const local of taken) this.#borrowed.delete(local);
    return isPossible;
  }

  #unpack(): void {
    const type = this.#pick(Object.keys(FIELDS));
    this.#expression(type, 2);
    this.#emit(`Unpack ${type}`);
    for (const [, field] of [...FIELDS[type]!].reverse()) {
      const target = this.#valueLocals().find((local) => this.#locals[local] === field);
      this.#emit(target === undefined ? 'Pop' : `StLoc ${target}`);
    }
  }

  #put(): void {
    const path = this.#pathOf(this.#choose(2) === 0 ? 'u64' : undefined, true);
    if (path === undefined) return;
    const value = this.#addLocal(path.type);
    this.#borrowed.add(value);
    this.#expression(path.type, 2);
    this.#emit(`StLoc ${value}`);
    this.#borrow(path, true);
    this.#emit(`MoveLoc ${value}; Call put<${path.type}>`);
  }

  /** Ends the function, one way or another, if a condition holds. */
  #maybeStop(): void {
    const skip = this.#label();
    this.#expression('bool', 2);
    this.#emit(`BrTrue ${skip}`);
    if (this.#choose(2) === 0) {
      this.#expression('u64', 1);
      this.#emit('Abort');
    } else this.#return();
    this.#emit(`${skip}:`);
    this.#emit('Nop');
  }

  #conditional(depth: number): void {
    const [other, end] = [this.#label(), this.#label()];
    this.#expression('bool', 2);
    this.#emit(`${this.#pick(['BrFalse', 'BrTrue'])} ${other}`);
    this.#statements(1 + this.#choose(3), depth + 1);
    this.#emit(`Branch ${end}`);
    this.#emit(`${other}:`);
    this.#statements(this.#choose(3), depth + 1);
    this.#emit(`${end}:`);
    this.#emit('Nop');
  }

  #loop(depth: number): void {
    const counter = this.#addLocal('u64');
    this.#borrowed.add(counter);
    const [head, end] = [this.#label(), this.#label()];
    this.#emit(`LdU64 0; StLoc ${counter}`);
    this.#emit(`${head}:`);
    this.#emit(`CopyLoc ${counter}; LdU64 ${1 + this.#choose(depth === 0 ? 40 : 6)}; Lt; BrFalse ${end}`);
    this.#emit(`CopyLoc ${counter}; LdU64 1; Add; StLoc ${counter}`);
    this.#statements(1 + this.#choose(3), depth + 1);
    if (this.#choose(3) === 1) {
      this.#expression('bool', 1);
      this.#emit(`BrTrue ${this.#pick([head, end])}`);
    }
    this.#emit(`Branch ${head}`);
    this.#emit(`${end}:`);
    this.#emit('Nop');
  }

  /** Holds a reference across some statements that use it. */
  #held(depth: number): void {
    const isMutable = this.#choose(3) !== 1;
    const path = this.#pathOf(this.#choose(2) === 0 ? 'u64' : undefined, isMutable);
    if (path === undefined || this.#locals[path.local]!.startsWith('&')) return;
    this.#borrow(path, isMutable);
    if (path.type === 'S' && isMutable && this.#choose(2) === 1) {
      this.#hold(path.local, '&mut u64', 'Call field; ', depth);
    } else this.#hold(path.local, `${isMutable ? '&mut ' : '&'}${path.type}`, '', depth);
  }

  #hold(owner: number, type: string, before: string, depth: number): void {
    const holder = this.#addLocal(type);
    this.#emit(`${before}StLoc ${holder}`);
    this.#borrowed.add(owner);
    this.#statements(1 + this.#choose(3), depth + 1);
    this.#borrowed.delete(owner);
    // Later statements must not find the reference, which is dropped here.
    this.#borrowed.add(holder);
    this.#emit(`MoveLoc ${holder}; Pop`);
  }

  #literal(type: string): void {
    const bits = BITS[type];
    if (bits !== undefined) {
      const max = (1n << BigInt(bits)) - 1n;
      const small = [0n, 1n, 2n, 3n, 7n, 5n, 12n];
      const edges = [max, max - 1n, (max >> 1n) + 1n, 1n << BigInt(bits / 2), 255n];
      const value = this.#pick(this.#choose(4) < 3 ? small : edges);
      this.#emit(`Ld${type.toUpperCase()} ${value}`);
    } else if (type === 'bool') this.#emit(this.#choose(2) === 0 ? 'LdFalse' : 'LdTrue');
    else if (type === 'address') this.#emit(`LdConst address 0x${String(this.#choose(3)).padStart(64, '0')}`);
    else if (type === 'vector<u8>') this.#emit(`LdConst vector<u8> 0x0${this.#pick(['0', '101', '2ff02', '3050607'])}`);
    else if (type === 'vector<vector<u8>>' && this.#choose(3) === 0) this.#emit(`LdConst ${type} ${LONG_LIST}`);
    else if (type.startsWith('vector')) {
      const count = this.#choose(4);
      const item = type.slice(7, -1);
      for (let index = 0; index < count; index++) this.#literal(item);
      this.#emit(`VecPack ${item} ${count}`);
    } else {
      for (const [, field] of FIELDS[type]!) this.#literal(field);
      this.#emit(`Pack ${type}`);
    }
  }

  #expression(type: string, depth: number): void {
    this.#budget -= 0.2;
    const locals = this.#valueLocals().filter((local) => this.#locals[local] === type);
    const kind = depth === 0 ? this.#choose(2) : this.#choose(9);
    if (kind === 1 && locals.length > 0) this.#emit(`CopyLoc ${this.#pick(locals)}`);
    else if (kind === 2) this.#readPath(type);
    else if (kind === 3) this.#callFor(type, depth);
    else if (kind === 4) this.#generic(type, depth);
    else if (kind >= 5) this.#operation(type, depth);
    else this.#literal(type);
  }

  #readPath(type: string): void {
    const path = this.#pathOf(type, false);
    if (path === undefined) {
      this.#literal(type);
      return;
    }
    this.#borrow(path, this.#choose(2) === 1 && this.#isWritable(path));
    this.#emit('ReadRef');
  }

  #isWritable(path: Path): boolean {
    const declared = this.#locals[path.local]!;
    return !declared.startsWith('&') || declared.startsWith('&mut');
  }

  #callFor(type: string, depth: number): void {
    const callee = this.#callees.find(({ returns }) => returns.length === 1 && returns[0] === type);
    if (callee === undefined || !this.#arguments(callee)) this.#operation(type, depth);
    else this.#emit(`Call ${callee.name}`);
  }

  #generic(type: string, depth: number): void {
    const item = /^vector<(.*)>$/.exec(type)?.[1];
    const path = this.#pathOf(type, false);
    if (item !== undefined && this.#choose(2) === 0) {
      this.#expression(item, depth - 1);
      this.#emit(`Call twice<${item}>`);
    } else if (path !== undefined && this.#choose(2) === 0) {
      this.#borrow(path, false);
      this.#emit(`Call get<${type}>`);
    } else {
      this.#expression(type, depth - 1);
      this.#emit(`Call same<${type}>`);
    }
  }

  #operation(type: string, depth: number): void {
    if (BITS[type] !== undefined) this.#arithmetic(type, depth);
    else if (type === 'bool') this.#logic(depth);
    else if (type.startsWith('vector')) {
      const item = type.slice(7, -1);
      const count = this.#choose(3);
      for (let index = 0; index < count; index++) this.#expression(item, depth - 1);
      this.#emit(`VecPack ${item} ${count}`);
    } else if (FIELDS[type] !== undefined) {
      for (const [, field] of FIELDS[type]) this.#expression(field, depth - 1);
      this.#emit(`Pack ${type}`);
    } else this.#literal(type);
  }

  #arithmetic(type: string, depth: number): void {
    const kind = this.#choose(6);
    if (kind === 4) {
      const from = this.#pick(INTEGERS);
      this.#expression(from, depth - 1);
      this.#emit(`Cast${type.toUpperCase()}`);
    } else if (kind === 5) {
      this.#expression(type, depth - 1);
      if (this.#choose(3) === 0) this.#expression('u8', 0);
      else this.#emit(`LdU8 ${this.#choose(8)}`);
      this.#emit(this.#pick(['Shl', 'Shr']));
    } else if (kind === 3 && type === 'u64') {
      const paths = this.#paths(false).filter((path) => path.type.startsWith('vector'));
      if (paths.length === 0) this.#literal(type);
      else {
        const path = this.#pick(paths);
        this.#borrow(path, false);
        this.#emit(`VecLen ${path.type.slice(7, -1)}`);
      }
    } else {
      this.#expression(type, depth - 1);
      this.#expression(type, depth - 1);
      this.#emit(this.#pick(ARITHMETIC));
    }
  }

  #logic(depth: number): void {
    switch (this.#choose(5)) {
      case 1:
        this.#expression('bool', depth - 1);
        this.#emit('Not');
        return;
      case 2:
        this.#expression('bool', depth - 1);
        this.#expression('bool', depth - 1);
        this.#emit(this.#pick(['And', 'Or']));
        return;
      case 3: {
        const type = this.#pick(TYPES);
        this.#expression(type, depth - 1);
        this.#expression(type, depth - 1);
        this.#emit(this.#pick(['Eq', 'Neq']));
        return;
      }
      case 4: {
        const path = this.#pathOf(undefined, false);
        const other = path === undefined ? undefined : this.#pathOf(path.type, false);
        if (path === undefined || other === undefined) {
          this.#literal('bool');
          return;
        }
        this.#borrow(path, false);
        this.#borrow(other, false);
        this.#emit(this.#pick(['Eq', 'Neq']));
        return;
      }
      default: {
        const type = this.#pick(INTEGERS);
        this.#expression(type, depth - 1);
        this.#expression(type, depth - 1);
        this.#emit(this.#pick(['Lt', 'Gt', 'Le', 'Ge']));
      }
    }
  }
}
