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

/** Of a line of a source that is quoted. */
const LINE_CHARACTERS_MAX = 160;

/** Where names and lines are looked up. */
export interface CodeNames {
  readonly modules: readonly TestedModule[];
  /** A line of a source, by its path as the modules have it; undefined if it cannot be read. */
  readonly lineText?: ((path: string, line: number) => string | undefined) | undefined;
}

/**
 * The failure in one line, and one line for each frame, the innermost first. The innermost one of which the source is
 * known is followed by the text of its line.
 */
export function failureText(failure: Failure, stack: readonly StackFrame[], names: CodeNames): string[] {
  const frames = stack.toReversed();
  const first = frames.find((frame) => sourcePlaceOf(frame, names) !== undefined);
  return [
    sentence(failure, names),
    ...frames.flatMap((frame) => [frameText(frame, names), ...(frame === first ? sourceText(frame, names) : [])]),
  ];
}

/** A hint for a test that failed in the framework without having run a genesis. */
export function genesisHint(
  { status }: Failure,
  stack: readonly StackFrame[],
  hasRun: (module: string, name: string) => boolean,
): string[] {
  const isOf = (address: string, { module }: StackFrame): boolean => module.startsWith(`${address}::`);
  const last = stack.at(-1);
  if (status !== StatusCode.ABORTED || last === undefined) return [];
  if (!GENESES.some(([address]) => isOf(address, last))) return [];
  const needed = GENESES.findIndex(([address]) => stack.some((frame) => isOf(address, frame)));
  if (GENESES.slice(0, needed + 1).some(([address]) => hasRun(`${address}::genesis`, 'init_for_test'))) return [];
  const call = `${GENESES[needed]![1]}::genesis::init_for_test()`;
  return [`no genesis and no init has run before a test: if it lacks what these make, call ${call} first`];
}

/** The packages whose genesis tests can run; each runs that of those after it. */
const GENESES = [
  ['0x4', 'bitcoin_move'],
  ['0x3', 'rooch_framework'],
  ['0x2', 'moveos_std'],
] as const;

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

function sourcePlaceOf(frame: StackFrame, names: CodeNames): { path: string; line: number } | undefined {
  const module = find(frame.module, names);
  if (module?.lines === undefined) return undefined;
  const line = lineAt(module.lines, indexOf(frame.function, module), frame.codeOffset);
  return line === undefined ? undefined : { path: module.lines.path, line };
}

function sourceText(frame: StackFrame, names: CodeNames): string[] {
  const { path, line } = sourcePlaceOf(frame, names)!;
  const text = names.lineText?.(path, line)?.trim().slice(0, LINE_CHARACTERS_MAX) ?? '';
  return text === '' ? [] : [`       ${text}`];
}

function frameText(frame: StackFrame, names: CodeNames): string {
  const place = sourcePlaceOf(frame, names);
  const at = `  at ${frame.module}::${frame.function}`;
  if (place !== undefined) return `${at}, ${place.path}:${place.line}`;
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
