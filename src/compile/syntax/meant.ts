/**
 * What was probably meant where the grammar refuses a text: forms of other versions of Move and of other languages, and
 * misspelled keywords.
 * @module
 */
import { nearestName } from '../../base/nearest-name.ts';

interface Form {
  /** What stands before the token that is refused, up to it. */
  readonly before?: RegExp;
  /** What begins with that token. */
  readonly after: RegExp;
  readonly note: string;
}

const FORMS: readonly Form[] = [
  {
    before: /\.\s*\w+\s*$/,
    after: /^\(/,
    note: 'functions are called by their names, as `vector::length(&v)`; there are no calls as `v.length()`',
  },
  { before: /[-+*/%&|^]\s*$/, after: /^=(?!=)/, note: 'there is no `x += 1`; write `x = x + 1`' },
  { before: /\blet\s+mut\s+$/, after: /^\w/, note: 'any variable may be assigned; leave `mut` out' },
  { after: /^enum\b/, note: 'there are no enums; a struct can have a field that says which kind it is' },
  { before: /\bmatch\s*\([^{]*\)\s*$/, after: /^\{/, note: 'there is no `match`; write `if (..) .. else if (..) ..`' },
  {
    before: /\bfor\s*\(\s*\w+\s*$/,
    after: /^in\b/,
    note: 'there is no `for`; write `while (i < n) { ..; i = i + 1 }`',
  },
  { after: /^macro\b/, note: 'write `inline fun`, and the parameter of a lambda as `f: |u64| u64`' },
  { after: /^as\b/, note: 'a cast stands in parentheses: `(x as u8)`' },
  { before: /\babort\s*$/, after: /^[;}]/, note: '`abort` takes a code: `abort 1`' },
  { after: /^-/, note: 'there are no negative numbers' },
  {
    before: /\bstruct\s+\w+(?:<[^>]*>)?\s*$/,
    after: /^\(/,
    note: 'fields have names: `struct Pair { first: u64, second: u64 }`',
  },
  { after: /^\.\./, note: 'name every field; those that are not needed as `field: _`' },
  { after: /^(?:function|fn|func|def)\b/, note: 'a function begins with `fun`' },
  { before: /\b(?:var|const|mut)\s+$/, after: /^\w/, note: 'a variable begins with `let`' },
];

/** Characters before a token that are looked at. */
const BEFORE_MAX = 200;

/** Notes on the token at an offset, which the grammar does not take there; empty if nothing is known of such. */
export function meantForms(text: string, previousEnd: number, offset: number): string[] {
  const before = text.slice(Math.max(0, previousEnd - BEFORE_MAX), previousEnd) + (previousEnd < offset ? ' ' : '');
  const after = text.slice(offset, offset + BEFORE_MAX);
  const form = FORMS.find((each) => each.after.test(after) && (each.before?.test(before) ?? true));
  return form === undefined ? [] : [form.note];
}

const MEMBERS = ['use', 'friend', 'const', 'struct', 'fun', 'public', 'entry', 'inline', 'native', 'spec'];

/** A note that names the keyword which a member of a module was probably meant to begin with. */
export function meantMember(word: string): string[] {
  const nearest = MEMBERS.includes(word) ? undefined : nearestName(word, MEMBERS);
  return nearest === undefined ? [] : [`did you mean '${nearest}'?`];
}
