/**
 * The chain's requirements on modules at publish, beyond sound bytecode.
 *
 * The checks run on modules that are decoded but not yet verified, in the reference's order: for each module its
 * private generics, entry functions, global storage (which the chain bans), gas-free functions and `init`; then for
 * each its data structs; then for each its complexity. A verdict has the status ABORTED and one of `PublishStatus`, or
 * TOO_MANY_TYPE_NODES without one. Source: `verify_modules` of the reference's `moveos-verifier/src/verifier.rs` and
 * `sort_and_verify_modules_inner`.
 *
 * Gas-free functions name two helpers of their module. The reference's check of the helpers' types accepts none (its
 * comparison of the first parameter is a stub that returns false), so no module with such a function can be published;
 * earlier checks decide the number. Source: `verify_gas_free_function` of the reference's
 * `moveos-verifier/src/verifier.rs`.
 *
 * The type nodes and identifiers that a module may name have a bound relative to its size: a small module must not be
 * expensive to load. Source: the reference's `moveos-verifier/src/check_complexity.rs`.
 * @module
 */
import { type Binary, type Code, type Module, type ModuleLookup, typesNamedBy } from '../binary/module.ts';
import { GLOBAL_STORAGE, plainOp } from '../binary/opcode.ts';
import { functionText } from '../binary/render.ts';
import { isStructToken, type SignatureToken } from '../binary/signature-token.ts';
import { writeModule } from '../binary/write.ts';
import { StatusCode } from '../status.ts';
import { Rejection, type VerifyResult, verdictOf } from '../verdict.ts';
import { type CheckedModules, checkDataStructs } from './data-struct.ts';
import { checkEntryFunctions, hasInitFunction } from './entry-functions.ts';
import { ownName } from './module-metadata.ts';
import { checkPrivateGenerics, requireFunction, requireMetadata } from './private-generics.ts';
import { PublishStatus, refusePublish } from './publish-status.ts';

const BUDGET_BASE = 2048;
const BUDGET_PER_BYTE = 5;
const COST_PER_TYPE_NODE = 8;

/** Status TOO_MANY_TYPE_NODES. */
function checkComplexity(module: Module): void {
  const budget = BUDGET_BASE + BUDGET_PER_BYTE * writeModule(module).length;
  const cost = complexityOf(module, budget);
  if (cost <= budget) return;
  throw new Rejection(StatusCode.TOO_MANY_TYPE_NODES, `expected a complexity of at most ${budget}, got more`);
}

/** The cost of a module; counting stops once it exceeds `max`. */
export function complexityOf(module: Module, max: number): number {
  const signatureCosts = module.signatures.map((signature) =>
    signature.reduce((sum, token) => sum + tokenCost(module, token), 0),
  );
  const signatures = (indexes: Iterable<number>): number => {
    let sum = 0;
    for (const index of indexes) {
      sum += signatureCosts[index]!;
      if (sum > max) break;
    }
    return sum;
  };
  let cost = signatures(signatureCosts.keys());
  const { functionInstantiations, structInstantiations, fieldInstantiations } = module;
  for (const table of [functionInstantiations, structInstantiations, fieldInstantiations]) {
    cost += signatures(table.map((entry) => entry.typeArguments));
  }
  for (const { module: owner, name, parameters, returns } of module.functionHandles) {
    cost += nameLength(module, owner, name) + signatures([parameters, returns]);
  }
  for (const { module: owner, name } of module.structHandles) cost += nameLength(module, owner, name);
  for (const { code } of module.functionDefinitions) {
    if (code !== undefined && cost <= max) cost += signatures(signaturesOf(module, code));
  }
  for (const { fields } of module.structDefinitions) {
    for (const { type } of fields ?? []) cost += nodeCount(type);
  }
  return cost;
}

/** The signatures that a body names, with repetition. */
function* signaturesOf(module: Module, code: Code): Generator<number> {
  yield code.locals;
  for (const item of code.instructions) {
    const types = typesNamedBy(module, item);
    if (types !== undefined) yield types;
  }
}

function tokenCost(binary: Binary, token: SignatureToken): number {
  let cost = COST_PER_TYPE_NODE;
  if (isStructToken(token)) {
    const { module, name } = binary.structHandles[token.index]!;
    cost += nameLength(binary, module, name);
  }
  return token.arguments.reduce((sum, inner) => sum + tokenCost(binary, inner), cost);
}

/** Identifiers are ASCII, so characters are bytes. */
function nameLength(binary: Binary, moduleHandle: number, name: number): number {
  const module = binary.identifiers[binary.moduleHandles[moduleHandle]!.name]!;
  return module.length + binary.identifiers[name]!.length;
}

function nodeCount(token: SignatureToken): number {
  return token.arguments.reduce((sum, inner) => sum + nodeCount(inner), 1);
}

function checkGasFreeFunctions(module: Module): void {
  for (const [name, { validate }] of requireMetadata(module).gasFree) {
    requireFunction(module, name);
    const { parameters, returns } = module.functionHandles[requireFunction(module, validate)]!;
    const taken = module.signatures[parameters]!.length;
    const returned = module.signatures[returns]!.length;
    if (taken === 0 || returned === 0) {
      throw refusePublish(PublishStatus.NOT_ENOUGH_PARAMETERS, `${validate} takes or returns nothing`);
    }
    if (taken !== 1 && returned !== 1) {
      throw refusePublish(PublishStatus.TOO_MANY_PARAMETERS, `${validate} takes and returns more than one value`);
    }
    throw refusePublish(PublishStatus.TYPE_MISMATCH, `${validate} has a parameter that no chain accepts`);
  }
}

/** Checks a bundle, in dependency order. `stored` gives the published modules. */
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

function checkGlobalStorage(module: Module): void {
  for (const { handle, code } of module.functionDefinitions) {
    if (code === undefined || !code.instructions.some(({ op }) => GLOBAL_STORAGE.has(plainOp(op)))) continue;
    const message = `function ${functionText(module, handle)} of ${ownName(module)} uses global storage`;
    throw refusePublish(PublishStatus.INVALID_INSTRUCTION, message);
  }
}

/**
 * Checks the metadata of an upgrade: entries must not change, and existing functions must not gain any. The status is
 * ABORTED with a `PublishStatus`.
 */
export function checkMetadataCompatibility(old: Module, next: Module): VerifyResult {
  return verdictOf(() => {
    const before = requireMetadata(old);
    const after = requireMetadata(next);
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

function requireKept(before: MetadataMap, after: MetadataMap, removed: PublishStatus, changed: PublishStatus): void {
  for (const [name, value] of before) {
    const kept = after.get(name);
    if (kept === undefined) throw refusePublish(removed, `the metadata of ${name} was removed`);
    if (String(kept) !== String(value)) throw refusePublish(changed, `the metadata of ${name} changed`);
  }
}

/** Only new functions may gain metadata. */
function requireNew(old: Module, before: MetadataMap, after: MetadataMap, status: PublishStatus): void {
  const existing = new Set(
    old.functionDefinitions.map(
      ({ handle }) => `${ownName(old)}::${old.identifiers[old.functionHandles[handle]!.name]}`,
    ),
  );
  for (const name of after.keys()) {
    if (!before.has(name) && existing.has(name)) throw refusePublish(status, `${name} existed without metadata`);
  }
}
