/**
 * Small random changes to modules: to their bytes, and to their tables so that what comes out is well formed more often
 * than not and reaches the later passes of the verifier.
 * @module
 */
import { instruction } from '../../src/vm/binary/code.ts';
import type {
  Code,
  FunctionDefinition,
  FunctionHandle,
  Instantiation,
  Instruction,
  Module,
  StructDefinition,
  StructHandle,
  Visibility,
} from '../../src/vm/binary/module.ts';
import { OPCODES, type Opcode, type OperandKind } from '../../src/vm/binary/opcode.ts';
import * as token from '../../src/vm/binary/signature-token.ts';
import type { RandomNumber } from '../effort.ts';

/** One to four changed, inserted or removed bytes. */
export function mutateBytes(bytes: Uint8Array, random: RandomNumber): Uint8Array {
  const changed = [...bytes];
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(changed.length);
    const kind = random(8);
    if (kind === 0) changed.splice(at, 1);
    else if (kind === 1) changed.splice(at, 0, random(256));
    else if (kind === 2) changed.length = at + 1;
    else if (kind === 3) changed[at] = changed[at]! ^ (1 << random(8));
    else changed[at] = random(kind < 6 ? 16 : 256);
    if (changed.length === 0) changed.push(random(256));
  }
  return Uint8Array.from(changed);
}

/** One to three changes of tables or code. */
export function mutateModule(module: Module, random: RandomNumber): Module {
  let changed = module;
  for (let count = 1 + random(3); count > 0; count--) changed = mutateOnce(changed, random);
  return changed;
}

function mutateOnce(module: Module, random: RandomNumber): Module {
  const kind = random(24);
  if (kind < 13) return mutateCode(module, random);
  switch (kind) {
    case 13:
    case 14:
      return {
        ...module,
        signatures: changeOne(module.signatures, random, (types) => mutateTypes(module, types, random)),
      };
    case 15:
      return { ...module, structHandles: changeOne(module.structHandles, random, (it) => mutateStruct(it, random)) };
    case 16:
    case 17:
      return {
        ...module,
        functionHandles: changeOne(module.functionHandles, random, (it) => mutateHandle(module, it, random)),
      };
    case 18:
      return {
        ...module,
        structDefinitions: changeOne(module.structDefinitions, random, (it) => mutateFields(module, it, random)),
      };
    case 19:
      return {
        ...module,
        functionDefinitions: changeOne(module.functionDefinitions, random, (it) => mutateFunction(module, it, random)),
      };
    case 20:
      return mutateInstantiations(module, random);
    case 21:
      return {
        ...module,
        constants: changeOne(module.constants, random, ({ type, data }) => ({
          type: random(2) === 0 ? randomType(module, random, 2) : type,
          data: random(2) === 0 && data.length > 0 ? mutateBytes(data, random) : data,
        })),
      };
    case 22:
      return { ...module, version: 5 + random(2) };
    default:
      return mutateNames(module, random);
  }
}

function mutateCode(module: Module, random: RandomNumber): Module {
  return {
    ...module,
    functionDefinitions: changeOne(module.functionDefinitions, random, (definition) => {
      if (definition.code === undefined) return definition;
      return { ...definition, code: mutateInstructions(module, definition.code, random) };
    }),
  };
}

function mutateInstructions(module: Module, code: Code, random: RandomNumber): Code {
  const instructions = [...code.instructions];
  if (instructions.length === 0) instructions.push(randomInstruction(module, instructions.length, random));
  const at = random(instructions.length);
  const item = instructions[at]!;
  switch (random(8)) {
    case 0:
      instructions.splice(at, 1);
      break;
    case 1:
      instructions.splice(at, 0, randomInstruction(module, instructions.length, random));
      break;
    case 2:
      instructions[at] = randomInstruction(module, instructions.length, random);
      break;
    case 3: {
      const other = random(instructions.length);
      instructions[at] = instructions[other]!;
      instructions[other] = item;
      break;
    }
    case 4:
      instructions.splice(random(instructions.length), 0, item);
      break;
    case 5:
    case 6:
      instructions[at] = withOperand(module, OPCODES[item.op]!, instructions.length, random, item.operand);
      break;
    default:
      instructions[at] = sibling(item, random);
  }
  return { locals: random(20) === 0 ? random(module.signatures.length) : code.locals, instructions };
}

