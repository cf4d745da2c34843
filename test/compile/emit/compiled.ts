import { type CompilerOutput, compileMove } from '../../../src/compile/move-compiler.ts';
import type { Instruction } from '../../../src/vm/binary/module.ts';
import { OPCODES } from '../../../src/vm/binary/opcode.ts';
import { ADDRESSES, codesOf } from '../move-compiler/front-end.ts';

/** What `std` is for the sources of tests. */
export const VECTOR = `module std::vector {
  #[bytecode_instruction] native public fun empty<T>(): vector<T>;
  #[bytecode_instruction] native public fun length<T>(v: &vector<T>): u64;
  #[bytecode_instruction] native public fun borrow<T>(v: &vector<T>, i: u64): &T;
  #[bytecode_instruction] native public fun push_back<T>(v: &mut vector<T>, e: T);
  public fun is_empty<T>(v: &vector<T>): bool { length(v) == 0 }
}`;

function compileTexts(targets: readonly string[], dependencies: readonly string[] = []): CompilerOutput {
  const sources = (
    texts: readonly string[],
    prefix: string,
  ): { files: Map<string, string>; addresses: typeof ADDRESSES } => ({
    files: new Map(texts.map((text, index) => [`${prefix}${index}.move`, text])),
    addresses: ADDRESSES,
  });
  return compileMove({
    targets: [sources(targets, 'target')],
    dependencies: [sources(dependencies, 'dependency')],
    mode: { hasTests: false, hasVerification: false },
  });
}

/** What comes of sources without an error. */
export function emitted(targets: readonly string[], dependencies: readonly string[] = []): CompilerOutput {
  const output = compileTexts(targets, dependencies);
  if (!output.isComplete) throw new Error(`the source does not compile: ${codesOf(output.diagnostics)}`);
  return output;
}

/** The codes and places of what the compiler says of the members of a module. */
export function codesOfMembers(members: string): string[] {
  return codesOf(compileTexts([`module a::m {\n${members}\n}`], [VECTOR]).diagnostics);
}

/** The instructions of a function of a module with these members: names with the operand or literal, if they have one. */
export function instructionsOf(members: string, name = 'f'): string[] {
  const { module } = emitted([`module a::m {\n${members}\n}`], [VECTOR]).modules[0]!;
  const definition = module.functionDefinitions.find(
    ({ handle }) => module.identifiers[module.functionHandles[handle]!.name] === name,
  );
  return definition!.code!.instructions.map(instructionText);
}

export function instructionText({ op, operand, literal }: Instruction): string {
  const row = OPCODES[op]!;
  if (row.operand === 'none') return row.name;
  return literal === 0n && !['u64', 'u128', 'u256'].includes(row.operand)
    ? `${row.name} ${operand}`
    : `${row.name} ${row.operand === 'signatureAndCount' ? `${operand} ` : ''}${literal}`;
}
