/**
 * A Move module or script in its binary form: tables that refer to each other by index.
 *
 * Nothing is resolved here and names are not looked up; the reader only guarantees that the bytes were well formed and
 * that every index points into its table (`read.ts`). Whether the program is sound is for `vm/verify` to decide. Fields
 * and tables are in the order of the binary form, so writing a module yields the bytes of the canonical writer. Source:
 * the reference's `move-binary-format/src/file_format.rs`.
 * @module
 */

import { compareBytes, toHex } from '../../base/bytes/bytes.ts';
import type { AbilitySet } from '../../move/ability.ts';
import { type Address, formatAddressShort } from '../../move/address.ts';
import { OPCODES } from './opcode.ts';
import type { Signature, SignatureToken } from './signature-token.ts';

/** An index into one of the tables of the same module; the field's comment says which. */
type TableIndex = number;

/** A reference to a module: itself, a dependency, or a friend. */
export interface ModuleHandle {
  /** Into `addresses`. */
  readonly address: TableIndex;
  /** Into `identifiers`. */
  readonly name: TableIndex;
}

export interface StructTypeParameter {
  /** The abilities that a type argument must have. */
  readonly constraints: AbilitySet;
  /** A phantom parameter occurs in no field except as a phantom argument, and does not weaken abilities. */
  readonly isPhantom: boolean;
}

/** A reference to a struct, with the abilities and type parameters that the user relies on. */
export interface StructHandle {
  /** Into `moduleHandles`. */
  readonly module: TableIndex;
  /** Into `identifiers`. */
  readonly name: TableIndex;
  readonly abilities: AbilitySet;
  readonly typeParameters: readonly StructTypeParameter[];
}

/** A reference to a function, with its signature. */
export interface FunctionHandle {
  /** Into `moduleHandles`. */
  readonly module: TableIndex;
  /** Into `identifiers`. */
  readonly name: TableIndex;
  /** Into `signatures`. */
  readonly parameters: TableIndex;
  /** Into `signatures`. */
  readonly returns: TableIndex;
  /** The abilities that the type argument of each type parameter must have. */
  readonly typeParameters: readonly AbilitySet[];
}

/** A generic function, struct or field applied to type arguments. */
export interface Instantiation {
  /** Into `functionHandles`, `structDefinitions` or `fieldHandles`, as the table's name says. */
  readonly generic: TableIndex;
  /** Into `signatures`. */
  readonly typeArguments: TableIndex;
}

/** One field of a struct of this module. */
export interface FieldHandle {
  /** Into `structDefinitions`. */
  readonly struct: TableIndex;
  /** Position of the field in its struct. */
  readonly field: number;
}

export interface FieldDefinition {
  /** Into `identifiers`. */
  readonly name: TableIndex;
  readonly type: SignatureToken;
}

export interface StructDefinition {
  /** Into `structHandles`. */
  readonly handle: TableIndex;
  /** In declaration order; `undefined` for a native struct, which the format has and the verifier refuses. */
  readonly fields: readonly FieldDefinition[] | undefined;
}

/** Visibility of a function; the numbers are those of the binary form. */
export const Visibility = { Private: 0, Public: 1, Friend: 3 } as const;
export type Visibility = (typeof Visibility)[keyof typeof Visibility];

export interface FunctionDefinition {
  /** Into `functionHandles`. */
  readonly handle: TableIndex;
  readonly visibility: Visibility;
  /** Whether transactions may call it. */
  readonly isEntry: boolean;
  /** Into `structDefinitions`: the resources of this module that the function or its callees touch. */
  readonly acquires: readonly TableIndex[];
  /** `undefined` for a native function. */
  readonly code: Code | undefined;
}

/**
 * One instruction. All have the same shape: `operand` is the table index, local, code offset, or literal of up to 32
 * bits; `literal` is the value of `LdU64`, `LdU128` and `LdU256` and the count of `VecPack` and `VecUnpack`. Unused
 * parts are 0 and 0n. Instructions are immutable and may be shared.
 */
export interface Instruction {
  /** A number of `Op`. */
  readonly op: number;
  readonly operand: number;
  readonly literal: bigint;
}

/** The body of a function or script. */
export interface Code {
  /** Into `signatures`: the locals beyond the parameters. Local 0 is the first parameter. */
  readonly locals: TableIndex;
  /** By code offset. */
  readonly instructions: readonly Instruction[];
}

export interface Constant {
  readonly type: SignatureToken;
  /** BCS of a value of `type`. */
  readonly data: Uint8Array;
}

