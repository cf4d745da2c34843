/**
 * The names of constants and the lines of sources, as a program passed them to `addSources`.
 * @module
 */

import type { Module } from '../../vm/binary/module.ts';
import { constantOf, hasSources, lineAt, type ModuleSource, sourceOfDigest } from '../module-sources.ts';
import { digestOf } from '../runtime/module-digest.ts';

function sourceOf(module: Module): ModuleSource | undefined {
  if (!hasSources()) return undefined;
  const digest = digestOf(module);
  return digest === undefined ? undefined : sourceOfDigest(digest);
}

/** The place of an instruction: `sources/counter.move:25`. */
export function sourcePlace(module: Module, functionIndex: number, codeOffset: number): string | undefined {
  const lines = sourceOf(module)?.lines;
  const line = lines && lineAt(lines, functionIndex, codeOffset);
  return lines === undefined || line === undefined ? undefined : `${lines.path}:${line}`;
}

/** The constant that stands for the code, and what its comment says. */
export function abortConstant(
  module: Module,
  code: bigint,
): { readonly name: string; readonly doc: string | undefined } | undefined {
  const source = sourceOf(module);
  const name = source && constantOf(source, String(code));
  return name === undefined ? undefined : { name, doc: source?.constantDocs?.[name] };
}
