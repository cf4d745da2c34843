/**
 * Reading Move modules and scripts: bytes in, tables out.
 *
 * A binary is the magic number, a version, the headers of its tables, their contents one after the other, and a tail:
 * the module's own handle, or the script's function. Reading takes time and memory linear in the input and guarantees
 * that every index points into its table (`bounds.ts`), so code with a `Module` may index without checking. Failures
 * and their statuses are those of the reference's reader: header first, then the tail, then tables in the order of
 * their offsets, the tables that only modules have last, and bounds after everything else. Blobs (constants, metadata)
 * are views of the input, which must not be changed afterwards. Bytes after the tail are allowed, as in the reference.
 * Source: the reference's `move-binary-format/src/deserializer.rs`.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { StatusCode } from '../status.ts';
import type { VerifyResult } from '../verdict.ts';
import { checkModuleBounds, checkScriptBounds } from './bounds.ts';
import { readCode } from './code.ts';
import { BinaryCursor, malformedModule } from './cursor.ts';
import { FORMAT_LIMITS, MAGIC, TABLE_NAMES, TableKind, type TableName, VERSION_MAX } from './format.ts';
import type { CommonTables, FunctionDefinition, Module, Script } from './module.ts';
import { readAbilitySets, TABLES } from './table.ts';

/** Tables that only a module has, read after the common ones. */
const MODULE_TABLES: ReadonlySet<TableName> = new Set<TableName>([
  'structDefinitions',
  'structInstantiations',
  'functionDefinitions',
  'fieldHandles',
  'fieldInstantiations',
  'friends',
]);

const NAMES_BY_KIND: ReadonlyMap<number, TableName> = new Map(
  (Object.entries(TableKind) as [TableName, number][]).map(([name, kind]) => [kind, name]),
);

interface TableHeader {
  readonly name: TableName;
  /** From the first byte of the contents. */
  readonly offset: number;
  readonly length: number;
}

export interface BinaryEnvelope {
  readonly bytes: Uint8Array;
  readonly version: number;
  /** In the order of their offsets. */
  readonly tables: readonly TableHeader[];
  /** Position of the first byte of the contents. */
  readonly contents: number;
  /** Comes after the contents. */
  readonly tail: BinaryCursor;
}

/**
 * Reads a module.
 * @throws {EngineError} `malformed-module`; `details.statusCode` is the reference's status code, `details.offset` the
 * byte that the reader had reached, or absent if the bytes could be read and an index points nowhere.
 */
export function readModule(bytes: Uint8Array): Module {
  const envelope = readEnvelope(bytes);
  const selfHandle = envelope.tail.index('module handle');
  const module: Module = { kind: 'module', version: envelope.version, selfHandle, ...readTables(envelope, 'module') };
  requireBounds(checkModuleBounds(module));
  return module;
}

/**
 * Reads a script.
 * @throws {EngineError} `malformed-module`, as `readModule`.
 */
export function readScript(bytes: Uint8Array): Script {
  const envelope = readEnvelope(bytes);
  const { tail, version } = envelope;
  const typeParameters = readAbilitySets(tail);
  const parameters = tail.index('signature');
  const code = readCode(tail);
  const script: Script = {
    kind: 'script',
    version,
    ...commonTablesOf(readTables(envelope, 'script')),
    typeParameters,
    parameters,
    code,
  };
  requireBounds(checkScriptBounds(script));
  return script;
}

/** @throws {EngineError} `malformed-module` */
export function requireBounds(verdict: VerifyResult): void {
  if (verdict.ok) return;
  const { statusCode, message, location } = verdict;
  throw new EngineError('malformed-module', message, { details: { statusCode, ...location } });
}

/** @throws {EngineError} `malformed-module` */
export function readEnvelope(bytes: Uint8Array): BinaryEnvelope {
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    throw malformedModule(StatusCode.BAD_MAGIC, 'expected the magic number of Move binaries', 0);
  }
  if (bytes.length < 8) throw malformedModule(StatusCode.MALFORMED, 'expected a version', 4);
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  if (version === 0 || version > VERSION_MAX) {
    throw malformedModule(
      StatusCode.UNKNOWN_VERSION,
      `expected a format version of at most ${VERSION_MAX}, got ${version}`,
      4,
    );
  }
  const cursor = new BinaryCursor(bytes, version, 8, bytes.length);
  const tables = readHeaders(cursor);
  const length = checkHeaders(tables, bytes.length, cursor.offset);
  const contents = cursor.skip(length);
  return { bytes, version, tables, contents, tail: cursor };
}

