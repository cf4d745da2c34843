/**
 * Random modules that are well typed, for tests that compare two opinions of the same code.
 *
 * A generated function has parameters and locals of values, structs, vectors and references, loops and branches; its
 * operand stack and types are right by construction, and its locals hold values wherever they are used, save where
 * `carelessness` lets it forget. Whether its references are safe is left to chance, about half of the time they are.
 * @module
 */
import type { RandomNumber } from '../effort.ts';

interface GenerateOptions {
  /** One in this many times, a moved local is not filled again before its block ends. 0 for never. */
  readonly carelessness: number;
}

const DECLARATIONS = `
  struct A has copy, drop, store { x: u64, y: u64 }
  struct B has copy, drop, store { a: A, v: vector<u64>, z: u64 }
  struct G<T: copy drop store> has copy, drop, store { t: T, u: u64 }
  struct R has key, store, drop { a: A, n: u64 }
  native fun imm(a: &A): &u64
  native fun mut(a: &mut A): &mut u64
  native fun pick(a: &mut A, b: &mut A): &mut A
  native fun mixed(a: &mut B, b: &A): &mut A
  native fun look(a: &A, b: &mut B): &u64
  native fun two(a: &mut A, b: &mut u64)
  native fun take(a: A): A
  native fun same<T>(t: T): T
  native fun touch(): u64 acquires R
`;

const VALUES = ['u64', 'bool', 'A', 'B', 'vector<u64>', 'vector<A>', 'G<u64>', 'G<A>'] as const;
const LOCAL_TYPES = [...VALUES, ...VALUES.flatMap((type) => [`&${type}`, `&mut ${type}`])];
const RETURN_TYPES = [[], [], ['u64'], ['&u64'], ['&mut u64'], ['&A'], ['&mut A', 'u64'], ['B']];

/** Fields by struct type: name and type. */
const FIELDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  A: [
    ['x', 'u64'],
    ['y', 'u64'],
  ],
  B: [
    ['a', 'A'],
    ['v', 'vector<u64>'],
    ['z', 'u64'],
  ],
  'G<u64>': [
    ['t', 'u64'],
    ['u', 'u64'],
  ],
  'G<A>': [
    ['t', 'A'],
    ['u', 'u64'],
  ],
  R: [
    ['a', 'A'],
    ['n', 'u64'],
  ],
};

const CALLS: readonly (readonly [name: string, parameters: readonly string[], returns: readonly string[]])[] = [
  ['imm', ['&A'], ['&u64']],
  ['mut', ['&mut A'], ['&mut u64']],
  ['pick', ['&mut A', '&mut A'], ['&mut A']],
  ['mixed', ['&mut B', '&A'], ['&mut A']],
  ['look', ['&A', '&mut B'], ['&u64']],
  ['two', ['&mut A', '&mut u64'], []],
  ['take', ['A'], ['A']],
  ['same<u64>', ['u64'], ['u64']],
  ['same<G<A>>', ['G<A>'], ['G<A>']],
  ['touch', [], ['u64']],
];

/** The text of a module for `assembleModule`, with one to three generated functions `f0`, `f1`, ... */
export function generateModule(random: RandomNumber, options: GenerateOptions = { carelessness: 12 }): string {
  const functions = Array.from({ length: 1 + random(3) }, (_, index) =>
    new FunctionGenerator(random, options).text(`f${index}`),
  );
  return `module 0x1::generated\n${DECLARATIONS}\n${functions.join('\n')}`;
}

class FunctionGenerator {
  readonly #random: RandomNumber;
  readonly #options: GenerateOptions;
  readonly #lines: string[] = [];
  /** Types of parameters and then locals, named by their positions. */
  readonly #locals: string[] = [];
  readonly #parameterCount: number;
  readonly #returns: readonly string[];
  readonly #missing = new Set<number>();
  #stack: string[] = [];
  #usesResource = false;

  constructor(random: RandomNumber, options: GenerateOptions) {
    this.#random = random;
    this.#options = options;
    this.#parameterCount = random(5);
    this.#returns = this.#pick(RETURN_TYPES);
    const count = this.#parameterCount + random(8);
    for (let index = 0; index < count; index++) this.#locals.push(this.#pick(random(3) === 0 ? LOCAL_TYPES : VALUES));
    // What references are made from is always there.
    for (const type of ['u64', 'A', 'B', 'vector<u64>', 'vector<A>', 'bool', 'G<u64>', 'G<A>']) this.#locals.push(type);
  }

