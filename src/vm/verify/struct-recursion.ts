/**
 * Checks that no struct contains itself, not even through others or as a type argument, so values have a finite layout.
 *
 * Other modules cannot close a cycle, since dependencies between modules have none.
 * Source: the reference's `move-bytecode-verifier/src/struct_defs.rs`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { rejectEntry } from '../verdict.ts';
import { components } from './graph.ts';

export function checkStructRecursion(module: Module): void {
  const definitionOf = new Map(module.structDefinitions.map(({ handle }, index) => [handle, index]));
  const contained = module.structDefinitions.map(({ fields }) => {
    const found = new Set<number>();
    for (const { type } of fields ?? []) collectStructs(type, definitionOf, found);
    return [...found];
  });
  const component = components(contained);
  const members = new Map<number, number>();
  for (const number of component) members.set(number, (members.get(number) ?? 0) + 1);
  const recursive = contained.findIndex(
    (others, index) => others.includes(index) || (members.get(component[index]!) ?? 0) > 1,
  );
  if (recursive >= 0) {
    const message = `struct definition ${recursive} contains itself`;
    throw rejectEntry(StatusCode.RECURSIVE_STRUCT_DEFINITION, 'structDefinition', recursive, message);
  }
}

function collectStructs(type: SignatureToken, definitionOf: ReadonlyMap<number, number>, found: Set<number>): void {
  const isStruct = type.tag === TokenTag.Struct || type.tag === TokenTag.StructInstantiation;
  const definition = isStruct ? definitionOf.get(type.index) : undefined;
  if (definition !== undefined) found.add(definition);
  for (const argument of type.arguments) collectStructs(argument, definitionOf, found);
}
