/**
 * What the chain requires of modules at publish, beyond sound bytecode.
 *
 * The checks run on modules that are decoded but not yet verified, in the reference's order: for each module its
 * private generics, entry functions, global storage (which the chain bans), gas-free functions and `init`; then for
 * each its data structs; then for each its complexity. A verdict has the status ABORTED and one of `PublishStatus`, or
 * TOO_MANY_TYPE_NODES without one. Source: `verify_modules` of the reference's `moveos-verifier/src/verifier.rs` and
 * `sort_and_verify_modules_inner`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { functionText } from '../binary/render.ts';
import { type VerifyResult, verdictOf } from '../verdict.ts';
import { checkComplexity } from './complexity.ts';
import { type CheckedModules, checkDataStructs } from './data-struct.ts';
import { checkEntryFunctions, hasInitFunction } from './entry-functions.ts';
import { ownName } from './full-name.ts';
import { checkGasFreeFunctions } from './gas-free.ts';
import type { ModuleLookup } from './module-lookup.ts';
import { type ModuleMetadata, metadataOf } from './module-metadata.ts';
import { checkPrivateGenerics } from './private-generics.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

/** Checks a bundle, in dependency order. `stored` gives the modules that are published already. */
export function verifyPublish(modules: readonly Module[], stored: ModuleLookup): VerifyResult {
  return verdictOf(() => {
    for (const module of modules) {
      checkPrivateGenerics(module, stored);
      checkEntryFunctions(module);
      checkGlobalStorage(module);
      checkGasFreeFunctions(module);
      hasInitFunction(module);
    }
    const checked: CheckedModules = new Map();
    for (const module of modules) checkDataStructs(module, stored, checked);
    for (const module of modules) checkComplexity(module);
  });
}

const GLOBAL_STORAGE: ReadonlySet<number> = new Set([
  Op.Exists,
  Op.ExistsGeneric,
  Op.MoveFrom,
  Op.MoveFromGeneric,
  Op.MoveTo,
  Op.MoveToGeneric,
  Op.MutBorrowGlobal,
  Op.MutBorrowGlobalGeneric,
  Op.ImmBorrowGlobal,
  Op.ImmBorrowGlobalGeneric,
]);

function checkGlobalStorage(module: Module): void {
  for (const { handle, code } of module.functionDefinitions) {
    if (code === undefined || !code.instructions.some(({ op }) => GLOBAL_STORAGE.has(op))) continue;
    const message = `function ${functionText(module, handle)} of ${ownName(module)} uses global storage`;
    throw refusePublish(PublishStatus.INVALID_INSTRUCTION, message);
  }
}

/**
 * Checks what an upgrade changes in metadata: entries must stay as they are, and existing functions must not gain any.
 * The status is ABORTED with a `PublishStatus`.
 */
export function checkMetadataCompatibility(old: Module, next: Module): VerifyResult {
  return verdictOf(() => {
    const before = wellFormed(old);
    const after = wellFormed(next);
    const { DATA_STRUCT_REMOVED, DATA_STRUCT_CHANGED } = PublishStatus;
    requireKept(before.dataStructs, after.dataStructs, DATA_STRUCT_REMOVED, DATA_STRUCT_CHANGED);
    const { DATA_STRUCT_FUNCTION_REMOVED, DATA_STRUCT_FUNCTION_CHANGED } = PublishStatus;
    const functions = [before.dataStructFunctions, after.dataStructFunctions] as const;
    requireKept(...functions, DATA_STRUCT_FUNCTION_REMOVED, DATA_STRUCT_FUNCTION_CHANGED);
    const { PRIVATE_GENERICS_REMOVED, PRIVATE_GENERICS_CHANGED } = PublishStatus;
    const generics = [before.privateGenerics, after.privateGenerics] as const;
    requireKept(...generics, PRIVATE_GENERICS_REMOVED, PRIVATE_GENERICS_CHANGED);
    requireNew(old, ...functions, PublishStatus.DATA_STRUCT_FUNCTION_ADDED);
    requireNew(old, ...generics, PublishStatus.PRIVATE_GENERICS_ADDED);
  });
}

type MetadataMap = ReadonlyMap<string, boolean | readonly bigint[]>;

function wellFormed(module: Module): ModuleMetadata {
  const metadata = metadataOf(module);
  if (metadata !== 'malformed') return metadata;
  throw refusePublish(PublishStatus.MALFORMED_METADATA, `the metadata of ${ownName(module)} is malformed`);
}

function requireKept(before: MetadataMap, after: MetadataMap, removed: PublishStatus, changed: PublishStatus): void {
  for (const [name, value] of before) {
    const kept = after.get(name);
    if (kept === undefined) throw refusePublish(removed, `the metadata no longer speaks of ${name}`);
    if (String(kept) !== String(value)) throw refusePublish(changed, `the metadata says something else of ${name}`);
  }
}

/** Functions that are new in metadata must be new themselves. */
function requireNew(old: Module, before: MetadataMap, after: MetadataMap, status: PublishStatus): void {
  const existing = new Set(
    old.functionDefinitions.map(
      ({ handle }) => `${ownName(old)}::${old.identifiers[old.functionHandles[handle]!.name]}`,
    ),
  );
  for (const name of after.keys()) {
    if (!before.has(name) && existing.has(name)) throw refusePublish(status, `${name} existed without it`);
  }
}