/** Another opcode with the same kind of operand. */
function sibling(item: Instruction, random: RandomNumber): Instruction {
  const { operand } = OPCODES[item.op]!;
  const others = OPCODES.filter((row) => row?.operand === operand) as Opcode[];
  return instruction(others[random(others.length)]!.number, item.operand, item.literal);
}

function randomInstruction(module: Module, length: number, random: RandomNumber): Instruction {
  const rows = OPCODES.filter((row) => row !== undefined);
  return withOperand(module, rows[random(rows.length)]!, length, random, 0);
}

function withOperand(module: Module, row: Opcode, length: number, random: RandomNumber, near: number): Instruction {
  const wide: Partial<Record<OperandKind, bigint>> = {
    u64: BigInt(random(1000)),
    u128: BigInt(random(1000)),
    u256: BigInt(random(1000)),
    signatureAndCount: BigInt(random(random(8) === 0 ? 70_000 : 4)),
  };
  const range = rangeOf(module, row.operand, length);
  const far = random(40) === 0 ? range + random(4) : random(Math.max(range, 1));
  const operand = row.operand === 'codeOffset' && random(2) === 0 ? Math.max(0, near + random(7) - 3) : far;
  return instruction(row.number, range === 0 ? 0 : operand, wide[row.operand] ?? 0n);
}

function rangeOf(module: Module, operand: OperandKind, length: number): number {
  switch (operand) {
    case 'codeOffset':
      return length;
    case 'local':
      return 12;
    case 'constant':
      return module.constants.length;
    case 'fieldHandle':
      return module.fieldHandles.length;
    case 'fieldInstantiation':
      return module.fieldInstantiations.length;
    case 'functionHandle':
      return module.functionHandles.length;
    case 'functionInstantiation':
      return module.functionInstantiations.length;
    case 'structDefinition':
      return module.structDefinitions.length;
    case 'structInstantiation':
      return module.structInstantiations.length;
    case 'signature':
    case 'signatureAndCount':
      return module.signatures.length;
    case 'u8':
      return 256;
    case 'u16':
    case 'u32':
      return 65_536;
    default:
      return 0;
  }
}

const PRIMITIVES = [token.BOOL, token.U8, token.U64, token.U128, token.U256, token.ADDRESS, token.SIGNER, token.U16];

function randomType(module: Module, random: RandomNumber, depth: number): token.SignatureToken {
  const kind = random(depth === 0 ? 5 : 9);
  if (kind < 4) return PRIMITIVES[random(PRIMITIVES.length)]!;
  if (kind === 4) return token.typeParameter(random(3));
  const inner = (): token.SignatureToken => randomType(module, random, depth - 1);
  if (kind === 5) return token.vectorToken(inner());
  if (kind === 6) return random(2) === 0 ? token.referenceTo(inner()) : token.mutableReferenceTo(inner());
  if (module.structHandles.length === 0) return token.U64;
  const handle = random(module.structHandles.length);
  return token.structOf(handle, module.structHandles[handle]!.typeParameters.map(inner));
}

function mutateType(module: Module, type: token.SignatureToken, random: RandomNumber): token.SignatureToken {
  if (type.arguments.length > 0 && random(3) > 0) {
    return { ...type, arguments: changeOne(type.arguments, random, (inner) => mutateType(module, inner, random)) };
  }
  if (random(3) === 0) return random(2) === 0 ? token.referenceTo(type) : token.mutableReferenceTo(type);
  return randomType(module, random, 2);
}

