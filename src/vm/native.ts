/**
 * How native functions are written, and the table of a machine's natives.
 *
 * A native is called with the context of the running call, its own signature at this call's type arguments, and its
 * arguments; it returns its value (an array of values if its Move declaration returns several, nothing if none):
 *
 * ```ts
 * const sha3: NativeFunction<Host> = (context, _signature, bytes: ByteVector) => {
 *   context.charge(gas.base + gas.perByte * bytes.length);
 *   return new ByteVector(sha3_256(bytes.view()));
 * };
 * ```
 *
 * **Values** are those of `value/type.ts`: boolean, number (u8 to u32), bigint (u64 to u256), `Uint8Array` of 32 bytes
 * (address; never to be written to), `StructInstance` with fields `f0`, `f1`, ... (structs; a signer has its address in
 * `f0`), and the vector classes of `value/vector.ts` (`vector<u8>` is a `ByteVector`, of structs an `ArrayVector`).
 * Arguments and results that Move passes by value change owner: a native may keep an argument, and must not return an
 * object that something else still holds.
 *
 * **References.** `&T` and `&mut T` of a struct or vector are the object itself; of a primitive a `Reference` with
 * `get` and `set` (to return one, `new Cell(value)`). Where `T` is a type parameter, `dereference(type, reference)`
 * gives the value in both cases. A native that writes through a reference uses the methods of `VectorValue`,
 * `StructInstance.setField` or with `type.operations.assign`, all of which mark the owner (`value/struct.ts`); never by
 * storing into a field directly. A value that a native decodes from state and returns by reference must be decoded with
 * its owner: `type.decode(bytes, owner)`.
 *
 * **Structs to return** are made with the type: `signature.returns[0].make(field, ...)`; the types of fields are in
 * `type.fields`. Type tags are `type.tag`, and BCS is `type.encode(value)` and `type.decode(bytes)`; check
 * `type.layoutFault` first, if the reference asks for a layout.
 *
 * **Gas** is charged with `context.charge`, which throws when it runs out. Charge as the reference does: it runs a
 * native to its end and then charges, on success and on abort alike. So a native may charge as soon as it knows the
 * amount, but must not charge at all before `context.fail`, because the reference's errors cost nothing.
 *
 * **Failing.** `context.abort(code)` is the Move abort, `context.fail(status)` any other status; both throw. A native
 * throws nothing else, except an `EngineError` for what is not an outcome of the call (such as a failing store), which
 * the machine does not catch. Failures have the native as their location.
 * @module
 */

import { EngineError } from '../base/error.ts';
import type { TypeTag } from '../move/type-tag.ts';
import { type ModuleId, moduleKey } from './binary/module.ts';
import type { StatusCode } from './status.ts';
import type { Type } from './value/type.ts';

/** A native with given type arguments; the same object for all its calls. */
export interface NativeSignature {
  readonly module: ModuleId;
  readonly name: string;
  readonly typeArguments: readonly Type[];
  readonly parameters: readonly Type[];
  readonly returns: readonly Type[];
}

/** The running call, as natives see it. */
export interface NativeContext<Host = unknown> {
  /** Passed along by the caller of the machine, which does not use it. */
  readonly host: Host;
  /** Gas left, in units; the whole budget if the call is not metered. */
  readonly gasLeft: bigint;
  /**
   * Charges gas units.
   * @throws the failure OUT_OF_GAS.
   */
  charge(units: number): void;
  /**
   * Prevents caching the results of functions around this call: the call counts work, which must not depend on what an
   * engine has cached. Only pure natives need it; results of functions that call other natives are never cached.
   */
  keepNoResult(): void;
  /**
   * Fails with ABORTED and the native's own code.
   * @param reason in words, for humans: not part of the outcome
   */
  abort(code: number | bigint, reason?: string): never;
  /** Fails with any other status. */
  fail(status: StatusCode, message: string, subStatus?: bigint): never;
  /** The runtime type of a tag, loading the modules that it needs; `undefined` if the type does not exist. */
  findType(tag: TypeTag): Type | undefined;
}

/** A native function. Its arguments may be declared with their exact value types. */
export type NativeFunction<Host = unknown> = (
  context: NativeContext<Host>,
  signature: NativeSignature,
  ...args: never[]
) => unknown;

type Functions<Host> = Readonly<Record<string, NativeFunction<Host>>>;

/**
 * Natives of a module, by name, that have the same value for the same gas whenever they are called with the same
 * arguments, and change nothing else. `costly` ones take longer than looking up a result.
 */
export type PureNatives = Readonly<Record<string, 'costly' | 'cheap'>>;

/** The native functions of a machine, by `address::module::function`. */
export class NativeTable<Host = unknown> {
  readonly #functions = new Map<string, NativeFunction<Host>>();
  readonly #pure = new Map<string, { readonly isCostly: boolean }>();

  /**
   * Adds the natives of one module by name.
   * @throws {EngineError} `invalid-argument` for a name already in the table.
   */
  add(module: ModuleId, functions: Functions<Host>, pure: PureNatives = {}): this {
    for (const [name, native] of Object.entries(functions)) {
      const key = nativeKey(module, name);
      if (this.#functions.has(key)) throw new EngineError('invalid-argument', `native ${key} is already in the table`);
      this.#functions.set(key, native);
      const kind = pure[name];
      if (kind !== undefined) this.#pure.set(key, { isCostly: kind === 'costly' });
    }
    return this;
  }

  /** How a native is declared, if it is pure; `undefined` for any other. */
  pure(module: ModuleId, name: string): { readonly isCostly: boolean } | undefined {
    return this.#pure.get(nativeKey(module, name));
  }

  /** `undefined` if it does not exist: calls of it then fail with MISSING_DEPENDENCY. */
  get(module: ModuleId, name: string): NativeFunction<Host> | undefined {
    return this.#functions.get(nativeKey(module, name));
  }
}

function nativeKey(module: ModuleId, name: string): string {
  return `${moduleKey(module)}::${name}`;
}
