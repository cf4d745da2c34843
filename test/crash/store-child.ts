// The process that is killed: commits to a directory and prints what was acknowledged.
//
//   store-child DIRECTORY DURABILITY kill   waits for a line on stdin, then commits until it is killed
//   store-child DIRECTORY DURABILITY large  as kill, with large batches; given one more number, kills itself in the second one
//                                           once it has added the row of that index
//   store-child DIRECTORY DURABILITY fill   commits until a batch is refused, then prints how
//
// Commit `order` writes the head row 1, six rows 2|order|0..5, a row 3|order mod 10, and deletes the rows 2 of the commit
// fifty before. A large one writes the head row 1 and changes all of 300 rows 4|index: the one in seven with
// (order + index) mod 7 = 0 is deleted, the others hold the order.
import type { EngineError } from '../../src/base/error.ts';
import { openDirectory } from '../../src/store/directory.ts';
import type { Durability } from '../../src/store/level.ts';
import type { Operation } from '../../src/store/store.ts';
import { tell, untilAsked } from './told.ts';

const [directory, durability, mode, last] = process.argv.slice(2) as [string, Durability, string, string?];

const uint64 = (number: number): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
};
const rowKey = (order: number, index: number): Uint8Array => Uint8Array.of(2, ...uint64(order), index);
const filler = (order: number, index: number): Uint8Array =>
  Uint8Array.from(
    { length: ((order * 31 + index * 17) % 180) * (mode === 'fill' ? 20 : 1) },
    (_, at) => order * 7 + index * 13 + at * at,
  );

function commit(order: number): Operation[] {
  const operations: Operation[] = [
    { type: 'put', key: Uint8Array.of(1), value: uint64(order) },
    { type: 'put', key: Uint8Array.of(3, order % 10), value: uint64(order) },
  ];
  for (let index = 0; index < 6; index++) {
    operations.push({ type: 'put', key: rowKey(order, index), value: filler(order, index) });
    if (order >= 50) operations.push({ type: 'delete', key: rowKey(order - 50, index) });
  }
  return operations;
}

if (mode !== 'fill') untilAsked();
const store = await openDirectory(directory, { durability });
const head = store.get(Uint8Array.of(1));
let order = head === undefined ? 0 : Number(new DataView(head.buffer, head.byteOffset).getBigUint64(0)) + 1;
tell('open');
if (mode === 'large') {
  for (const first = order; ; order++) {
    const batch = store.begin();
    for (let from = 0; from < 300; from += 20) {
      const operations = Array.from({ length: 20 }, (_, at): Operation => {
        const key = Uint8Array.of(4, ...uint64(from + at));
        const isDeleted = (order + from + at) % 7 === 0;
        return isDeleted ? { type: 'delete', key } : { type: 'put', key, value: uint64(order) };
      });
      const added = batch.add(operations);
      if (from % 60 === 0) await added;
      if (order > first && String(from) === last) process.kill(process.pid, 'SIGKILL');
    }
    await batch.commit([{ type: 'put', key: Uint8Array.of(1), value: uint64(order) }], { order: BigInt(order) });
    tell(order);
  }
} else if (mode === 'kill') {
  for (; ; order++) {
    const acknowledged = order;
    const batch = store.batch(commit(order), { order: BigInt(order) }).then(() => tell(acknowledged));
    if (order % 3 === 0) await batch;
  }
} else {
  let failure: EngineError | undefined;
  for (; failure === undefined; order++) {
    const acknowledged = order;
    await store.batch(commit(order), { order: BigInt(order) }).then(
      () => tell(acknowledged),
      (error: EngineError) => {
        failure = error;
      },
    );
  }
  const refused = await store.batch(commit(order)).then(
    () => undefined,
    (error: EngineError) => error,
  );
  const read = Number(new DataView(store.get(Uint8Array.of(1))!.slice().buffer).getBigUint64(0));
  const page = await store.range({ gte: Uint8Array.of(2), limit: 1000 });
  await store.close();
  tell(
    JSON.stringify({ code: failure.code, message: failure.message, refused: refused?.code, read, rows: page.length }),
  );
}
