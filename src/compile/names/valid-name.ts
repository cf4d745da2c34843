/**
 * Which names declarations may have.
 * Source: the reference's `move-compiler/src/expansion/translate.rs`.
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { Declarations, Names } from '../text/diagnostic-kind.ts';
import type { Name } from '../text/source-text.ts';

export type MemberKind = 'constant' | 'function' | 'struct' | 'schema';

export const BUILTIN_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['move_to', 'move_from', 'borrow_global', 'borrow_global_mut', 'exists', 'freeze', 'assert'],
]);

export const PRIMITIVE_TYPES: ReadonlySet<string> = new Set([
  ...['address', 'signer', 'bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256'],
]);

const VECTOR = 'vector';
const SELF = 'Self';

/** Whether a name begins as those of structs and constants do. */
export function isCapitalized(name: string): boolean {
  return name >= 'A' && name < '[';
}

/** Whether a member of a module, or the alias of one, may have this name; if not, it says so. */
export function checkMemberName(kind: MemberKind, name: Name, diagnostics: Diagnostics): boolean {
  const { text, span } = name;
  if (kind === 'function') {
    if (text.startsWith('_')) {
      diagnostics.add(Declarations.name, span, `functions have no name that begins with '_', such as '${text}'`);
      return false;
    }
  } else if (!isCapitalized(text)) {
    diagnostics.add(Declarations.name, span, `the name of a ${kind} begins with A to Z, that of '${text}' does not`);
    return false;
  }
  if (BUILTIN_FUNCTIONS.has(text) || PRIMITIVE_TYPES.has(text)) {
    diagnostics.add(Names.reserved, span, `'${text}' is built in, so no ${kind} can have that name`);
    return false;
  }
  return checkReserved(name, false, diagnostics);
}

/** Whether a module or the alias of one may have this name; if not, it says so. */
export function checkModuleName(name: Name, diagnostics: Diagnostics): boolean {
  return checkReserved(name, true, diagnostics);
}

/** Whether an address may have this name; if not, it says so. */
export function checkAddressName(name: Name, diagnostics: Diagnostics): boolean {
  return checkReserved(name, false, diagnostics);
}

/** Says so if a local may not have this name. */
export function checkLocalName(name: Name, diagnostics: Diagnostics): void {
  if (!/^[a-z_]/.test(name.text)) {
    diagnostics.add(Declarations.name, name.span, `the name of a variable begins with a to z or '_'`);
  }
  checkReserved(name, false, diagnostics);
}

function checkReserved({ text, span }: Name, isModule: boolean, diagnostics: Diagnostics): boolean {
  if (text !== SELF && (isModule || text !== VECTOR)) return true;
  diagnostics.add(Names.reserved, span, `'${text}' is reserved and names nothing else`);
  return false;
}