  text(name: string): string {
    const declare = (type: string, index: number): string => `l${index}: ${type}`;
    const parameters = this.#locals.slice(0, this.#parameterCount).map(declare);
    const locals = this.#locals.slice(this.#parameterCount);
    this.#fillLocals();
    const blocks = 1 + this.#random(6);
    for (let block = 0; block < blocks; block++) this.#block(block, blocks);
    const returns = this.#returns.length > 0 ? `: ${this.#returns.join(', ')}` : '';
    const acquires = this.#usesResource ? ' acquires R' : '';
    return [
      `public fun ${name}(${parameters.join(', ')})${returns}${acquires} {`,
      ...locals.map((type, index) => `  let ${declare(type, index + this.#parameterCount)}`),
      ...this.#lines.map((line) => `  ${line}`),
      '}',
    ].join('\n');
  }

  #fillLocals(): void {
    // Values first, so that references find them.
    const order = this.#locals.map((_, index) => index).slice(this.#parameterCount);
    order.sort((left, right) => Number(this.#isReference(left)) - Number(this.#isReference(right)));
    for (const index of order) this.#fill(index);
  }

  #isReference(local: number): boolean {
    return this.#locals[local]!.startsWith('&');
  }

  #fill(local: number): void {
    this.#make(this.#locals[local]!);
    this.#emit(`StLoc ${local}`);
    this.#stack.pop();
    this.#missing.delete(local);
  }

  #block(block: number, blocks: number): void {
    this.#lines.push(`b${block}:`);
    for (let steps = this.#random(9); steps > 0; steps--) this.#step();
    this.#drain();
    for (const local of [...this.#missing]) {
      if (this.#options.carelessness === 0 || this.#random(this.#options.carelessness) > 0) this.#fill(local);
    }
    this.#missing.clear();
    this.#leave(block, blocks);
  }

  #leave(block: number, blocks: number): void {
    const isLast = block === blocks - 1;
    const kind = this.#random(8);
    if (kind < 3) this.#emit(`LdTrue; ${this.#pick(['BrTrue', 'BrFalse'])} b${this.#random(blocks)}`);
    else if (kind === 3 && block > 0) this.#emit(`Branch b${this.#random(blocks)}`);
    if (!isLast && kind !== 4) return;
    for (const type of this.#returns) this.#make(type);
    this.#emit('Ret');
    this.#stack = [];
  }

  /** Empties the stack into locals, or drops it. */
  #drain(): void {
    while (this.#stack.length > 0) {
      const type = this.#stack.at(-1)!;
      const targets = this.#localsOf(type);
      if (targets.length > 0 && this.#random(2) === 0) this.#store(this.#pick(targets));
      else this.#op('Pop', 1);
    }
  }

  #store(local: number): void {
    this.#op(`StLoc ${local}`, 1);
    this.#missing.delete(local);
  }

  #localsOf(type: string): number[] {
    return this.#locals.flatMap((candidate, index) => (candidate === type ? [index] : []));
  }

  /** Puts a value of `type` on the stack, from a parameter where there is one. */
  #make(type: string): void {
    const sources = this.#localsOf(type).filter((index) => index < this.#parameterCount && !this.#missing.has(index));
    const fields = FIELDS[type] ?? [];
    if (sources.length > 0 && this.#random(2) === 0) this.#op(`CopyLoc ${this.#pick(sources)}`, 0, type);
    else if (type.startsWith('&mut ')) this.#op(`MutBorrowLoc ${this.#valueLocal(type.slice(5))}`, 0, type);
    else if (type.startsWith('&')) this.#op(`ImmBorrowLoc ${this.#valueLocal(type.slice(1))}`, 0, type);
    else if (type === 'u64') this.#op(`LdU64 ${this.#random(3)}`, 0, type);
    else if (type === 'bool') this.#op('LdTrue', 0, type);
    else if (type.startsWith('vector')) this.#op(`VecPack ${type.slice(7, -1)} 0`, 0, type);
    else {
      for (const [, field] of fields) this.#make(field);
      this.#op(`Pack ${type}`, fields.length, type);
    }
  }

  /** The last local of a value type is declared for this and never a parameter. */
  #valueLocal(type: string): number {
    const local = this.#pick(this.#localsOf(type).filter((index) => index >= this.#parameterCount));
    if (this.#missing.has(local)) this.#fill(local);
    return local;
  }

  #step(): void {
    const applicable = this.#applicable();
    if (applicable.length > 0 && this.#random(4) > 0) this.#pick(applicable)();
    else this.#push();
  }

  #push(): void {
    const local = this.#random(this.#locals.length);
    const type = this.#locals[local]!;
    const kind = this.#random(10);
    if (kind === 0) this.#op('LdU64 1', 0, 'u64');
    else if (kind === 1 && !this.#missing.has(local)) {
      this.#op(`MoveLoc ${local}`, 0, type);
      this.#missing.add(local);
    } else if (kind === 2) this.#borrowResource();
    else if (this.#missing.has(local)) this.#fill(local);
    else if (kind < 6 || type.startsWith('&')) this.#op(`CopyLoc ${local}`, 0, type);
    else if (kind < 8) this.#op(`MutBorrowLoc ${local}`, 0, `&mut ${type}`);
    else this.#op(`ImmBorrowLoc ${local}`, 0, `&${type}`);
  }

  #borrowResource(): void {
    this.#usesResource = true;
    const owner = `LdConst address 0x${'00'.repeat(32)}`;
    if (this.#random(2) === 0) this.#op(`${owner}; MutBorrowGlobal R`, 0, '&mut R');
    else this.#op(`${owner}; ImmBorrowGlobal R`, 0, '&R');
  }

  /** What can be done with the top of the stack. */
  #applicable(): (() => void)[] {
    const type = this.#stack.at(-1);
    if (type === undefined) return [];
    const below = this.#stack.at(-2);
    const actions: (() => void)[] = [];
    for (const local of this.#localsOf(type)) actions.push(() => this.#store(local));
    if (type !== 'R') actions.push(() => this.#op('Pop', 1));
    if (type === 'u64' && below === 'u64') actions.push(() => this.#op('Add', 2, 'u64'));
    if (type === below && type !== 'R') actions.push(() => this.#op('Eq', 2, 'bool'));
    if (type.startsWith('&')) this.#referenceActions(type, below, actions);
    else if (type in FIELDS && type !== 'R') {
      actions.push(() => this.#op(`Unpack ${type}`, 1, ...FIELDS[type]!.map(([, field]) => field)));
    }
    for (const [name, parameters, returns] of CALLS) {
      if (!this.#endsWith(parameters)) continue;
      if (name === 'touch') this.#usesResource = true;
      actions.push(() => this.#op(`Call ${name}`, parameters.length, ...returns));
    }
    return actions;
  }

  #referenceActions(type: string, below: string | undefined, actions: (() => void)[]): void {
    const isMutable = type.startsWith('&mut ');
    const target = type.slice(isMutable ? 5 : 1);
    const prefix = isMutable ? '&mut ' : '&';
    if (target !== 'R') actions.push(() => this.#op('ReadRef', 1, target));
    if (isMutable) actions.push(() => this.#op('FreezeRef', 1, `&${target}`));
    if (isMutable && below === target) actions.push(() => this.#op('WriteRef', 2));
    for (const [field, fieldType] of FIELDS[target] ?? []) {
      actions.push(() => this.#op(`ImmBorrowField ${target}.${field}`, 1, `&${fieldType}`));
      if (isMutable) actions.push(() => this.#op(`MutBorrowField ${target}.${field}`, 1, `&mut ${fieldType}`));
    }
    if (!target.startsWith('vector')) return;
    const element = target.slice(7, -1);
    actions.push(() => this.#op(`VecLen ${element}`, 1, 'u64'));
    const borrow = isMutable ? 'VecMutBorrow' : 'VecImmBorrow';
    actions.push(() => this.#op(`LdU64 0; ${borrow} ${element}`, 1, `${prefix}${element}`));
    if (!isMutable) return;
    actions.push(() => this.#op(`LdU64 0; LdU64 0; VecSwap ${element}`, 1));
    actions.push(() => this.#op(`VecPopBack ${element}`, 1, element));
    actions.push(() => {
      this.#make(element);
      this.#op(`VecPushBack ${element}`, 2);
    });
  }

  #endsWith(types: readonly string[]): boolean {
    const top = this.#stack.slice(this.#stack.length - types.length);
    return this.#stack.length >= types.length && types.every((type, index) => type === top[index]);
  }

  #op(text: string, pops: number, ...pushes: string[]): void {
    this.#emit(text);
    this.#stack.length -= pops;
    this.#stack.push(...pushes);
  }

  #emit(text: string): void {
    this.#lines.push(text);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random(items.length)]!;
  }
}
