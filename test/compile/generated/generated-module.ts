/**
 * Modules of random code: well-typed as far as their writer knows, so that a compiler should take most of them, with
 * names that shadow each other and every kind of statement and expression.
 * @module
 */
import type { RandomNumber } from '../../random.ts';

type Type =
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'u128'
  | 'u256'
  | 'bool'
  | 'address'
  | 'vector<u8>'
  | 'vector<u64>'
  | StructName;
type StructName = 'Pair' | 'Nest' | 'Box<u64>' | 'Box<bool>';

interface Variable {
  readonly name: string;
  readonly type: Type;
  /** Of a lambda, whose type is not known yet where its fields would be taken. */
  readonly isParameter?: boolean;
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly Type[];
  readonly result: readonly Type[];
  readonly acquires: boolean;
}

const INTEGERS = ['u8', 'u16', 'u32', 'u64', 'u128', 'u256'] as const;
const TYPES: readonly Type[] = [
  ...INTEGERS,
  'u64',
  'u64',
  'bool',
  'address',
  'vector<u8>',
  'vector<u64>',
  'Pair',
  'Nest',
  'Box<u64>',
  'Box<bool>',
];
/** Few, so that they shadow. */
const NAMES = ['a', 'b', 'c', 'd', 'x', 'y', 'z'] as const;
/** In lambdas: the reference's compiler gives up on some programs in which these shadow others. */
const LAMBDA_NAMES = ['p', 'q', 'r', 's'] as const;

const FIELDS: Readonly<Record<StructName, readonly Variable[]>> = {
  Pair: [
    { name: 'second', type: 'bool' },
    { name: 'first', type: 'u64' },
  ],
  Nest: [
    { name: 'pair', type: 'Pair' },
    { name: 'count', type: 'u8' },
    { name: 'items', type: 'vector<u64>' },
  ],
  'Box<u64>': [{ name: 'value', type: 'u64' }],
  'Box<bool>': [{ name: 'value', type: 'bool' }],
};

const HEAD = `  struct Pair has copy, drop, store { second: bool, first: u64 }
  struct Nest has copy, drop, store { pair: Pair, count: u8, items: vector<u64> }
  struct Box<T> has copy, drop, store { value: T }
  struct Token { amount: u64 }
  struct Store has key { value: u64, nest: Nest }
  const LIMIT: u64 = 1 << 5;
  const FLAG: bool = !false;
  const BYTES: vector<u8> = b"bytes";
  fun same<T>(x: T): T { x }
  fun choose<T: copy + drop>(x: T, y: T, first: bool): T { if (first) copy x else y }
  fun boxed<T: drop>(value: T): Box<T> { Box { value } }
  fun mint(amount: u64): Token { Token { amount } }
  fun burn(token: Token): u64 { let Token { amount } = token; amount }
  fun split(token: &mut Token, amount: u64): Token { token.amount = token.amount - amount; Token { amount } }
  fun bump(x: &mut u64, by: u64): u64 { *x = *x + by; *x }
  fun read(x: &u64): u64 { *x }
  fun first(pair: &mut Pair): &mut u64 { &mut pair.first }
  fun peek<T>(box: &Box<T>): &T { &box.value }
  fun larger<T: copy>(x: &T, y: &T, first: bool): T { let r = if (first) x else y; *r }
  inline fun apply(given: u64, f: |u64|u64): u64 { let next = given + 1; f(next) + f(given) }
  inline fun twice<T: copy + drop>(given: T, f: |T|T): T { let once = f(given); f(once) }
  inline fun repeat(n: u64, f: |u64|) { let i = 0; while (i < n) { f(i); i = i + 1 } }
`;

/** The text of a module `a::NAME`. */
export function generatedModule(name: string, random: RandomNumber): string {
  return new ModuleWriter(random).module(name);
}

class ModuleWriter {
  readonly #random: RandomNumber;
  readonly #functions: Signature[] = [];
  #scope: Variable[] = [];
  #isInLoop = false;
  #isInLambda = false;
  #acquires = false;
  #result: readonly Type[] = [];

  constructor(random: RandomNumber) {
    this.#random = random;
  }