function mutateTypes(module: Module, types: token.Signature, random: RandomNumber): token.Signature {
  const kind = random(6);
  if (kind === 0 || types.length === 0) return [...types, randomType(module, random, 2)];
  if (kind === 1) return types.slice(1);
  return changeOne(types, random, (type) => mutateType(module, type, random));
}

function mutateStruct(handle: StructHandle, random: RandomNumber): StructHandle {
  if (random(2) === 0) return { ...handle, abilities: random(16) };
  return {
    ...handle,
    typeParameters: changeOne(handle.typeParameters, random, ({ constraints, isPhantom }) =>
      random(2) === 0 ? { constraints: random(16), isPhantom } : { constraints, isPhantom: !isPhantom },
    ),
  };
}

function mutateHandle(module: Module, handle: FunctionHandle, random: RandomNumber): FunctionHandle {
  switch (random(4)) {
    case 0:
      return { ...handle, parameters: random(module.signatures.length) };
    case 1:
      return { ...handle, returns: random(module.signatures.length) };
    case 2:
      return { ...handle, typeParameters: changeOne(handle.typeParameters, random, () => random(16)) };
    default:
      return { ...handle, name: random(module.identifiers.length) };
  }
}

function mutateFields(module: Module, definition: StructDefinition, random: RandomNumber): StructDefinition {
  if (definition.fields === undefined || random(12) === 0) return { ...definition, fields: undefined };
  if (random(8) === 0) return { ...definition, fields: definition.fields.slice(1) };
  return {
    ...definition,
    fields: changeOne(definition.fields, random, ({ name, type }) => ({
      name: random(8) === 0 ? random(module.identifiers.length) : name,
      type: mutateType(module, type, random),
    })),
  };
}

function mutateFunction(module: Module, definition: FunctionDefinition, random: RandomNumber): FunctionDefinition {
  switch (random(4)) {
    case 0:
      return { ...definition, visibility: [0, 1, 3][random(3)] as Visibility };
    case 1:
      return { ...definition, handle: random(module.functionHandles.length) };
    case 2:
      return {
        ...definition,
        acquires: [...definition.acquires, random(Math.max(1, module.structDefinitions.length))],
      };
    default:
      return { ...definition, isEntry: !definition.isEntry };
  }
}

function mutateInstantiations(module: Module, random: RandomNumber): Module {
  const tables = ['functionInstantiations', 'structInstantiations', 'fieldInstantiations'] as const;
  const table = tables[random(tables.length)]!;
  const generics = { functionInstantiations: 'functionHandles', structInstantiations: 'structDefinitions' } as const;
  const range = table === 'fieldInstantiations' ? module.fieldHandles.length : module[generics[table]].length;
  const change = (entry: Instantiation): Instantiation =>
    random(3) === 0
      ? { ...entry, generic: random(Math.max(1, range)) }
      : { ...entry, typeArguments: random(Math.max(1, module.signatures.length)) };
  return { ...module, [table]: changeOne(module[table], random, change) };
}

function mutateNames(module: Module, random: RandomNumber): Module {
  switch (random(4)) {
    case 0:
      return { ...module, identifiers: changeOne(module.identifiers, random, () => module.identifiers[0]!) };
    case 1:
      return { ...module, friends: [...module.friends, module.moduleHandles[random(module.moduleHandles.length)]!] };
    case 2:
      return {
        ...module,
        fieldHandles: changeOne(module.fieldHandles, random, ({ struct }) => ({ struct, field: random(4) })),
      };
    default:
      return { ...module, selfHandle: random(module.moduleHandles.length) };
  }
}

function changeOne<T>(items: readonly T[], random: RandomNumber, change: (item: T) => T): readonly T[] {
  if (items.length === 0) return items;
  const at = random(items.length);
  return items.map((item, index) => (index === at ? change(item) : item));
}
