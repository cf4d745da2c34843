/**
 * The kinds of diagnostics. Numbers and severities are the reference's (`move-compiler/src/diagnostics/codes.rs`), so
 * that its codes are found here again; names and titles are ours.
 * @module
 */
import type { DiagnosticKind, Finding } from './diagnostic.ts';
import type { Span } from './source-text.ts';

export const DEPRECATED: DiagnosticKind = { code: 'W00001', severity: 'warning', title: 'deprecated' };

/** What the grammar refuses. */
export const Syntax = {
  character: { code: 'E01001', severity: 'error', title: 'a character that Move sources do not have' },
  token: { code: 'E01002', severity: 'error', title: 'unexpected token' },
  modifier: { code: 'E01003', severity: 'error', title: 'misplaced modifier' },
  docComment: { code: 'W01004', severity: 'warning', title: 'misplaced documentation comment' },
  /** The reference gives it that code too. */
  endlessComment: { code: 'W01004', severity: 'warning', title: 'comment without an end' },
  address: { code: 'E01005', severity: 'error', title: 'malformed address' },
  number: { code: 'E01006', severity: 'error', title: 'malformed number' },
  byteString: { code: 'E01007', severity: 'error', title: 'malformed byte string' },
  hexString: { code: 'E01008', severity: 'error', title: 'malformed hex string' },
  target: { code: 'E01009', severity: 'error', title: 'cannot be assigned to' },
  specOnly: { code: 'E01010', severity: 'blocking', title: 'only specifications may have this' },
  specMember: { code: 'E01011', severity: 'error', title: 'malformed member of a specification' },
} as const;

/** What declarations must not be. */
export const Declarations = {
  duplicate: { code: 'E02001', severity: 'error', title: 'declared twice' },
  unnecessary: { code: 'E02002', severity: 'error', title: 'superfluous item' },
  module: { code: 'E02004', severity: 'error', title: 'malformed module' },
  script: { code: 'E02005', severity: 'error', title: 'malformed script' },
  name: { code: 'E02010', severity: 'blocking', title: 'name not allowed' },
  friend: { code: 'E02011', severity: 'error', title: 'friend not allowed' },
  acquires: { code: 'E02012', severity: 'error', title: 'acquires not allowed' },
  phantomUse: { code: 'E02013', severity: 'error', title: 'phantom type parameter in use' },
  nonPhantom: { code: 'W02014', severity: 'warning', title: 'type parameter that could be phantom' },
  attribute: { code: 'E02015', severity: 'error', title: 'attribute not allowed' },
} as const;

/** Something that is declared, or given, a second time. */
export function duplicate(span: Span, message: string, before: Span, label = 'it is declared here already'): Finding {
  return [Declarations.duplicate, span, message, [{ span: before, message: label }]];
}

/** Names that stand for nothing, or for something else. */
export const Names = {
  addressWithoutValue: { code: 'E03001', severity: 'error', title: 'address without a value' },
  module: { code: 'E03002', severity: 'blocking', title: 'no such module' },
  member: { code: 'E03003', severity: 'blocking', title: 'no such member' },
  type: { code: 'E03004', severity: 'blocking', title: 'no such type' },
  unscoped: { code: 'E03005', severity: 'blocking', title: 'no such name' },
  position: { code: 'E03006', severity: 'blocking', title: 'a name of another kind' },
  tooManyTypeArguments: { code: 'E03007', severity: 'error', title: 'too many type arguments' },
  tooFewTypeArguments: { code: 'E03008', severity: 'blocking', title: 'too few type arguments' },
  variable: { code: 'E03009', severity: 'blocking', title: 'no such variable' },
  field: { code: 'E03010', severity: 'blocking', title: 'no such field' },
  reserved: { code: 'E03011', severity: 'blocking', title: 'reserved name' },
} as const;

