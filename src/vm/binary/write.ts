/**
 * Writing Move modules and scripts: the canonical bytes of their tables.
 *
 * Tables are in the order of the reference's writer and empty ones are omitted, so the output of a compiler is
 * reproduced byte for byte. Source: the reference's `move-binary-format/src/serializer.rs`.
 * @module
 */
import { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { writeCode } from './code.ts';
import { MAGIC, TableKind, type TableName, VERSION_MAX, VERSION_WRITTEN_MIN } from './format.ts';
import type { CommonTables, Module, Script } from './module.ts';
import { type EntryCodec, TABLES, writeAbilitySets } from './table.ts';

/**
 * The binary form of a module, in its own version.
 * @throws {EngineError} `not-supported` for a version below 5, `limit-exceeded` for values that the format cannot
 *   represent, `invalid-argument` for an instruction that the version lacks.
 */
export function writeModule(module: Module): Uint8Array {
  const writer = new ByteWriter(4096);
  writeTables(writer, module);
  writer.uleb128(module.selfHandle);
  return writer.finish();
}

/**
 * The binary form of a script, in its own version.
 * @throws {EngineError} as `writeModule`.
 */
export function writeScript(script: Script): Uint8Array {
  const writer = new ByteWriter(1024);
  writeTables(writer, script);
  writeAbilitySets(writer, script.typeParameters);
  writer.uleb128(script.parameters);
  writeCode(writer, script.code, script.version);
  return writer.finish();
}

function writeTables(writer: ByteWriter, binary: Module | Script): void {
  const { version } = binary;
  if (version < VERSION_WRITTEN_MIN || version > VERSION_MAX) {
    throw new EngineError(
      'not-supported',
      `expected a format version from ${VERSION_WRITTEN_MIN} to ${VERSION_MAX}, got ${version}`,
    );
  }
  const contents = new ByteWriter(4096);
  const headers = new ByteWriter();
  let count = 0;
  for (const [name, kind] of Object.entries(TableKind) as [TableName, number][]) {
    const entries = entriesOf(binary, name);
    if (entries.length === 0) continue;
    const start = contents.length;
    const codec = TABLES[name] as EntryCodec<unknown>;
    for (const entry of entries) codec.write(contents, entry, version);
    headers.u8(kind);
    headers.uleb128(start);
    headers.uleb128(contents.length - start);
    count++;
  }
  writer.bytes(Uint8Array.from(MAGIC));
  writer.u32(version);
  writer.uleb128(count);
  writer.bytes(headers.finish());
  writer.bytes(contents.finish());
}

function entriesOf(binary: Module | Script, name: TableName): readonly unknown[] {
  if (binary.kind === 'module') return binary[name];
  return name in binary ? binary[name as keyof CommonTables & TableName] : [];
}
