/**
 * Random calls of Move functions, as arbitraries of fast-check. Each parameter gets values of its type: numbers that are
 * often small or ones that occur in the code, accounts of the chain, and objects that exist.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import { assertText, parseArgument } from '../base/argument.ts';
import { EngineError, invalidArgument } from '../base/error.ts';
import { parseFunctionId } from '../chain/transaction/action.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type ArgumentType,
  argumentTypeText,
  isObjectHandle,
  isObjectId,
  isSigner,
  isString,
  isStruct,
} from '../execution/runtime/call-arguments.ts';
import { type Address, formatAddress, MOVE_STD_ADDRESS } from '../move/address.ts';
import { displayType, parseTypeTag } from '../move/type-tag.ts';
import { declaredType } from '../query/declared-type.ts';
import type { ObjectFilter } from '../query/object.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { createRpc } from '../server/rpc/server.ts';
import { literalsOf } from '../vm/binary/literal.ts';
import { readStoredModule } from '../vm/binary/stored-module.ts';

/** What random arguments are chosen from: the chain's objects, by type or owner, and numbers that earlier calls had. */
export class Choices {
  readonly #filters = new Map<string, ObjectFilter>();
  readonly #ids = new Map<string, readonly string[]>();
  readonly #numbers: bigint[] = [];

  /** From now on, `refresh` reads the objects of this filter too. Returns the name by which `object` finds them. */
  add(filter: ObjectFilter): string {
    const name = JSON.stringify(filter);
    this.#filters.set(name, filter);
    return name;
  }

  /** Reads the objects that exist now: for each filter, those that were changed last. */
  async refresh(engine: Engine): Promise<void> {
    for (const [name, filter] of this.#filters) {
      const { data } = await engine.objects.list(filter, { limit: OBJECTS_MAX });
      this.#ids.set(
        name,
        data.map(({ object }) => object.meta.id),
      );
    }
  }

  /** One of the objects, or undefined if there is none. */
  object(name: string, choice: number): string | undefined {
    const ids = this.#ids.get(name) ?? [];
    return ids[choice % ids.length];
  }

  /** A number that an earlier call had, or 1 if there is none: the amount that was paid in is the one that may be paid out. */
  number(choice: number): bigint {
    return this.#numbers[choice % this.#numbers.length] ?? 1n;
  }

  /** Remembers the numbers among a call's arguments. */
  give(values: readonly ViewArgument[]): void {
    for (const value of values) if (typeof value === 'bigint') this.#numbers.push(value);
  }

  /** Forgets the numbers, for another sequence. */
  begin(): void {
    this.#numbers.length = 0;
  }
}

/** Chooses a value once it is known which objects exist. Undefined if the parameter takes an object and there is none. */
export type Draw = (choices: Choices) => ViewArgument;

/** The most items in a random vector, and characters in a random text. */
const ITEMS_MAX = 8;

/** The most objects of a type from which one is chosen. */
const OBJECTS_MAX = 100;

/** An address that is no account of the chain. */
const STRANGER = '0x57a4e2';

/** The largest random number by which an object or an earlier number is chosen. */
const CHOICE_MAX = 999;

/** Numbers up to this one are tried more often than others. */
const SMALL_MAX = 20n;

/** A function that can be called from outside. */
export interface Callable {
  /** `address::module::function`. */
  readonly name: string;
  readonly isEntry: boolean;
  readonly isGeneric: boolean;
  /** The types of the arguments that callers pass. */
  parameters(typeArguments: readonly string[]): readonly ArgumentType[];
  /**
   * Values for the parameter at an index.
   * @throws {EngineError} `invalid-argument` for a struct that only code can make
   */
  arbitrary(typeArguments: readonly string[], index: number): Arbitrary<Draw>;
}

/**
 * The functions of a published module.
 * @param senders the accounts that make the calls; addresses among the arguments are most often theirs
 * @throws {EngineError} `not-found` if there is none of this name
 */
export async function callableModule(
  engine: Engine,
  address: Address,
  module: string,
  senders: readonly string[],
  choices: Choices,
): Promise<readonly Callable[]> {
  const abi = await createRpc(engine).request('rooch_getModuleABI', [formatAddress(address), module]);
  const bytes = engine.inside.state.module(address, module);
  const path = `${formatAddress(address)}::${module}`;
  if (abi === null || bytes === undefined) throw new EngineError('not-found', `Module does not exist: ${path}`);
  const values = new RandomValues(literalsOf(readStoredModule(bytes)), senders, choices);
  return abi.functions.map((declared) => {
    const name = `${path}::${declared.name}`;
    const parameters = (typeArguments: readonly string[]): ArgumentType[] => {
      const tags = typeArguments.map((text, index) =>
        parseArgument(`typeArguments[${index}]`, 'a Move type', text, parseTypeTag),
      );
      return declared.params.map((text) => declaredType(text, tags)).filter((type) => !isSigner(type));
    };
    return {
      name,
      isEntry: declared.is_entry,
      isGeneric: declared.type_params.length > 0,
      parameters,
      arbitrary: (typeArguments, index) =>
        values.arbitrary(parameters(typeArguments)[index]!, `argument ${index} of ${name}`),
    };
  });
}