/** Bytes that the VM itself ignores. */
export interface Metadata {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The tables that modules and scripts have in common. */
export interface CommonTables {
  /** Version of the binary format. */
  readonly version: number;
  readonly moduleHandles: readonly ModuleHandle[];
  readonly structHandles: readonly StructHandle[];
  readonly functionHandles: readonly FunctionHandle[];
  /** `generic` points into `functionHandles`. */
  readonly functionInstantiations: readonly Instantiation[];
  readonly signatures: readonly Signature[];
  readonly identifiers: readonly string[];
  /** 32 bytes each. */
  readonly addresses: readonly Uint8Array[];
  readonly constants: readonly Constant[];
  readonly metadata: readonly Metadata[];
}

/** A module as read; also called a compiled module. */
export interface Module extends CommonTables {
  readonly kind: 'module';
  /** Into `moduleHandles`: the module itself. */
  readonly selfHandle: TableIndex;
  readonly structDefinitions: readonly StructDefinition[];
  /** `generic` points into `structDefinitions`. */
  readonly structInstantiations: readonly Instantiation[];
  readonly functionDefinitions: readonly FunctionDefinition[];
  readonly fieldHandles: readonly FieldHandle[];
  /** `generic` points into `fieldHandles`. */
  readonly fieldInstantiations: readonly Instantiation[];
  /** Modules that may call functions of friend visibility. They are not in `moduleHandles`. */
  readonly friends: readonly ModuleHandle[];
}

/** A script as read: one function without a name. */
export interface Script extends CommonTables {
  readonly kind: 'script';
  readonly typeParameters: readonly AbilitySet[];
  /** Into `signatures`. */
  readonly parameters: TableIndex;
  readonly code: Code;
}

/** A module or a script. */
export type Binary = Module | Script;

/**
 * The instantiation that an instruction names; undefined for a plain instruction, and in a script for tables that
 * scripts lack.
 */
function instantiationOf(binary: Binary, { op, operand }: Instruction): Instantiation | undefined {
  switch (OPCODES[op]?.operand) {
    case 'functionInstantiation':
      return binary.functionInstantiations[operand];
    case 'structInstantiation':
      return binary.kind === 'module' ? binary.structInstantiations[operand] : undefined;
    case 'fieldInstantiation':
      return binary.kind === 'module' ? binary.fieldInstantiations[operand] : undefined;
    default:
      return undefined;
  }
}

/** The function handle, struct definition or field handle that an instruction names, with or without type arguments. */
export function namedBy(binary: Binary, item: Instruction): TableIndex {
  return instantiationOf(binary, item)?.generic ?? item.operand;
}

/** The signature that holds an instruction's type arguments, or the element of a vector; undefined if it has neither. */
export function typesNamedBy(binary: Binary, item: Instruction): TableIndex | undefined {
  const operand = OPCODES[item.op]?.operand;
  if (operand === 'signature' || operand === 'signatureAndCount') return item.operand;
  return instantiationOf(binary, item)?.typeArguments;
}

/** `address::name`. */
export interface ModuleId {
  readonly address: Address;
  readonly name: string;
}

/** The module's name as a key for maps. */
export function moduleKey(id: ModuleId): string {
  return `${toHex(id.address)}::${id.name}`;
}

/** The module's name for messages: `0x3::coin`. */
export function moduleIdText(id: ModuleId): string {
  return `${formatAddressShort(id.address)}::${id.name}`;
}

/** Compares module ids: by address, then by name. */
export function compareModuleIds(left: ModuleId, right: ModuleId): number {
  return compareBytes(left.address, right.address) || (left.name < right.name ? -1 : 1);
}

/** The module that a handle of `binary` names; handles of friends are in a separate list. */
export function idOfModuleHandle(binary: CommonTables, { address, name }: ModuleHandle): ModuleId {
  return { address: binary.addresses[address]!, name: binary.identifiers[name]! };
}

/** The module of that name, or `undefined` if it does not exist. */
export type ModuleLookup = (id: ModuleId) => Module | undefined;

/** The module's own name. */
export function selfIdOf(module: Module): ModuleId {
  return idOfModuleHandle(module, module.moduleHandles[module.selfHandle]!);
}

/** The modules that a binary names, itself excluded, in the order of their handles. */
export function dependenciesOf(binary: Binary): ModuleId[] {
  const self = binary.kind === 'module' ? binary.selfHandle : -1;
  return binary.moduleHandles.filter((_, index) => index !== self).map((handle) => idOfModuleHandle(binary, handle));
}

export function friendsOf(module: Module): ModuleId[] {
  return module.friends.map((friend) => idOfModuleHandle(module, friend));
}
