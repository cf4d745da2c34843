/**
 * Random values of Move types for the parameters of `#[random_test]` functions, the same for the same seed, and how to
 * make one simpler. Small values, and those next to a bound or to a number in the code, are more frequent than others.
 * @module
 */
import { type ArgumentType, isStruct } from '../../execution/runtime/call-arguments.ts';
import { MOVE_STD_ADDRESS, parseAddress } from '../../move/address.ts';
import { declaredType } from '../../query/declared-type.ts';
import { encodeArgument, type ViewArgument } from '../../query/view-argument.ts';
import { literalsOf } from '../../vm/binary/literal.ts';
import { readModule } from '../../vm/binary/read.ts';
import { typeText } from '../../vm/binary/render.ts';
import type { UnitTest } from '../index.ts';
import type { TestedPackage } from './tested-package.ts';

/** Items of a vector, and characters of a text. */
const ITEMS_MAX = 8;

/** The largest of the numbers that are tried most. */
const SMALL_MAX = 20n;

const ADDRESSES: readonly string[] = ['0x1', '0x2', '0x3', '0x42', '0xa11ce', `0x${'f'.repeat(64)}`];
const CHARACTERS = 'ab Z0_"\\';
const U64 = (1n << 64n) - 1n;

/** A stream of random numbers. Source: SplitMix64 (Steele, Lea, Flood 2014), https://doi.org/10.1145/2660193.2660195 */
export class RandomStream {
  #state: bigint;

  /** @param name of what the numbers are for: each name has a stream of its own */
  constructor(seed: bigint, name: string) {
    this.#state = seed & U64;
    for (const character of name) this.#state = (this.next() ^ BigInt(character.codePointAt(0)!)) & U64;
  }

  /** 64 random bits. */
  next(): bigint {
    this.#state = (this.#state + 0x9e37_79b9_7f4a_7c15n) & U64;
    let mixed = this.#state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & U64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & U64;
    return mixed ^ (mixed >> 31n);
  }

  /** A number from 0 up to this one. */
  upTo(max: bigint): bigint {
    let bits = 0n;
    for (let room = max; room > 0n; room >>= 64n) bits = (bits << 64n) | this.next();
    return bits % (max + 1n);
  }

  oneOf<T>(items: readonly T[]): T {
    return items[Number(this.upTo(BigInt(items.length - 1)))]!;
  }
}

/** A test with the BCS of all of its arguments. */
export interface GivenTest {
  readonly test: UnitTest;
  readonly given: readonly Uint8Array[];
}

/** The parameters of a test some of which get random values: of each its name and type, if it does. */
export class RandomParameters {
  readonly #test: UnitTest;
  readonly #parameters: readonly { readonly at: number; readonly name: string; readonly type: ArgumentType }[];
  readonly #literals: readonly bigint[];

