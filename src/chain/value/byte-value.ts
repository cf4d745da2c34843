/**
 * Values as programs get them from the engine: byte strings that people can read.
 *
 * Inside the engine an address or a hash is a plain `Uint8Array`. Public methods return one, too, but of a subclass
 * that knows its text: `String(value)`, `JSON.stringify(value)` and `console.log(value)` show it. Everything that takes
 * bytes takes these (equality, codecs, `Buffer.from`), and so does every public method. They are copies: writing into
 * one changes nothing else. Hot paths inside the engine never make or see them.
 *
 * A result that holds such values is a `Readable` (readable.ts). Arguments, text or bytes, are read by the function
 * beside each class: `toAddress`, `toHash`, `toBitcoinHash`, `toObjectId`, `toStructTag`.
 * @module
 */

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

/** Whether an object defines how it is printed. */
export function saysHowToPrint(value: object): boolean {
  return INSPECT in value;
}

/** Prints the instances of a class as their text alone, in the colour for special values. */
export function printAsText(type: { readonly prototype: object }): void {
  printAs(type, (value, { stylize }) => stylize?.(String(value), 'special') ?? String(value));
}

export abstract class ByteValue extends Uint8Array {
  /** The text that people read. */
  abstract override toString(): string;

  toJSON(): string {
    return this.toString();
  }
}

/**
 * Lets the instances of a class pass for those of the built-in class that it extends: test frameworks compare values by
 * their `constructor`, and `slice` or `map` would otherwise create more instances of the subclass.
 */
export function passAsBuiltIn(type: { readonly prototype: object }): void {
  Reflect.deleteProperty(type.prototype, 'constructor');
}

passAsBuiltIn(ByteValue);
printAsText(ByteValue);