function readHeaders(cursor: BinaryCursor): TableHeader[] {
  const count = cursor.bounded(FORMAT_LIMITS.tableCountMax, 'table count');
  const tables: TableHeader[] = [];
  for (let index = 0; index < count; index++) {
    const start = cursor.offset;
    const kind = cursor.u8();
    const offset = cursor.bounded(FORMAT_LIMITS.tableBytesMax, 'table offset');
    const length = cursor.bounded(FORMAT_LIMITS.tableBytesMax, 'table length');
    const name = NAMES_BY_KIND.get(kind);
    if (name === undefined) {
      throw cursor.error(StatusCode.UNKNOWN_TABLE_TYPE, `expected a table kind, got ${kind}`, start);
    }
    tables.push({ name, offset, length });
  }
  return tables.sort((left, right) => left.offset - right.offset);
}

/** Tables must follow each other without gap or overlap, each once and none empty. Returns their total length. */
function checkHeaders(tables: readonly TableHeader[], binaryLength: number, at: number): number {
  let end = 0;
  const seen = new Set<TableName>();
  for (const { name, offset, length } of tables) {
    const next = end + length;
    if (offset !== end || length === 0 || next > FORMAT_LIMITS.tableBytesMax) {
      throw malformedModule(StatusCode.BAD_HEADER_TABLE, `expected table ${name} at ${end}, got ${offset}`, at);
    }
    if (seen.has(name)) throw malformedModule(StatusCode.DUPLICATE_TABLE, `expected table ${name} once`, at);
    if (next > binaryLength) {
      throw malformedModule(StatusCode.BAD_HEADER_TABLE, `table ${name} passes the end of the binary`, at);
    }
    seen.add(name);
    end = next;
  }
  return end;
}

export type Tables = Pick<Module, TableName>;

interface TableChoice {
  /** The tables to read; the others are left empty. Default: all. */
  readonly wanted?: (name: TableName) => boolean;
  /** Reads one function definition. Default: with its body. */
  readonly readFunction?: (cursor: BinaryCursor) => FunctionDefinition;
}

/** @throws {EngineError} `malformed-module` */
export function readTables(envelope: BinaryEnvelope, kind: 'module' | 'script', choice: TableChoice = {}): Tables {
  const { wanted = () => true, readFunction = TABLES.functionDefinitions.read } = choice;
  const tables = envelope.tables.filter(({ name }) => wanted(name));
  const read = Object.fromEntries(TABLE_NAMES.map((name): [TableName, unknown[]] => [name, []])) as Record<
    TableName,
    unknown[]
  >;
  for (const table of tables) {
    checkTableVersion(envelope, table);
    if (!MODULE_TABLES.has(table.name)) readEntries(envelope, table, TABLES[table.name].read, read[table.name]);
  }
  for (const table of tables) {
    if (!MODULE_TABLES.has(table.name)) continue;
    if (kind === 'script') {
      throw malformedModule(StatusCode.MALFORMED, `a script has no table ${table.name}`, envelope.contents);
    }
    const readEntry = table.name === 'functionDefinitions' ? readFunction : TABLES[table.name].read;
    readEntries(envelope, table, readEntry, read[table.name]);
  }
  return read as Tables;
}

/**
 * One table of a module that is known to be sound.
 * @param readFunction reads one function definition; default: with its body
 */
export function readTable<Name extends TableName>(
  envelope: BinaryEnvelope,
  name: Name,
  readFunction: ((cursor: BinaryCursor) => FunctionDefinition) | undefined,
): Tables[Name] {
  const entries: unknown[] = [];
  const table = envelope.tables.find((header) => header.name === name);
  if (table !== undefined) readEntries(envelope, table, readFunction ?? TABLES[name].read, entries);
  return entries as unknown as Tables[Name];
}

function readEntries(
  envelope: BinaryEnvelope,
  table: TableHeader,
  readEntry: (cursor: BinaryCursor) => unknown,
  entries: unknown[],
): void {
  const start = envelope.contents + table.offset;
  if (table.name === 'addresses' && table.length % 32 !== 0) {
    throw malformedModule(StatusCode.MALFORMED, `expected addresses of 32 bytes, got ${table.length} bytes`, start);
  }
  const cursor = new BinaryCursor(envelope.bytes, envelope.version, start, start + table.length);
  while (!cursor.isAtEnd) entries.push(readEntry(cursor));
}

/** Metadata came with version 5, friends with version 2. */
function checkTableVersion({ version, contents }: BinaryEnvelope, { name }: TableHeader): void {
  if ((name === 'metadata' && version < 5) || (name === 'friends' && version < 2)) {
    throw malformedModule(StatusCode.MALFORMED, `format version ${version} has no table ${name}`, contents);
  }
}

function commonTablesOf(tables: Tables): Omit<CommonTables, 'version'> {
  const common = Object.entries(tables).filter(([name]) => !MODULE_TABLES.has(name as TableName));
  return Object.fromEntries(common) as unknown as Omit<CommonTables, 'version'>;
}
