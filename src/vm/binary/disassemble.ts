/**
 * Modules and scripts as human-readable text.
 *
 * Declarations look like Move; bodies are labels and instructions, one per line, with the code offset, and the value of
 * a constant, in comments. Parameters are `a0`, `a1`, ..., locals `l2`, `l3`, ... by their numbers, type parameters
 * `T0`, `T1`; labels are code offsets. Declarations of other modules are in `extern` blocks. Metadata is listed by key
 * and length. The tests' assembler reads the same text back.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { type AbilitySet, abilityNames } from '../../move/ability.ts';
import {
  type Binary,
  type Code,
  type Constant,
  type FunctionDefinition,
  type FunctionHandle,
  type Instruction,
  type Module,
  namedBy,
  type Script,
  type StructHandle,
  typesNamedBy,
  Visibility,
} from './module.ts';
import { isJump, OPCODES, type OperandKind, opcodeName } from './opcode.ts';
import { typeText as cutTypeText, functionText, moduleText, structText } from './render.ts';
import { type Signature, type SignatureToken, TokenTag } from './signature-token.ts';

/** Column at which comments begin, unless the instruction is longer. */
const COMMENT_COLUMN = 48;

/** Types in a binary are no larger than the binary, so listings show them in full. */
function typeText(binary: Binary, type: SignatureToken): string {
  return cutTypeText(binary, type, Number.POSITIVE_INFINITY);
}

/**
 * The listing of a module.
 * @param charactersMax maximum length of the listing: a small module can name a large constant or type in every
 *   instruction
 * @throws {EngineError} `limit-exceeded` for a longer listing
 */
