/**
 * The index rows that a pruned chain had at its oldest state. The change sets that led to them are gone, so the rows of
 * objects and fields are taken from the store, and the other rows are expected to agree with them; rows touched by
 * later change sets are expected as those leave them.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import { FIELD_INDEXER_ID, fieldRowOperations, type RegisteredField } from '../../chain/index/fields.ts';
import { objectRowOperations, readObjectRow } from '../../chain/index/objects.ts';
import { formatObjectId, objectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { columnRange, keyTail } from '../../store/column.ts';
import type { Operation, ReadableStore, Row } from '../../store/store.ts';
import { guarded, type Report } from './expected-rows.ts';

/** Rows of `store` that find objects and fields, and the rows that must accompany them. */
export async function* indexRows(
  store: ReadableStore,
  present: State,
  report: Report,
): AsyncGenerator<readonly Operation[], void, undefined> {
  for await (const { key } of rowsOf(store, 'object', report)) {
    const id = guarded(report, () => decode(objectId, keyTail(key, 0)));
    const row = id && guarded(report, () => readObjectRow(store, id));
    if (id === undefined || row === undefined) continue;
    const object = guarded(report, () => present.object(id));
    if (object !== undefined && !equalBytes(object.meta.owner, row.owner)) {
      report(`the index row of ${formatObjectId(id)} names another owner than the object`);
    }
    yield [...objectRowOperations(id, row)];
  }
  for await (const { key, value } of rowsOf(store, 'fieldSortKey', report)) {
    const id = guarded(report, () => decode(objectId, keyTail(key, 0)));
    if (id !== undefined) yield fieldRowOperations(id, value);
  }
}

/** The rows of a column up to the first that cannot be read; the comparison of all rows reports that one. */
async function* rowsOf(
  store: ReadableStore,
  column: 'object' | 'fieldSortKey',
  report: Report,
): AsyncGenerator<Row, void, undefined> {
  const rows = store.scan(columnRange(column))[Symbol.asyncIterator]();
  for (;;) {
    const next = await rows.next().catch((error: Error) => {
      report(error.message);
      return undefined;
    });
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/** The parents whose fields are indexed in a state. */
export function registeredAt(state: State): RegisteredField[] {
  const fields = state.fields(FIELD_INDEXER_ID, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  return fields.map(({ key, object }) => ({ key, value: object.value }));
}