/** What types rule out. */
export const Types = {
  visibility: { code: 'E04001', severity: 'blocking', title: 'not visible here' },
  builtin: { code: 'E04003', severity: 'blocking', title: 'operation that this type does not have' },
  baseType: { code: 'E04004', severity: 'blocking', title: 'neither a reference nor a tuple is allowed' },
  singleType: { code: 'E04005', severity: 'blocking', title: 'a tuple is not allowed' },
  subtype: { code: 'E04006', severity: 'blocking', title: 'another type expected' },
  join: { code: 'E04007', severity: 'blocking', title: 'types that do not fit' },
  recursive: { code: 'E04008', severity: 'blocking', title: 'type that contains itself' },
  specific: { code: 'E04009', severity: 'blocking', title: 'a certain type expected' },
  uninferred: { code: 'E04010', severity: 'blocking', title: 'type cannot be inferred' },
  constantType: { code: 'E04012', severity: 'blocking', title: 'type that constants do not have' },
  constantExpression: { code: 'E04013', severity: 'blocking', title: 'expression that constants do not have' },
  loopControl: { code: 'E04014', severity: 'blocking', title: 'no loop around' },
  native: { code: 'E04015', severity: 'blocking', title: 'native item not allowed' },
  tooFewArguments: { code: 'E04016', severity: 'blocking', title: 'too few arguments' },
  tooManyArguments: { code: 'E04017', severity: 'error', title: 'too many arguments' },
  cyclicData: { code: 'E04018', severity: 'error', title: 'struct that contains itself' },
  cyclicInstantiation: { code: 'E04019', severity: 'error', title: 'type arguments without end' },
  missingAcquires: { code: 'E04020', severity: 'error', title: 'acquires is missing' },
  number: { code: 'E04021', severity: 'error', title: 'number outside of its type' },
  callTarget: { code: 'E04023', severity: 'blocking', title: 'not a function' },
  functionType: { code: 'E04024', severity: 'blocking', title: 'function type not allowed' },
} as const;

export const Abilities = {
  constraint: { code: 'E05001', severity: 'error', title: 'ability is missing' },
} as const;

export const Moves = {
  undroppable: { code: 'E06001', severity: 'error', title: 'unused value that cannot be dropped' },
  unassigned: { code: 'E06002', severity: 'error', title: 'variable without a value' },
} as const;

export const References = {
  transparency: { code: 'E07001', severity: 'blocking', title: 'borrow that is not allowed here' },
  ownership: { code: 'E07002', severity: 'error', title: 'value is borrowed' },
  dangling: { code: 'E07003', severity: 'error', title: 'reference would dangle' },
  return: { code: 'E07004', severity: 'error', title: 'reference to a local is returned' },
  transfer: { code: 'E07005', severity: 'error', title: 'mutable reference is borrowed' },
  ambiguous: { code: 'E07006', severity: 'error', title: 'order of uses matters' },
} as const;

export const UNFOLDABLE: DiagnosticKind = {
  code: 'E08001',
  severity: 'error',
  title: 'value that cannot be computed here',
};

export const Unused = {
  alias: { code: 'W09001', severity: 'warning', title: 'unused name' },
  variable: { code: 'W09002', severity: 'warning', title: 'unused variable' },
  assignment: { code: 'W09003', severity: 'warning', title: 'unused assignment' },
  semicolon: { code: 'W09004', severity: 'warning', title: 'superfluous semicolon' },
  deadCode: { code: 'W09005', severity: 'warning', title: 'code that never runs' },
  typeParameter: { code: 'W09006', severity: 'warning', title: 'unused type parameter' },
  attribute: { code: 'W09007', severity: 'warning', title: 'unused attribute' },
} as const;

export const Attributes = {
  value: { code: 'E10003', severity: 'error', title: 'value that this attribute does not take' },
  usage: { code: 'E10004', severity: 'error', title: 'attribute misplaced' },
  test: { code: 'E10005', severity: 'error', title: 'test that cannot run' },
  bytecode: { code: 'E10006', severity: 'error', title: 'unknown instruction' },
  doubtful: { code: 'W10007', severity: 'warning', title: 'value that may not be meant' },
} as const;

export const Defects = {
  emission: { code: 'ICE12001', severity: 'defect', title: 'the compiler could not write the module' },
  verification: { code: 'ICE12002', severity: 'defect', title: 'the verifier refuses what the compiler wrote' },
  unsupported: { code: 'E12003', severity: 'blocking', title: 'not supported' },
} as const;

export const Inlining = {
  recursion: { code: 'E14001', severity: 'blocking', title: 'inline function that calls itself' },
  afterwards: { code: 'E14002', severity: 'blocking', title: 'inlined code not allowed here' },
  unsupported: { code: 'E14003', severity: 'blocking', title: 'inline functions do not have this' },
} as const;
