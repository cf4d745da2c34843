/**
 * Compiled Move modules in files: bytes, their hexadecimal digits, or a package of several.
 * @module
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { decode } from '../base/bcs/codec.ts';
import { fromHex } from '../base/bytes/hex.ts';
import { EngineError } from '../base/error.ts';
import { type CompiledPackage, compile } from '../compile/index.ts';
import { packageData } from '../pipeline/publish.ts';
import { readModule } from '../vm/binary/read.ts';
import { UsageError } from './arguments.ts';
import { unreadable } from './unreadable.ts';

const MODULE_EXTENSION = '.mv';
/** What the reference's `rooch move build --export` writes: BCS of `0x2::module_store::PackageData`. */
const PACKAGE_EXTENSION = '.rpd';

/** Compiles the Move package in a folder. */
type Build = (directory: string) => Promise<CompiledPackage>;

/**
 * The modules of a `.mv` file, of a package (`.rpd`), or of the `.mv` files in a directory; if there are none, of the
 * Move package in it, compiled.
 * @throws {UsageError} for a directory without such files. {EngineError} `not-found`, `malformed-module`,
 * `malformed-bytes`, naming the file. Errors of node:fs.
 */
export async function modulesAt(path: string, build: Build = compile): Promise<Uint8Array[]> {
  const found = await stat(path).catch((cause) => {
    throw unreadable('FILE', path, cause);
  });
  if (!found.isDirectory()) return modulesOfFile(path);
  const names = (await readdir(path)).filter((name) => extname(name) === MODULE_EXTENSION).sort();
  if (names.length === 0 && existsSync(join(path, 'Move.toml'))) {
    const { modules } = await build(path);
    return modules.map(({ bytes }) => bytes);
  }
  if (names.length === 0) {
    throw new UsageError(`${path}: there are no ${MODULE_EXTENSION} files in this directory, and no Move.toml`);
  }
  return (await Promise.all(names.map((name) => modulesOfFile(join(path, name))))).flat();
}

async function modulesOfFile(path: string): Promise<Uint8Array[]> {
  const content = await readFile(path);
  return namingFile(path, () => {
    const modules = extname(path) === PACKAGE_EXTENSION ? decode(packageData, content).modules : [binaryOf(content)];
    for (const code of modules) readModule(code);
    return [...modules];
  });
}

/** What `read` makes of a file; its errors name the file. */
export function namingFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EngineError(error.code, `${path}: ${error.message}`, { details: error.details, cause: error });
  }
}

const HEX_TEXT = /^(0x)?[0-9a-fA-F]+\s*$/;

/** Decodes a file of hex digits, as getStates shows modules; other content is returned as is. */
export function binaryOf(content: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(content);
  return HEX_TEXT.test(text) ? fromHex(text.trim()) : content;
}
