/**
 * Checks that no table has an entry twice, and that the module's own handles and definitions match.
 *
 * Afterwards an index identifies its entry: equal things have equal indexes. Source: the reference's
 * `move-bytecode-verifier/src/check_duplication.rs`, whose order of checks is kept.
 * @module
 */
import { toHex } from '../../base/bytes/bytes.ts';
import type { Binary, Module } from '../binary/module.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { type IndexKind, rejectEntry } from '../verdict.ts';

export function checkDuplication(binary: Binary): void {
  refuseRepeated('identifier', binary.identifiers);
  refuseRepeated('address', binary.addresses.map(toHex));
  refuseRepeated(
    'constant',
    binary.constants.map(({ type, data }) => `${typeKey(type)} ${toHex(data)}`),
  );
  refuseRepeated(
    'signature',
    binary.signatures.map((signature) => signature.map(typeKey).join(',')),
  );
  refuseRepeated('moduleHandle', pairs(binary.moduleHandles, 'address', 'name'));
  if (binary.kind === 'module') refuseRepeated('friend', pairs(binary.friends, 'address', 'name'));
  refuseRepeated('structHandle', pairs(binary.structHandles, 'module', 'name'));
  refuseRepeated('functionHandle', pairs(binary.functionHandles, 'module', 'name'));
  refuseRepeated('functionInstantiation', pairs(binary.functionInstantiations, 'generic', 'typeArguments'));
  if (binary.kind === 'module') checkModule(binary);
}

function checkModule(module: Module): void {
  refuseRepeated('fieldHandle', pairs(module.fieldHandles, 'struct', 'field'));
  refuseRepeated('fieldInstantiation', pairs(module.fieldInstantiations, 'generic', 'typeArguments'));
  checkFunctions(module);
  checkStructs(module);
  refuseRepeated('structInstantiation', pairs(module.structInstantiations, 'generic', 'typeArguments'));
}

function checkFunctions({ functionDefinitions, functionHandles, selfHandle }: Module): void {
  const defined = functionDefinitions.map((definition) => definition.handle);
  refuseRepeated('functionDefinition', defined);
  for (const [index, { acquires }] of functionDefinitions.entries()) {
    if (firstRepeated(acquires) !== undefined) {
      throw rejectEntry(
        StatusCode.DUPLICATE_ACQUIRES_ANNOTATION,
        'functionDefinition',
        index,
        `function definition ${index} acquires a resource twice`,
      );
    }
  }
  checkOwnership('functionDefinition', defined, 'functionHandle', functionHandles, selfHandle);
}

function checkStructs({ structDefinitions, structHandles, selfHandle }: Module): void {
  const defined = structDefinitions.map((definition) => definition.handle);
  refuseRepeated('structDefinition', defined);
  for (const [index, { fields }] of structDefinitions.entries()) {
    if (fields === undefined) continue;
    if (fields.length === 0) {
      const message = `struct definition ${index} has no fields`;
      throw rejectEntry(StatusCode.ZERO_SIZED_STRUCT, 'structDefinition', index, message);
    }
    refuseRepeated(
      'fieldDefinition',
      fields.map((field) => field.name),
    );
  }
  checkOwnership('structDefinition', defined, 'structHandle', structHandles, selfHandle);
}

/** Definitions belong to the module's own handles, and each of its own handles is defined. */
function checkOwnership(
  definitions: IndexKind,
  defined: readonly number[],
  table: IndexKind,
  handles: readonly { readonly module: number }[],
  selfHandle: number,
): void {
  const foreign = defined.findIndex((handle) => handles[handle]!.module !== selfHandle);
  if (foreign >= 0) {
    const message = `${definitions} ${foreign} has a handle of another module`;
    throw rejectEntry(StatusCode.INVALID_MODULE_HANDLE, definitions, foreign, message);
  }
  const known = new Set(defined);
  const missing = handles.findIndex(({ module }, handle) => module === selfHandle && !known.has(handle));
  if (missing >= 0) {
    const message = `${table} ${missing} names a definition that this module lacks`;
    throw rejectEntry(StatusCode.UNIMPLEMENTED_HANDLE, table, missing, message);
  }
}

function refuseRepeated(table: IndexKind, keys: readonly (string | number)[]): void {
  const index = firstRepeated(keys);
  if (index === undefined) return;
  throw rejectEntry(StatusCode.DUPLICATE_ELEMENT, table, index, `${table} ${index} repeats an earlier one`);
}

function firstRepeated(keys: readonly (string | number)[]): number | undefined {
  const seen = new Set<string | number>();
  for (const [index, key] of keys.entries()) {
    if (seen.has(key)) return index;
    seen.add(key);
  }
  return undefined;
}

/** Two 16-bit indexes as one number. */
function pairs<T>(entries: readonly T[], first: keyof T, second: keyof T): number[] {
  return entries.map((entry) => (entry[first] as number) * 65_536 + (entry[second] as number));
}

function typeKey(token: SignatureToken): string {
  if (token.arguments.length === 0) return `${token.tag}.${token.index}`;
  return `${token.tag}.${token.index}<${token.arguments.map(typeKey).join(',')}>`;
}
