/**
 * The gas tables of the reference as its Rust source writes them, for tests that have a checkout of it: lists of
 * `[.field.path, optional "name", amount]` under a prefix, and the versions of the schedule, which change some amounts.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

const TABLE_FOLDERS = [
  'moveos/moveos/src/gas/parameters',
  'frameworks/rooch-framework/src/natives/gas_parameter',
  'frameworks/bitcoin-move/src/natives/gas_parameter',
];
const VERSIONS_FILE = 'crates/rooch-genesis/src/lib.rs';

interface ReferenceGasEntry {
  /** As on the chain: `base64.encode.base`. */
  readonly name: string;
  readonly prefix: string;
  /** Where the amount is kept: `encode.base`. */
  readonly field: string;
  /** Whether a schedule may lack it. */
  readonly isOptional: boolean;
  readonly amount: bigint;
  /** Whether it is for natives; those of no amount are not written to the chain. */
  readonly isNative: boolean;
}

/** All entries with the amounts of the newest version, by name. */
export function referenceGasEntries(reference: string): Map<string, ReferenceGasEntry> {
  const entries = TABLE_FOLDERS.flatMap((folder) =>
    readdirSync(`${reference}/${folder}`)
      .filter((file) => file.endsWith('.rs') && file !== 'native.rs')
      .flatMap((file) =>
        readTables(readFileSync(`${reference}/${folder}/${file}`, 'utf8'), folder.includes('natives')),
      ),
  );
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  for (const [field, amounts] of readVersions(readFileSync(`${reference}/${VERSIONS_FILE}`, 'utf8'))) {
    changed(entries, field).forEach((entry, index) => {
      byName.set(entry.name, { ...entry, amount: amounts[index]! });
    });
  }
  return byName;
}

function readTables(source: string, isNative: boolean): ReferenceGasEntry[] {
  const tables = source.matchAll(/define_gas_parameters_for_natives!\(\w+, "(\w+)", \[(.*?)\n\]/gs);
  return [...tables].flatMap(([, prefix, body]) =>
    [...body!.matchAll(/^\s*\[\.([\w.]+),\s*(optional )?"([\w.]+)",\s*(.+?)\],?\s*$/gm)].map(
      ([, field, optional, name, amount]) => ({
        name: `${prefix}.${name}`,
        prefix: prefix!,
        field: field!,
        isOptional: optional !== undefined,
        amount: product(amount!),
        isNative,
      }),
    ),
  );
}

/** `(181 + 1) * MUL`, `100_000 * MUL`, `MUL` or a number; MUL is 1. */
function product(text: string): bigint {
  const terms = text.replace(/\s*\*\s*MUL$|^MUL$/, (whole) => (whole === 'MUL' ? '1' : '')).replace(/[()_\s]/g, '');
  return terms
    .split('+')
    .map((term) => BigInt(term))
    .reduce((sum, term) => sum + term);
}

/** Assignments of all versions in order: the path on the left, the numbers on the right. */
function readVersions(source: string): [path: string, amounts: bigint[]][] {
  return [...source.matchAll(/gas_parameter\s*((?:\.\s*\w+\s*)+)=([^;]*);/g)].map(([, path, right]) => [
    path!.replace(/\s/g, '').slice(1),
    [...right!.matchAll(/\b(\d+)(?:\.into\(\))?/g)].map(([, digits]) => BigInt(digits!)),
  ]);
}

/** The entries that an assignment to `path` changes, in order. */
function changed(entries: readonly ReferenceGasEntry[], path: string): ReferenceGasEntry[] {
  const parts = path.split('.');
  const [owner, field] = [parts.at(-2)!, parts.at(-1)!];
  if (owner === 'instruction_gas_parameter') return entries.filter(({ name }) => name === `instruction.${field}`);
  const optional = entries.filter((entry) => entry.isOptional && entry.field.startsWith(`${field}.`));
  const prefixes = new Set(optional.map(({ prefix }) => prefix));
  return prefixes.size === 1 ? optional : optional.filter(({ prefix }) => prefix === owner);
}
