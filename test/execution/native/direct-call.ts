/**
 * Calls natives of the table as they are, without Move code around them, and adds up what they charge and what they count.
 * @module
 */
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { NativePrices } from '../../../src/execution/native/module-natives.ts';
import { NATIVE_MODULES, nativeTable } from '../../../src/execution/native/table.ts';
import type { SessionHost } from '../../../src/execution/runtime/session-host.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { TypeTag } from '../../../src/move/type-tag.ts';
import { type Module, moduleKey } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { ThrownFailure } from '../../../src/vm/failure.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import type { ModuleLoader } from '../../../src/vm/link/linker.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { Machine } from '../../../src/vm/machine.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../../../src/vm/native.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { Chain } from '../runtime/chain.ts';
import { hostOf } from './native-world.ts';

/** What a native is given. */
export interface NativeInput {
  readonly given: readonly unknown[];
  readonly typeArguments?: readonly Type[];
  readonly parameters?: readonly Type[];
  readonly returns?: readonly Type[];
}

/** All natives by `0x1::bcs::to_bytes`, at these prices. */
export function nativesAt(entries: ReadonlyMap<string, bigint>): Map<string, NativeFunction<SessionHost>> {
  const prices = new NativePrices(entries);
  return new Map(
    NATIVE_MODULES.flatMap(({ module, natives }) =>
      Object.entries(natives(prices)).map(([name, native]): [string, NativeFunction<SessionHost>] => [
        `0x${module.address.at(-1)}::${module.name}::${name}`,
        native,
      ]),
    ),
  );
}

/** The modules of the framework and some more, and their types. */
export class NativeTypes {
  readonly #machine = Machine.create<SessionHost>({
    natives: nativeTable(new Map(GENESIS_GAS_ENTRIES)),
    schedule: INITIAL_GAS_SCHEDULE,
  });
  readonly #modules: ModuleLoader;

  constructor(more: readonly Module[] = []) {
    const framework = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => readModule(bytes)));
    const modules = new Map(
      [...framework, ...more].map((module) => [moduleKey(idOfHandle(module, module.selfHandle)), module]),
    );
    this.#modules = { load: (id) => modules.get(moduleKey(id)) };
  }

  readonly of = (tag: TypeTag): Type => this.#machine.loadType(tag, this.#modules) as Type;
}

/** Thrown when a native fails; not an `Error`, since a stack trace costs more than most natives. */
const ENDED = { ended: true };

const { state } = new Chain();

/** Calls on one host, and what they came to. */
export class DirectCalls {
  /** Gas units that were charged. */
  gas = 0;
  /** Microseconds that were counted. */
  work = 0;
  readonly #context: NativeContext<SessionHost>;

  constructor(types: NativeTypes) {
    const end = (): never => {
      throw ENDED;
    };
    const host = hostOf(state);
    Object.defineProperty(host, 'work', {
      value: {
        left: Number.POSITIVE_INFINITY,
        spend: (microseconds: number) => {
          this.work += microseconds;
        },
        checkDone: () => {},
      },
    });
    this.#context = {
      host,
      gasLeft: 0n,
      charge: (units) => {
        this.gas += units;
      },
      keepNoResult: () => {},
      abort: end,
      fail: end,
      findType: types.of,
    };
  }

  /** Calls a native, which may fail. */
  call(
    native: NativeFunction<SessionHost>,
    { given, typeArguments = [], parameters = [], returns = [] }: NativeInput,
  ): void {
    const module = { address: addressOf(2), name: 'm' };
    const signature: NativeSignature = { module, name: 'f', typeArguments, parameters, returns };
    try {
      native(this.#context, signature, ...(given as never[]));
    } catch (error) {
      if (error !== ENDED && !(error instanceof ThrownFailure)) throw error;
    }
  }
}