  constructor({ modules }: TestedPackage, test: UnitTest) {
    const own = modules.find(({ address, name }) => `${address}::${name}` === test.module)!;
    const module = readModule(own.bytes);
    const { functionDefinitions, functionHandles, identifiers, signatures } = module;
    const index = functionDefinitions.findIndex(
      ({ handle }) => identifiers[functionHandles[handle]!.name] === test.name,
    );
    const tokens = signatures[functionHandles[functionDefinitions[index]!.handle]!.parameters]!;
    const names = own.lines?.parameters?.[index] ?? [];
    this.#test = test;
    this.#parameters = tokens.flatMap((token, at) => {
      if (test.arguments[at] !== null) return [];
      return [{ at, name: names[at] ?? `argument ${at}`, type: declaredType(typeText(module, token), []) }];
    });
    this.#literals = [...new Set(modules.flatMap(({ bytes }) => literalsOf(readModule(bytes))))];
  }

  values(random: RandomStream): readonly ViewArgument[] {
    return this.#parameters.map(({ type }) => randomValue(type, random, this.#literals));
  }

  simpler(values: readonly ViewArgument[]): readonly (readonly ViewArgument[])[] {
    return this.#parameters.flatMap(({ type }, index) =>
      simplerValues(type, values[index]).map((value) => values.with(index, value)),
    );
  }

  /** `amount = 7, to = @0x1` */
  text(values: readonly ViewArgument[]): string {
    return this.#parameters.map(({ name, type }, index) => `${name} = ${valueText(type, values[index])}`).join(', ');
  }

  /** The test with these values. */
  given(values: readonly ViewArgument[]): GivenTest {
    const given = this.#test.arguments.map((each) => (each === null ? new Uint8Array() : parseAddress(each)));
    for (const [index, { at, name, type }] of this.#parameters.entries())
      given[at] = encodeArgument(type, values[index], name);
    return { test: this.#test, given };
  }
}

/** @param literals numbers beside which values are likely to matter */
function randomValue(type: ArgumentType, random: RandomStream, literals: readonly bigint[]): ViewArgument {
  switch (type.kind) {
    case 'bool':
      return random.oneOf([false, true]);
    case 'address':
    case 'signer':
      return random.oneOf(ADDRESSES);
    case 'vector':
      return Array.from({ length: Number(random.upTo(BigInt(ITEMS_MAX))) }, () =>
        randomValue(type.item, random, literals),
      );
    case 'struct': {
      const inner = optionOf(type);
      if (inner !== undefined) return random.oneOf([true, true, false]) ? randomValue(inner, random, literals) : null;
      return Array.from({ length: Number(random.upTo(BigInt(ITEMS_MAX))) }, () => random.oneOf([...CHARACTERS])).join(
        '',
      );
    }
    default:
      return randomInteger((1n << BigInt(type.kind.slice(1))) - 1n, random, literals);
  }
}

function randomInteger(max: bigint, random: RandomStream, literals: readonly bigint[]): bigint {
  const kind = random.upTo(9n);
  if (kind < 4n) return random.upTo(SMALL_MAX < max ? SMALL_MAX : max);
  if (kind > 7n) return random.upTo(max);
  const near = [0n, max, ...literals].flatMap((value) => [value - 1n, value, value + 1n]);
  return random.oneOf(near.filter((value) => value >= 0n && value <= max));
}

/** The type of the value of an option; undefined for any other type. */
function optionOf(type: ArgumentType): ArgumentType | undefined {
  return isStruct(type, MOVE_STD_ADDRESS, 'option', 'Option') ? type.struct.typeArguments[0] : undefined;
}

/** Values that are simpler than this one, the simplest first. */
function simplerValues(type: ArgumentType, value: ViewArgument): readonly ViewArgument[] {
  if (typeof value === 'boolean') return value ? [false] : [];
  if (typeof value === 'bigint') return simplerIntegers(value);
  if (value === null) return [];
  const inner = type.kind === 'struct' ? optionOf(type) : undefined;
  if (inner !== undefined) return [null, ...simplerValues(inner, value)];
  if (typeof value === 'string' && type.kind === 'struct') {
    const characters = [...value];
    const plainer = characters.flatMap((each, at) => (each === 'a' ? [] : [characters.with(at, 'a')]));
    return [...shorter(characters), ...plainer].map((text) => text.join(''));
  }
  if (typeof value === 'string') return ADDRESSES.slice(0, Math.max(0, ADDRESSES.indexOf(value)));
  const items = value as readonly ViewArgument[];
  const simplerItems = items.flatMap((item, at) =>
    simplerValues(type.item, item).map((simpler) => items.with(at, simpler)),
  );
  return [...shorter(items), ...simplerItems];
}

/** 0, the half, three quarters, up to one less: so the least that fails is found in the logarithm of its size. */
function simplerIntegers(value: bigint): bigint[] {
  const found: bigint[] = [];
  for (let less = value; less > 0n; less /= 2n) found.push(value - less);
  return found;
}

function shorter<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length === 0) return [];
  const half = items.length >> 1;
  const halves = items.length > 2 ? [items.slice(0, half), items.slice(half)] : [];
  return [[], ...halves, ...items.map((_, at) => items.toSpliced(at, 1))];
}

/** As Move writes it. */
function valueText(type: ArgumentType, value: ViewArgument): string {
  if (Array.isArray(value)) return `vector[${value.map((item) => valueText(type.item, item)).join(', ')}]`;
  if (value === null) return 'option::none()';
  const inner = type.kind === 'struct' ? optionOf(type) : undefined;
  if (inner !== undefined) return `option::some(${valueText(inner, value)})`;
  if (type.kind === 'struct') return `b${JSON.stringify(value)}`;
  return typeof value === 'string' ? `@${value}` : `${value}`;
}
