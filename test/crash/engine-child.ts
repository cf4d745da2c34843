// The process that is killed: commits transactions to a directory and prints which orders were acknowledged.
//
//   engine-child DIRECTORY DURABILITY kill   waits for a line on stdin, then commits until it is killed
//   engine-child DIRECTORY DURABILITY prune  as kill, with a bounded history and a piece of pruning after every few commits
//   engine-child DIRECTORY DURABILITY fill   commits until a batch is refused, then prints how
//
// The transaction at `order` writes a new object, changes the object `0x77`, emits two events, and is a Bitcoin block now
// and then.
import { createHash } from 'node:crypto';
import { EngineError } from '../../src/base/error.ts';
import type { ObjectChange } from '../../src/chain/object/change-set.ts';
import { namedObjectId, type ObjectId } from '../../src/chain/object/object-id.ts';
import type { State } from '../../src/chain/state/state.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import { parseAddress, parseStructTag } from '../../src/query/transaction-builder.ts';
import type { Durability } from '../../src/store/level.ts';
import { forge } from '../forge.ts';
import { tell, untilAsked } from './told.ts';

const [directory, durability, mode] = process.argv.slice(2) as [string, Durability, string];

const sha3 = (bytes: Uint8Array): Uint8Array => Uint8Array.from(createHash('sha3-256').update(bytes).digest());
const SENDER = parseAddress('0x77');
const TYPE = parseStructTag('0x77::crash::Object');
const EVENT = parseStructTag('0x77::crash::Event');

function dataOf(order: bigint): LedgerTransactionData {
  const blockHash = sha3(Uint8Array.from(String(order), (digit) => digit.charCodeAt(0)));
  if (order % 7n === 0n) return { kind: 'l1-block', chainId: 0n, blockHeight: order, blockHash };
  const action = { kind: 'script', code: blockHash, typeArguments: [], arguments: [] } as const;
  const data = { sender: SENDER, sequenceNumber: order, chainId: 4n, maxGasAmount: 1n, action };
  return { kind: 'l2-transaction', data, authenticator: { validatorId: 1n, payload: blockHash } };
}

function changeOf(state: State, id: ObjectId, value: Uint8Array): readonly [Uint8Array, ObjectChange] {
  const before = state.object(id);
  const made = { id, owner: SENDER, flag: 0, stateRoot: undefined, size: 0n, createdAt: 1n, updatedAt: 1n };
  const meta = before?.meta ?? { ...made, objectType: TYPE };
  return [id[0]!, { meta, value: { kind: before === undefined ? 'new' : 'modify', value }, fields: [] }];
}

function execute(state: State, order: bigint): ExecutionOutput {
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

if (mode !== 'fill') untilAsked();
const engine = await Engine.open({ store: directory, durability, ...(mode === 'prune' && { history: 3 }) });
tell('open');
let next = engine.head.order + 1n;
const commit = (): Promise<unknown> => {
  const order = next++;
  return forge(engine, dataOf(order), (state) => execute(state, order)).then(() => tell(order));
};
if (mode !== 'fill') {
  for (let round = 0; ; round++) {
    const done = commit();
    if (mode === 'prune' && round % 8 === 0) await engine.prune();
    if (round % 4 === 0) await done;
  }
}

/** The error of a commit that is refused. */
async function refusalOf(attempt: () => Promise<unknown>): Promise<EngineError | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

let failure: EngineError | undefined;
while (failure === undefined) failure = await refusalOf(commit);
const refused = await refusalOf(commit);
const { head, service } = engine.status();
const last = engine.transactions.get(head.order);
const page = await engine.events.list({ kind: 'sender', sender: SENDER }, { limit: 5, descending: true });
const read = { order: String(head.order), hasLast: last !== undefined, events: page.data.length, service };
await engine.close();
tell(JSON.stringify({ code: failure.code, message: failure.message, refused: refused?.code, ...read }));