/**
 * A function by its name.
 * @param path where the caller gave the name, for messages
 * @throws {EngineError} `not-found`, with the names of the functions that the module has; `invalid-argument`
 */
export async function callableFunction(
  engine: Engine,
  given: string,
  path: string,
  senders: readonly string[],
  choices: Choices,
): Promise<Callable> {
  const form = '<address>::<module>::<function>';
  assertText(given, path, form);
  const id = parseArgument(path, form, given, parseFunctionId);
  const all = await callableModule(engine, id.address, id.module, senders, choices);
  const name = `${formatAddress(id.address)}::${id.module}::${id.name}`;
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name.slice(each.name.lastIndexOf(':') + 1)).join(', ');
  throw new EngineError('not-found', `${path}: ${name} cannot be called from outside; what can be is ${names}`);
}

/** Random values by type. */
class RandomValues {
  readonly #literals: readonly bigint[];
  readonly #senders: readonly string[];
  readonly #choices: Choices;

  constructor(literals: readonly bigint[], senders: readonly string[], choices: Choices) {
    this.#literals = literals;
    this.#senders = senders;
    this.#choices = choices;
  }

  /** @param name the parameter, for messages */
  arbitrary(type: ArgumentType, name: string): Arbitrary<Draw> {
    if (type.isReference) return this.arbitrary(type.item, name);
    switch (type.kind) {
      case 'bool':
        return fc.boolean().map(fixed);
      case 'u8':
      case 'u16':
      case 'u32':
      case 'u64':
      case 'u128':
      case 'u256':
        return this.#integer(2n ** BigInt(type.kind.slice(1)) - 1n);
      case 'address':
      case 'signer':
        return this.#address().map(fixed);
      case 'vector':
        return this.#vector(type.item, name);
      default:
        return this.#struct(type, name);
    }
  }

  #integer(max: bigint): Arbitrary<Draw> {
    const small = fc.bigInt({ min: 0n, max: max < SMALL_MAX ? max : SMALL_MAX });
    const near = this.#literals.flatMap((value) => [value, value + 1n, value - 1n]);
    const named = [...new Set([...near, max, max - 1n])].filter((value) => value >= 0n && value <= max);
    const any = fc.bigInt({ min: 0n, max });
    const before = fc.nat(CHOICE_MAX).map(
      (choice): Draw =>
        (choices) => {
          const value = choices.number(choice);
          return value <= max ? value : max;
        },
    );
    return fc.oneof(
      // A failure is easiest to understand with small numbers.
      { withCrossShrink: true },
      { weight: 4, arbitrary: small.map(fixed) },
      { weight: 3, arbitrary: fc.constantFrom(...named).map(fixed) },
      { weight: 3, arbitrary: before },
      any.map(fixed),
    );
  }

  #address(): Arbitrary<string> {
    return fc.constantFrom(...this.#senders, STRANGER);
  }

  #vector(item: ArgumentType, name: string): Arbitrary<Draw> {
    if (item.kind === 'u8') return fc.uint8Array({ maxLength: ITEMS_MAX }).map(fixed);
    const items = fc.array(this.arbitrary(item, `${name}[]`), { maxLength: ITEMS_MAX });
    return items.map((draws) => (choices) => draws.map((draw) => draw(choices)).filter((value) => value !== undefined));
  }

  #object(filter: ObjectFilter): Arbitrary<Draw> {
    const name = this.#choices.add(filter);
    return fc.nat(CHOICE_MAX).map((choice) => (choices) => choices.object(name, choice));
  }

  #struct(type: ArgumentType, name: string): Arbitrary<Draw> {
    if (isString(type)) return fc.string({ maxLength: ITEMS_MAX }).map(fixed);
    if (isStruct(type, MOVE_STD_ADDRESS, 'option', 'Option')) {
      const some = this.arbitrary(type.struct.typeArguments[0]!, name);
      return fc.option(some, { nil: undefined }).map((draw) => draw ?? fixed(null));
    }
    if (isObjectHandle(type))
      return this.#object({ kind: 'type', type: displayType(type.struct.typeArguments[0]!.tag) });
    if (isObjectId(type)) return fc.oneof(...this.#senders.map((owner) => this.#object({ kind: 'owner', owner })));
    const expected = 'a type whose values callers can make';
    throw invalidArgument(`${name}: expected ${expected}, got ${argumentTypeText(type)}`);
  }
}

const fixed =
  <T extends ViewArgument>(value: T): Draw =>
  () =>
    value;
