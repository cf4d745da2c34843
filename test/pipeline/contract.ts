/**
 * Test modules, published by transactions: texts of the assembler at the address of an account.
 * @module
 */

import type { DevAccount } from '../../src/execution/framework/accounts.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import type { Action } from '../../src/query/transaction-builder.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { frameworkModule, type ModuleByName, withExterns } from '../execution/runtime/externs.ts';
import { assembleModuleBytes } from '../vm/assemble.ts';

/** A text at an account's address, which it names `0xa11ce`; `others` are modules at the same address that it names. */
export function assembleFor(account: DevAccount, text: string, others: readonly Uint8Array[] = []): Uint8Array {
  const known = new Map(others.map((code) => readModule(code)).map((module) => [nameOf(module), module]));
  const lookup: ModuleByName = (name) => {
    const own = name.startsWith(`${account.address}::`) ? known.get(name.slice(account.address.length + 2)) : undefined;
    return own ?? frameworkModule(name);
  };
  return assembleModuleBytes(withExterns(text.replaceAll('0xa11ce', account.address), lookup));
}

function nameOf(module: ReturnType<typeof readModule>): string {
  return module.identifiers[module.moduleHandles[module.selfHandle]!.name]!;
}

/** Publishes, or upgrades, modules that do not name each other. */
export function publishFor(account: DevAccount, ...texts: readonly string[]): Action {
  return publishAction(texts.map((text) => assembleFor(account, text)));
}