  module(name: string): string {
    const functions = Array.from({ length: 2 + this.#random(5) }, (_, at) => this.#function(`f${at}`));
    return `module a::${name} {\n${HEAD}${functions.join('')}}\n`;
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)]!;
  }

  #chance(of: number): boolean {
    return this.#random(of) === 0;
  }

  #function(name: string): string {
    const parameters = NAMES.slice(0, this.#random(4)).map((text) => ({ name: text, type: this.#one(TYPES) }));
    this.#result = Array.from({ length: this.#one([0, 1, 1, 1, 2]) }, () => this.#one(TYPES));
    this.#scope = [...parameters];
    this.#acquires = false;
    this.#isInLoop = false;
    const body = this.#statements(3 + this.#random(6), 3, '    ');
    const value = this.#values(this.#result);
    const acquires = this.#acquires ? ' acquires Store' : '';
    // What is only acquired by code that never runs is acquired in vain for the verifier.
    const first = this.#acquires ? '    borrow_global<Store>(@0x1).value;\n' : '';
    const result = this.#result.length === 0 ? '' : `: ${tupled(this.#result)}`;
    const list = parameters.map((one) => `${one.name}: ${one.type}`).join(', ');
    const signature = { name, parameters: parameters.map(({ type }) => type), result: this.#result };
    this.#functions.push({ ...signature, acquires: this.#acquires });
    return `  public fun ${name}(${list})${result}${acquires} {\n${first}${body}    ${value}\n  }\n`;
  }

  /** A new scope, for code in brackets. */
  #inner(write: () => string): string {
    const scope = this.#scope;
    this.#scope = [...scope];
    const text = write();
    this.#scope = scope;
    return text;
  }

  #block(count: number, depth: number, indent: string): string {
    return this.#inner(() => `{\n${this.#statements(count, depth, `${indent}  `)}${indent}}`);
  }

  #statements(count: number, depth: number, indent: string): string {
    let text = '';
    for (let at = 0; at < count; at++) text += `${indent}${this.#statement(depth, indent)};\n`;
    return text;
  }

  #declare(type: Type, taken: readonly string[] = []): string {
    const names: readonly string[] = this.#isInLambda ? LAMBDA_NAMES : NAMES;
    const name = this.#one(names.filter((one) => !taken.includes(one)));
    this.#scope.push({ name, type });
    return name;
  }

  /** The variables that their names stand for here. */
  #visible(): Variable[] {
    return this.#scope.filter((one, at) => !this.#scope.slice(at + 1).some(({ name }) => name === one.name));
  }

  #statement(depth: number, indent: string): string {
    const visible = this.#visible();
    const variable = visible.length === 0 ? undefined : this.#one(visible);
    switch (this.#random(depth === 0 ? 13 : 22)) {
      case 0:
      case 1:
      case 2: {
        const type = this.#one(TYPES);
        const value = this.#value(type, 3);
        return `let ${this.#declare(type)}${this.#chance(2) ? '' : `: ${type}`} = ${value}`;
      }
      case 3: {
        const types = [this.#one(TYPES), this.#one(TYPES)];
        const value = this.#values(types);
        const names = [this.#declare(types[0]!), 'ignored'];
        return `let (${names[0]}, _) = ${value}`;
      }
      case 4:
        return variable === undefined ? '()' : `${variable.name} = ${this.#value(variable.type, 3)}`;
      case 5:
        return this.#unpacked(variable);
      case 6:
        return this.#throughReference(variable);
      case 7:
        return `assert!(${this.#value('bool', 2)}, ${this.#value('u64', 1)})`;
      case 8:
        return this.#tokens();
      case 9:
        return this.#severalAssigned(visible);
      case 10:
        return this.#declaredFirst();
      case 11:
        return 'spec { assert true; }';
      case 12:
        return this.#borrowed(variable);
      case 13:
        return `if (${this.#value('bool', 2)}) ${this.#block(1 + this.#random(3), depth - 1, indent)}`;
      case 14:
      case 15: {
        const first = this.#block(1 + this.#random(2), depth - 1, indent);
        return `if (${this.#value('bool', 2)}) ${first} else ${this.#block(1 + this.#random(2), depth - 1, indent)}`;
      }
      case 16:
        return this.#whileLoop(depth, indent);
      case 17:
        return this.#endlessLoop(depth, indent);
      case 18:
        if (this.#chance(2)) return `if (${this.#value('bool', 2)}) abort ${this.#value('u64', 1)}`;
        return `if (${this.#value('bool', 2)}) return ${this.#values(this.#result)}`;
      case 19:
        return this.#storage();
      case 20:
        return `repeat(${this.#value('u64', 1)}, ${this.#lambda('u64', () => this.#block(1, 0, indent))})`;
      default:
        return this.#block(1 + this.#random(3), depth - 1, indent);
    }
  }

  #severalAssigned(visible: readonly Variable[]): string {
    if (visible.length < 2) return '()';
    const at = this.#random(visible.length - 1);
    const targets = visible.slice(at, at + 2);
    return `(${targets.map(({ name }) => name).join(', ')}) = ${this.#values(targets.map(({ type }) => type))}`;
  }

  /** Values are literals, since the name that is declared may be that of a variable which they would use. */
  #declaredFirst(): string {
    const type = this.#one(TYPES);
    const condition = `(${this.#random(10)} < ${this.#random(10)})`;
    const name = this.#declare(type);
    const branches = [this.#literal(type), this.#literal(type)].map((value) => `{ ${name} = ${value} }`);
    return `let ${name}${this.#chance(2) ? '' : `: ${type}`}; if ${condition} ${branches.join(' else ')}`;
  }

  #borrowed(variable: Variable | undefined): string {
    if (variable === undefined) return '()';
    const { name, type } = variable;
    if (variable.isParameter === true) return `&${name} == &${name}`;
    if (type === 'Pair') return `*first(&mut ${name}) = ${this.#literal('u64')}`;
    if (type === 'Nest') return `*first(&mut ${name}.pair) = ${this.#literal('u64')}`;
    if (type.startsWith('Box')) return `let ${this.#declare(type === 'Box<u64>' ? 'u64' : 'bool')} = *peek(&${name})`;
    const order = this.#chance(2) ? 'true' : 'FLAG';
    return `let ${this.#declare(type)} = larger(&${name}, &${this.#literal(type)}, ${order})`;
  }

  /** `|name| body`, whose parameter has this type. */
  #lambda(type: Type, body: () => string): string {
    const name = this.#one(LAMBDA_NAMES);
    const [isInLoop, isInLambda] = [this.#isInLoop, this.#isInLambda];
    this.#isInLoop = false;
    this.#isInLambda = true;
    const text = this.#inner(() => {
      this.#scope.push({ name, type, isParameter: true });
      return `|${name}| ${body()}`;
    });
    this.#isInLoop = isInLoop;
    this.#isInLambda = isInLambda;
    return text;
  }

  #whileLoop(depth: number, indent: string): string {
    const isInLoop = this.#isInLoop;
    const condition = this.#value('bool', 2);
    this.#isInLoop = true;
    const body = this.#block(1 + this.#random(3), depth - 1, indent);
    this.#isInLoop = isInLoop;
    return `while (${condition}) ${body}`;
  }

  #endlessLoop(depth: number, indent: string): string {
    const isInLoop = this.#isInLoop;
    this.#isInLoop = true;
    const text = this.#inner(() => {
      const body = this.#statements(1 + this.#random(2), depth - 1, `${indent}  `);
      const control = this.#chance(3) ? `${indent}  if (${this.#value('bool', 1)}) continue;\n` : '';
      return `loop {\n${body}${control}${indent}  if (${this.#value('bool', 2)}) break\n${indent}}`;
    });
    this.#isInLoop = isInLoop;
    return text;
  }

  #unpacked(variable: Variable | undefined): string {
    if (variable === undefined || !isStruct(variable.type))
      return `let Pair { first: _, second: _ } = ${this.#value('Pair', 2)}`;
    const [name] = variable.type.split('<');
    const fields = FIELDS[variable.type];
    const declared: string[] = [];
    const written = fields.map((field) => {
      if (this.#chance(3)) return `${field.name}: _`;
      declared.push(this.#declare(field.type, declared));
      return `${field.name}: ${declared.at(-1)}`;
    });
    return `let ${name} { ${written.join(', ')} } = ${this.#chance(2) ? variable.name : `copy ${variable.name}`}`;
  }

  #throughReference(variable: Variable | undefined): string {
    if (variable === undefined) return '*&mut 1 = 2';
    const { name, type } = variable;
    if (type === 'u64' && this.#chance(2)) return `bump(&mut ${name}, ${this.#literal('u64')})`;
    if (isStruct(type)) {
      const field = this.#one(FIELDS[type]);
      if (this.#chance(2)) return `${name}.${field.name} = ${this.#value(field.type, 2)}`;
      if (this.#chance(2)) return `{ let r = &mut ${name}; r.${field.name} = ${this.#literal(field.type)} }`;
      return `{ let r = &mut ${name}.${field.name}; *r = ${this.#literal(field.type)}; *r }`;
    }
    return this.#chance(2)
      ? `*&mut ${name} = ${this.#value(type, 2)}`
      : `{ let r = &mut ${name}; *r = ${this.#literal(type)}; }`;
  }

  #tokens(): string {
    const amount = this.#value('u64', 2);
    if (this.#chance(2))
      return `{ let t = mint(${amount}); let u = split(&mut t, ${this.#value('u64', 1)}); burn(t) + burn(u) }`;
    return `{ let t = mint(${amount}); if (${this.#value('bool', 1)}) { burn(t); } else { let Token { amount: _ } = t; } }`;
  }

  #storage(): string {
    const at = this.#value('address', 1);
    switch (this.#random(4)) {
      case 0:
        this.#acquires = true;
        return `borrow_global_mut<Store>(${at}).value = ${this.#value('u64', 1)}`;
      case 1: {
        this.#acquires = true;
        const value = this.#declare('u64');
        return `let Store { value: ${value}, nest: ${this.#declare('Nest', [value])} } = move_from<Store>(${at})`;
      }
      case 2: {
        this.#acquires = true;
        const text = `let s = borrow_global<Store>(${at}).nest.pair`;
        return `{ ${text}; s.first }`;
      }
      default:
        return `exists<Store>(${at})`;
    }
  }

  #values(types: readonly Type[]): string {
    if (types.length === 0) return '()';
    const callees = this.#functions.filter(({ result }) => result.length > 1 && String(result) === String(types));
    if (callees.length > 0 && this.#chance(2)) return this.#call(this.#one(callees), 1);
    return tupled(types.map((type) => this.#value(type, 2)));
  }

  #call(callee: Signature, depth: number): string {
    if (callee.acquires) this.#acquires = true;
    return `${callee.name}(${callee.parameters.map((type) => this.#value(type, depth - 1)).join(', ')})`;
  }

  #value(type: Type, depth: number): string {
    const variables = this.#visible().filter((one) => one.type === type);
    if (variables.length > 0 && this.#chance(depth === 0 ? 2 : 3)) return this.#one(variables).name;
    if (depth <= 0) return this.#literal(type);
    const value = (of: Type): string => this.#value(of, depth - 1);
    switch (this.#random(10)) {
      case 0:
        return `(if (${value('bool')}) ${value(type)} else ${value(type)})`;
      case 1:
        return this.#inner(() => {
          const other = this.#one(TYPES);
          const first = value(other);
          return `{ let ${this.#declare(other)} = ${first}; ${value(type)} }`;
        });
      case 2: {
        const callees = this.#functions.filter(({ result }) => result.length === 1 && result[0] === type);
        return callees.length > 0 ? this.#call(this.#one(callees), depth) : `same(${value(type)})`;
      }
      case 3:
        return `choose(${value(type)}, ${value(type)}, ${value('bool')})`;
      case 4: {
        const [variable] = variables;
        if (variable === undefined) return `*&${value(type)}`;
        return this.#chance(2) ? `*&${variable.name}` : `copy ${variable.name}`;
      }
      case 5: {
        const owners = this.#visible().flatMap((one) => {
          if (!isStruct(one.type) || one.isParameter === true) return [];
          return FIELDS[one.type].filter((field) => field.type === type).map((field) => `${one.name}.${field.name}`);
        });
        return owners.length > 0 ? this.#one(owners) : this.#operation(type, depth);
      }
      case 6: {
        if (this.#chance(2)) return this.#operation(type, depth);
        const callee = type === 'u64' && this.#chance(2) ? 'apply' : 'twice';
        return `${callee}(${value(type)}, ${this.#lambda(type, () => value(type))})`;
      }
      default:
        return this.#operation(type, depth);
    }
  }

  #operation(type: Type, depth: number): string {
    const value = (of: Type): string => this.#value(of, depth - 1);
    if (isInteger(type)) {
      if (this.#chance(4)) return `(${value(this.#one(INTEGERS))} as ${type})`;
      if (this.#chance(6)) return `(${value(type)} ${this.#one(['<<', '>>'])} ${this.#random(8)})`;
      if (type === 'u64' && this.#chance(6)) return this.#chance(2) ? 'LIMIT' : `read(&${value('u64')})`;
      return `(${value(type)} ${this.#one(['+', '-', '*', '/', '%', '&', '|', '^'])} ${value(type)})`;
    }
    switch (type) {
      case 'bool': {
        const other = this.#one(TYPES);
        if (this.#chance(5)) return 'FLAG';
        if (this.#chance(4)) return `!${value('bool')}`;
        if (this.#chance(3)) return `(${value('bool')} ${this.#one(['&&', '||'])} ${value('bool')})`;
        if (isInteger(other))
          return `(${value(other)} ${this.#one(['<', '>', '<=', '>=', '==', '!='])} ${value(other)})`;
        if (this.#chance(3)) return `(&${value(other)} == &${value(other)})`;
        return `(${value(other)} ${this.#one(['==', '!='])} ${value(other)})`;
      }
      case 'vector<u8>':
        return this.#chance(4) ? 'BYTES' : `vector[${value('u8')}, ${value('u8')}]`;
      case 'vector<u64>':
        return `vector[${value('u64')}, ${value('u64')}]`;
      case 'Box<u64>':
        return this.#chance(3) ? `boxed(${value('u64')})` : `Box { value: ${value('u64')} }`;
      case 'Box<bool>':
        return `Box<bool> { value: ${value('bool')} }`;
      case 'Pair':
        return `Pair { first: ${value('u64')}, second: ${value('bool')} }`;
      case 'Nest':
        return `Nest { items: ${value('vector<u64>')}, pair: ${value('Pair')}, count: ${value('u8')} }`;
      default:
        return this.#literal(type);
    }
  }

  #literal(type: Type): string {
    const number = this.#random(100);
    if (isInteger(type)) return this.#chance(2) ? `${number}${type}` : `(${number}: ${type})`;
    switch (type) {
      case 'bool':
        return this.#chance(2) ? 'true' : 'false';
      case 'address':
        return this.#one(['@0x1', '@a', '@0xcafe']);
      case 'vector<u8>':
        return this.#one(['b"text"', 'x"00ff"', 'vector[]', 'vector<u8>[1, 2]']).replace(
          /^vector\[\]$/,
          'vector<u8>[]',
        );
      case 'vector<u64>':
        return this.#one(['vector<u64>[]', 'vector[1u64]', 'vector[1, 2, (3: u64)]']);
      case 'Pair':
        return `Pair { second: true, first: ${number} }`;
      case 'Nest':
        return `Nest { pair: Pair { first: ${number}, second: false }, count: 1, items: vector[] }`;
      case 'Box<u64>':
        return `Box { value: ${number}u64 }`;
      default:
        return 'Box { value: false }';
    }
  }
}

function isInteger(type: Type): type is (typeof INTEGERS)[number] {
  return (INTEGERS as readonly string[]).includes(type);
}

function isStruct(type: Type): type is StructName {
  return Object.hasOwn(FIELDS, type);
}

/** Types or values as the language writes several of them. */
function tupled(items: readonly string[]): string {
  return items.length === 1 ? items[0]! : `(${items.join(', ')})`;
}
