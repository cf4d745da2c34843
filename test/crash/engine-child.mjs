// The process that is killed: commits transactions to a directory and tells on stdout which orders were acknowledged.
//
//   node engine-child.mjs DIST DIRECTORY DURABILITY kill   waits for a line on stdin, then commits until it is killed
//   node engine-child.mjs DIST DIRECTORY DURABILITY fill   commits until a batch is refused, then tells how
//
// The transaction at `order` writes a new object, changes the object `0x77`, emits two events, and is a Bitcoin block now
// and then.
import { createHash } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, directory, durability, mode] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(dist, name)).href);
const tell = (line) => writeSync(1, `${line}\n`);

const { Engine } = await load('index.js');
const { namedObjectId, parseAddress, parseStructTag } = await load('codecs.js');
const sha3 = (bytes) => Uint8Array.from(createHash('sha3-256').update(bytes).digest());
const SENDER = parseAddress('0x77');
const TYPE = parseStructTag('0x77::crash::Object');
const EVENT = parseStructTag('0x77::crash::Event');

function dataOf(order) {
  const blockHash = sha3(Uint8Array.from(String(order), (digit) => digit.charCodeAt(0)));
  if (order % 7n === 0n) return { kind: 'l1-block', chainId: 0n, blockHeight: order, blockHash };
  const action = { kind: 'script', code: blockHash, typeArguments: [], arguments: [] };
  const data = { sender: SENDER, sequenceNumber: order, chainId: 4n, maxGasAmount: 1n, action };
  return { kind: 'l2-transaction', data, authenticator: { validatorId: 1n, payload: blockHash } };
}

function changeOf(state, id, value) {
  const before = state.object(id);
  const made = { id, owner: SENDER, flag: 0, stateRoot: undefined, size: 0n, createdAt: 1n, updatedAt: 1n };
  const meta = before?.meta ?? { ...made, objectType: TYPE };
  return [id[0], { meta, value: { kind: before === undefined ? 'new' : 'modify', value }, fields: [] }];
}

function execute(state, order) {
  const size = mode === 'fill' ? 20_000 : Number(order % 900n);
  const filler = Uint8Array.from({ length: size }, (_, at) => (Number(order) * 31 + at * at) % 256);
  const ids = [[SENDER], [sha3(filler.length === 0 ? Uint8Array.of(Number(order % 256n)) : filler)]];
  const added = ids.filter((id) => state.object(id) === undefined).length;
  const changes = ids.map((id) => changeOf(state, id, filler)).sort(([left], [right]) => Buffer.compare(left, right));
  const changeSet = { stateRoot: state.root, globalSize: state.size + BigInt(added), changes };
  const event = { eventType: EVENT, eventData: filler.subarray(0, 50), handle: namedObjectId(EVENT) };
  const events = [0n, 1n].map((eventIndex) => ({ ...event, eventIndex }));
  return { status: { kind: 'executed' }, gasUsed: order, changeSet, events };
}

if (mode === 'kill') {
  tell('ready');
  if (readSync(0, new Uint8Array(1)) === 0) process.exit();
}
const engine = await Engine.open({ store: directory, durability });
tell('open');
let next = engine.head.order + 1n;
const commit = () => {
  const order = next++;
  return engine.commit(dataOf(order), (state) => execute(state, order)).then(() => tell(order));
};
if (mode === 'kill') {
  for (let round = 0; ; round++) {
    const done = commit();
    if (round % 4 === 0) await done;
  }
}
let failure;
while (failure === undefined) {
  await commit().catch((error) => {
    failure = error;
  });
}
const refused = await commit().catch((error) => error);
const { head, service } = engine.status();
const last = engine.transactions.at(head.order);
const page = await engine.events.query({ kind: 'sender', sender: SENDER }, { limit: 5, descending: true });
const read = { order: String(head.order), hasLast: last !== undefined, events: page.data.length, service };
await engine.close();
tell(JSON.stringify({ code: failure.code, message: failure.message, refused: refused.code, ...read }));