export function disassembleModule(module: Module, charactersMax: number = Number.POSITIVE_INFINITY): string {
  const lines: string[] = [];
  let characters = 0;
  for (const line of moduleLines(module)) {
    lines.push(line);
    characters += line.length + 1;
    if (characters > charactersMax) {
      throw new EngineError(
        'limit-exceeded',
        `expected a listing of at most ${charactersMax} characters: fetch the module bytes and use movelet disassemble`,
        { details: { expected: charactersMax } },
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function* moduleLines(module: Module): Generator<string> {
  yield `version ${module.version}`;
  yield `module ${moduleText(module, module.selfHandle)}`;
  for (const { address, name } of module.friends) {
    yield `friend ${toHexPrefixed(module.addresses[address]!)}::${module.identifiers[name]}`;
  }
  yield* metadataLines(module);
  yield* externLines(module);
  for (const [index] of module.structDefinitions.entries()) {
    yield '';
    yield* structLines(module, index);
  }
  for (const definition of module.functionDefinitions) {
    yield '';
    yield* functionLines(module, definition);
  }
}

/** The listing of a script. */
export function disassembleScript(script: Script): string {
  const { typeParameters, parameters, code } = script;
  const types = script.signatures[parameters]!;
  const head = `script${constraintsText(typeParameters)}${parameterList(script, types)}`;
  const lines = [`version ${script.version}`, ...metadataLines(script), ...externLines(script), ''];
  lines.push(...bodyLines(script, head, types, code));
  return `${lines.join('\n')}\n`;
}

function metadataLines({ metadata }: Binary): string[] {
  return metadata.map(({ key, value }) => `// metadata ${JSON.stringify(printable(key))}: ${value.length} bytes`);
}

function* externLines(binary: Binary): Generator<string> {
  for (const [index] of binary.moduleHandles.entries()) {
    if (binary.kind === 'module' && index === binary.selfHandle) continue;
    yield '';
    yield `extern ${moduleText(binary, index)} {`;
    for (const struct of binary.structHandles) {
      if (struct.module === index) yield `  ${structHead(binary, struct)}`;
    }
    for (const handle of binary.functionHandles) {
      if (handle.module === index) yield `  ${functionHead(binary, handle, '')}`;
    }
    yield '}';
  }
}

function structHead(binary: Binary, { name, abilities, typeParameters }: StructHandle): string {
  const parameters = typeParameters.map(({ constraints, isPhantom }, index) => {
    return `${isPhantom ? 'phantom ' : ''}T${index}${abilitiesText(':', ' ', constraints)}`;
  });
  const list = parameters.length > 0 ? `<${parameters.join(', ')}>` : '';
  return `struct ${binary.identifiers[name]}${list}${abilitiesText(' has', ', ', abilities)}`;
}

function abilitiesText(before: string, separator: string, abilities: AbilitySet): string {
  const names = abilityNames(abilities);
  return names.length === 0 ? '' : `${before} ${names.join(separator)}`;
}

function* structLines(module: Module, index: number): Generator<string> {
  const { handle, fields } = module.structDefinitions[index]!;
  const head = structHead(module, module.structHandles[handle]!);
  if (fields === undefined) {
    yield `native ${head}`;
    return;
  }
  yield `${head} {`;
  for (const { name, type } of fields) yield `  ${module.identifiers[name]}: ${typeText(module, type)},`;
  yield '}';
}

function functionHead(binary: Binary, handle: FunctionHandle, modifiers: string): string {
  const name = `${binary.identifiers[handle.name]}${constraintsText(handle.typeParameters)}`;
  const types = parameterList(binary, binary.signatures[handle.parameters]!);
  const returns = binary.signatures[handle.returns]!.map((type) => typeText(binary, type)).join(', ');
  return `${modifiers}fun ${name}${types}${returns === '' ? '' : `: ${returns}`}`;
}

function constraintsText(typeParameters: readonly AbilitySet[]): string {
  if (typeParameters.length === 0) return '';
  return `<${typeParameters.map((set, index) => `T${index}${abilitiesText(':', ' ', set)}`).join(', ')}>`;
}

function parameterList(binary: Binary, types: Signature): string {
  return `(${types.map((type, index) => `a${index}: ${typeText(binary, type)}`).join(', ')})`;
}

function* functionLines(module: Module, definition: FunctionDefinition): Generator<string> {
  const handle = module.functionHandles[definition.handle]!;
  const head = functionHead(module, handle, modifiersText(definition));
  const acquires = definition.acquires.map((index) => structText(module, module.structDefinitions[index]!.handle));
  const full = acquires.length > 0 ? `${head} acquires ${acquires.join(', ')}` : head;
  if (definition.code === undefined) yield full;
  else yield* bodyLines(module, full, module.signatures[handle.parameters]!, definition.code);
}

function modifiersText({ visibility, isEntry, code }: FunctionDefinition): string {
  const words: string[] = [];
  if (visibility === Visibility.Public) words.push('public');
  if (visibility === Visibility.Friend) words.push('public(friend)');
  if (isEntry) words.push('entry');
  if (code === undefined) words.push('native');
  return words.map((word) => `${word} `).join('');
}

function* bodyLines(binary: Binary, head: string, parameters: Signature, code: Code): Generator<string> {
  yield `${head} {`;
  for (const [index, type] of binary.signatures[code.locals]!.entries()) {
    yield `  let l${parameters.length + index}: ${typeText(binary, type)}`;
  }
  const targets = new Set(code.instructions.filter(({ op }) => isJump(op)).map((item) => item.operand));
  for (const [offset, item] of code.instructions.entries()) {
    if (targets.has(offset)) yield `  b${offset}:`;
    const text = `    ${instructionText(binary, item, parameters.length)}`;
    yield `${text.padEnd(COMMENT_COLUMN)} // ${offset}${constantComment(binary, item)}`;
  }
  yield '}';
}

/** An instruction, with names in place of indexes. */
export function instructionText(binary: Binary, item: Instruction, parameterCount: number): string {
  const operand = operandText(binary, item, parameterCount);
  return operand === '' ? opcodeName(item.op) : `${plainName(item.op)} ${operand}`;
}

/** The type arguments tell the generic form from the plain one. */
function plainName(op: number): string {
  return opcodeName(op).replace(/Generic$/, '');
}

function operandText(binary: Binary, item: Instruction, parameterCount: number): string {
  const { op, operand, literal } = item;
  const kind = OPCODES[op]?.operand;
  switch (kind) {
    case undefined:
    case 'none':
      return '';
    case 'codeOffset':
      return `b${operand}`;
    case 'local':
      return operand < parameterCount ? `a${operand}` : `l${operand}`;
    case 'u8':
    case 'u16':
    case 'u32':
      return String(operand);
    case 'u64':
    case 'u128':
    case 'u256':
      return String(literal);
    case 'constant': {
      const { type, data } = binary.constants[operand]!;
      return `${typeText(binary, type)} ${toHexPrefixed(data)}`;
    }
    case 'signature':
      return typeList(binary, operand);
    case 'signatureAndCount':
      return `${typeList(binary, operand)} ${literal}`;
    case 'functionHandle':
    case 'functionInstantiation':
      return `${functionText(binary, namedBy(binary, item))}${givenText(binary, item)}`;
    default:
      return binary.kind === 'module' ? memberText(binary, kind, item) : String(operand);
  }
}

/** A struct, or a field. */
function memberText(module: Module, kind: OperandKind, item: Instruction): string {
  const named = namedBy(module, item);
  const isStruct = kind === 'structDefinition' || kind === 'structInstantiation';
  const { struct, field } = isStruct ? { struct: named, field: undefined } : module.fieldHandles[named]!;
  const owner = `${structText(module, module.structDefinitions[struct]!.handle)}${givenText(module, item)}`;
  return field === undefined ? owner : `${owner}.${fieldName(module, struct, field)}`;
}

/** The type arguments of an instruction. */
function givenText(binary: Binary, item: Instruction): string {
  const types = typesNamedBy(binary, item);
  return types === undefined ? '' : `<${typeList(binary, types)}>`;
}

function fieldName(module: Module, struct: number, field: number): string {
  const name = module.structDefinitions[struct]!.fields?.[field]?.name;
  return name === undefined ? String(field) : module.identifiers[name]!;
}

function typeList(binary: Binary, signature: number): string {
  return binary.signatures[signature]!.map((type) => typeText(binary, type)).join(', ');
}

/** The value of a constant, where it is more readable than its bytes. */
function constantComment(binary: Binary, { op, operand }: Instruction): string {
  if (OPCODES[op]?.operand !== 'constant') return '';
  const text = constantText(binary.constants[operand]!);
  return text === undefined ? '' : `: ${text}`;
}

function constantText({ type, data }: Constant): string | undefined {
  switch (type.tag) {
    case TokenTag.Bool:
      return data[0] === 1 ? 'true' : 'false';
    case TokenTag.U8:
    case TokenTag.U16:
    case TokenTag.U32:
    case TokenTag.U64:
    case TokenTag.U128:
    case TokenTag.U256:
      return String(littleEndian(data));
    case TokenTag.Vector: {
      // A length below 128 takes one byte; longer text is cut anyway.
      const isText = type.arguments[0]!.tag === TokenTag.U8 && data.length > 1 && data.length <= 128;
      const text = isText ? printable(data.subarray(1)) : undefined;
      return text === undefined ? undefined : JSON.stringify(text);
    }
    default:
      return undefined;
  }
}

function littleEndian(data: Uint8Array): bigint {
  return data.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
}

/** The bytes as text if all are printable ASCII. */
function printable(bytes: Uint8Array): string | undefined {
  if (!bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return undefined;
  return String.fromCharCode(...bytes.subarray(0, 1024));
}
