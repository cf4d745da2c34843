/**
 * Places in code in readable form, with the names of constants and the source lines registered with `addSources`.
 * @module
 */
import { instructionText } from '../../vm/binary/disassemble.ts';
import { type Binary, type Code, type Module, type ModuleId, moduleIdText } from '../../vm/binary/module.ts';
import type { LoadedFunction } from '../../vm/link/loaded-module.ts';
import { constantOf, hasSources, lineAt, type ModuleSource, sourceOfDigest } from '../module-sources.ts';
import { moduleDigest } from '../runtime/module-cache.ts';
import type { OpenFrame } from './recorder.ts';

function sourceOf(module: Module): ModuleSource | undefined {
  if (!hasSources()) return undefined;
  const digest = moduleDigest(module);
  return digest === undefined ? undefined : sourceOfDigest(digest);
}

/** The place of an instruction: `sources/counter.move:25`. */
export function sourcePlace(module: Module, functionIndex: number, codeOffset: number): string | undefined {
  const lines = sourceOf(module)?.lines;
  const line = lines && lineAt(lines, functionIndex, codeOffset);
  return lines === undefined || line === undefined ? undefined : `${lines.path}:${line}`;
}

/** The names of a function's parameters, if its source is known. */
export function sourceParameters(module: Module, functionName: string): readonly string[] | undefined {
  const parameters = sourceOf(module)?.lines?.parameters;
  if (parameters === undefined) return undefined;
  const index = module.functionDefinitions.findIndex(({ handle }) => {
    return module.identifiers[module.functionHandles[handle]!.name] === functionName;
  });
  return parameters[index];
}

/** The constant of the code, and its comment. */
export function abortConstant(
  module: Module,
  code: bigint,
): { readonly name: string; readonly doc: string | undefined } | undefined {
  const source = sourceOf(module);
  const name = source && constantOf(source, String(code));
  return name === undefined ? undefined : { name, doc: source?.constantDocs?.[name] };
}

/** A function of a call stack. */
export interface StackFrame {
  /** `0x3::coin`, or `script`. */
  readonly module: string;
  readonly function: string;
  /** Offset of the pending call, or of the instruction that failed. */
  readonly codeOffset: number;
  /** That instruction, disassembled; undefined for a native. */
  readonly instruction: string | undefined;
  /** `sources/counter.move:25`, if known from `addSources`. */
  readonly source?: string;
}

/** `0x3::coin`, or `script` without a module. */
export function moduleName(id: ModuleId | undefined): string {
  return id === undefined ? 'script' : moduleIdText(id);
}

/** `0x3::coin::withdraw`, or `script::main`. */
export function functionName({ module, name }: LoadedFunction): string {
  return `${moduleName(module.id)}::${name}`;
}

export function stackFrame({ loaded, codeOffset }: OpenFrame): StackFrame {
  const { module, index, name, code, parameters } = loaded;
  const instruction = code && instructionAt(module.binary, code, codeOffset, parameters.length);
  const source = module.binary.kind === 'module' ? sourcePlace(module.binary, index, codeOffset) : undefined;
  const frame = { module: moduleName(module.id), function: name, codeOffset, instruction };
  return source === undefined ? frame : { ...frame, source };
}

/** An instruction with the names that it refers to; undefined past the end of the code. */
export function instructionAt(
  binary: Binary,
  code: Code,
  codeOffset: number,
  parameterCount: number,
): string | undefined {
  const instruction = code.instructions[codeOffset];
  return instruction && instructionText(binary, instruction, parameterCount);
}

/** A call stack, the innermost function first. Not with `at`: readers of error stacks would take them for frames. */
export function stackLines(stack: readonly StackFrame[]): string[] {
  return stack.toReversed().map((frame) => {
    const source = frame.source === undefined ? '' : `, ${frame.source}`;
    const place = `  in ${frame.module}::${frame.function}${source}, offset ${frame.codeOffset}`;
    return frame.instruction === undefined ? place : `${place}: ${frame.instruction}`;
  });
}
