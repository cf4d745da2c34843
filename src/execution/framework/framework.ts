/**
 * The framework: the Move packages that every chain of this engine starts with.
 *
 * The sources are in `move/`, one folder per package; `compiled/` holds their bytecode as base64 text, written by
 * `scripts/compile-framework.mjs` and reproducible bit for bit. Names, signatures, abilities, struct layouts and abort
 * codes are those of the reference network's framework wherever both have an item, so that contracts compiled against
 * it run here unchanged and object ids, field keys and records agree; the bodies are written for this engine.
 *
 * Invariants: packages are in dependency order, and so are the modules inside each; a module's bytes carry its chain
 * metadata. Cost: importing this file parses text only; a module is decoded when its `bytes` are first read.
 *
 * @module
 */
import { fromBase64 } from '../../base/bytes/base64.ts';
import { BITCOIN_MOVE } from './compiled/bitcoin-move.ts';
import { MOVE_STDLIB } from './compiled/move-stdlib.ts';
import { MOVEOS_STDLIB } from './compiled/moveos-stdlib.ts';
import { ROOCH_FRAMEWORK } from './compiled/rooch-framework.ts';

/** One module of a package. */
interface FrameworkModule {
  /** The module's own name, without its address. */
  readonly name: string;
  /** Bytecode, version 6. Decoded on first access and shared from then on: do not write to it. */
  readonly bytes: Uint8Array;
}

/** One package: all modules published at one address. */
export interface FrameworkPackage {
  /** The 32-byte address of the package. */
  readonly address: Uint8Array;
  /** The package's name in its manifest. */
  readonly name: string;
  /** Modules, each after those it imports. */
  readonly modules: readonly FrameworkModule[];
}

type CompiledModules = readonly (readonly [name: string, base64: string])[];

class LazyModule implements FrameworkModule {
  readonly name: string;
  #base64: string;
  #bytes: Uint8Array | undefined;

  constructor(name: string, base64: string) {
    this.name = name;
    this.#base64 = base64;
  }

  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      this.#bytes = fromBase64(this.#base64);
      this.#base64 = '';
    }
    return this.#bytes;
  }
}

function frameworkPackage(lastAddressByte: number, name: string, compiled: CompiledModules): FrameworkPackage {
  const address = new Uint8Array(32);
  address[31] = lastAddressByte;
  return { address, name, modules: compiled.map(([moduleName, base64]) => new LazyModule(moduleName, base64)) };
}

/** The packages at 0x1, 0x2, 0x3 and 0x4, each after those it depends on. */
export const FRAMEWORK_PACKAGES: readonly FrameworkPackage[] = [
  frameworkPackage(1, 'MoveStdlib', MOVE_STDLIB),
  frameworkPackage(2, 'MoveosStdlib', MOVEOS_STDLIB),
  frameworkPackage(3, 'RoochFramework', ROOCH_FRAMEWORK),
  frameworkPackage(4, 'BitcoinMove', BITCOIN_MOVE),
];
