/**
 * Readable results of the public methods.
 *
 * A `Readable` has its values as plain members. `JSON.stringify` writes integers of 64 bits and more as decimal strings
 * and bytes as hex text, as JSON-RPC does; `console.log` shows the same members with bigints as they are.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';

/** The method that Node's `console.log` calls on an object; other hosts ignore it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The part of Node's `util.inspect` options that this project uses. */
export interface InspectOptions {
  readonly stylize?: (text: string, style: string) => string;
}

export type Inspect = (value: unknown, options: InspectOptions) => string;

/** Sets how Node prints the instances of a class. */
export function printAs<T extends object>(
  type: { readonly prototype: T },
  print: (value: T, options: InspectOptions, inspect: Inspect) => string,
): void {
  const value = function (this: T, _depth: number, options: InspectOptions, inspect: Inspect): string {
    return print(this, options, inspect);
  };
  Object.defineProperty(type.prototype, INSPECT, { value, configurable: true });
}

/** A JSON value. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [name: string]: PlainJson };

/** A result that prints, and turns into JSON, in readable form. */
export abstract class Readable {
  toJSON(): PlainJson {
    return membersJson(this);
  }
}

printAs(Readable, (value, options, inspect) => inspect(membersShown(value), options));

class ReadableRecord extends Readable {
  constructor(members: object) {
    super();
    Object.assign(this, members);
  }
}

/** A copy of a plain object as a `Readable`: for results that are made often, since `readable` takes longer. */
export function readableRecord<T extends object>(members: T): T {
  return new ReadableRecord(members) as object as T;
}

/** A result that also shows its getters. */
export abstract class LazyReadable extends Readable {
  /** All of it, decoded. */
  abstract shown(): object;

  override toJSON(): PlainJson {
    return plainJson(this.shown());
  }
}

printAs(LazyReadable, (value, options, inspect) => inspect(membersShown(value.shown()), options));

/** Members that are computed when they are read. */
export type Getters<T, Names extends keyof T> = { readonly [Name in Names]: () => T[Name] } & ThisType<T>;

/** Defines them as own members, so that a copy by `{ ...value }` has them. */
export function ownGetters<T extends object, Names extends keyof T>(value: T, getters: Getters<T, Names>): void {
  for (const name in getters)
    Object.defineProperty(value, name, { get: getters[name], enumerable: true, configurable: true });
}

/** A copy of a plain object that prints, and turns into JSON, like a `Readable`, and compares as the object does. */
export function readable<T extends object>(value: T): T {
  const copy = { ...value };
  Object.defineProperty(copy, 'toJSON', { value: () => membersJson(copy) });
  printAs({ prototype: copy }, (own, options, inspect) => inspect(membersShown(own), options));
  return copy;
}

/** A value as JSON: undefined members are left out, functions are not expected. */
export function plainJson(value: unknown): PlainJson {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : objectJson(value);
    case 'undefined':
      return null;
    default:
      return value as PlainJson;
  }
}

function objectJson(value: object): PlainJson {
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON() as PlainJson;
  if (value instanceof Uint8Array) return toHexPrefixed(value);
  if (Array.isArray(value)) return value.map(plainJson);
  return membersJson(value);
}

/**
 * Defines a missing member: reading it throws, and it prints, and turns into JSON, as null.
 * @param why makes the error
 */
export function missingMember(value: object, name: string, why: () => Error): void {
  const get = (): never => {
    throw why();
  };
  Object.defineProperty(value, name, { get, enumerable: false, configurable: true });
}

/** A member, or null if it is missing. */
export function memberOrNull<T extends object, Name extends keyof T>(value: T, name: Name): T[Name] | null {
  return isMissing(Object.getOwnPropertyDescriptor(value, name)) ? null : value[name];
}

function isMissing(member: PropertyDescriptor | undefined): boolean {
  return member?.get !== undefined && member.enumerable === false;
}

/** The members that are shown. */
function membersOf(value: object): [name: string, member: unknown][] {
  return Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, member]) => {
    if (member.enumerable === true) return [[name, value[name as keyof object]]];
    return isMissing(member) ? [[name, null]] : [];
  });
}

function membersJson(value: object): PlainJson {
  const members = membersOf(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plainJson(member)]));
}

/** The value to print: bytes as hex text, everything else as it is. */
function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || INSPECT in value) return value;
  if (value instanceof Uint8Array) return toHexPrefixed(value);
  if (Array.isArray(value)) return value.map(shown);
  return membersShown(value);
}

function membersShown(value: object): object {
  return Object.fromEntries(membersOf(value).map(([name, member]) => [name, shown(member)]));
}
