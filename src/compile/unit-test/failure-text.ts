/**
 * A failed test in words: what happened, with the name of the abort code, and the call stack with source lines.
 * @module
 */
import { abortCode } from '../../execution/framework/abort-codes.ts';
import { constantOf, lineAt } from '../../execution/module-sources.ts';
import type { StackFrame } from '../../execution/trace/place.ts';
import { formatAddressShort } from '../../move/address.ts';
import { readModule } from '../../vm/binary/read.ts';
import type { Failure } from '../../vm/failure.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import type { TestedModule } from './tested-package.ts';

/** Where names and lines are looked up. */
export interface CodeNames {
  readonly modules: readonly TestedModule[];
}

/** The failure in one line, and one line for each frame, the innermost first. */
export function failureText(failure: Failure, stack: readonly StackFrame[], names: CodeNames): string[] {
  return [sentence(failure, names), ...stack.toReversed().map((frame) => frameText(frame, names))];
}

function sentence({ status, subStatus, location, message, reason }: Failure, names: CodeNames): string {
  if (status !== StatusCode.ABORTED || subStatus === undefined) {
    return `${statusName(status)}${message === '' ? '' : `: ${message}`}`;
  }
  const module = location?.module;
  const id = module && `${formatAddressShort(module.address)}::${module.name}`;
  const { name, meaning } = id === undefined ? {} : abortWords(id, subStatus, names);
  const why = reason ?? meaning;
  const called = name === undefined ? '' : ` (${name})`;
  return `aborted with code ${subStatus}${called}${id === undefined ? '' : ` in ${id}`}${why === undefined ? '' : `: ${why}`}`;
}

interface AbortWords {
  readonly name?: string | undefined;
  readonly meaning?: string | undefined;
}

/** The constant with this value and the comment on it, in the package's sources or the framework's. */
function abortWords(id: string, code: bigint, names: CodeNames): AbortWords {
  const module = find(id, names);
  const name = module && constantOf(module, String(code));
  if (name !== undefined) return { name, meaning: module?.constantDocs?.[name] };
  const [constant, comment] = abortCode(id, code);
  return { name: constant, meaning: comment };
}

function frameText(frame: StackFrame, names: CodeNames): string {
  const module = find(frame.module, names);
  const line = module?.lines && lineAt(module.lines, indexOf(frame.function, module), frame.codeOffset);
  const at = `  at ${frame.module}::${frame.function}`;
  if (module?.lines !== undefined && line !== undefined) return `${at}, ${module.lines.path}:${line}`;
  const instruction = frame.instruction === undefined ? '' : `: ${frame.instruction}`;
  return `${at}, offset ${frame.codeOffset}${instruction}`;
}

function find(id: string | undefined, { modules }: CodeNames): TestedModule | undefined {
  return modules.find((module) => `${module.address}::${module.name}` === id);
}

function indexOf(name: string, { bytes }: TestedModule): number {
  const { functionDefinitions, functionHandles, identifiers } = readModule(bytes);
  return functionDefinitions.findIndex(({ handle }) => identifiers[functionHandles[handle]!.name] === name);
}
