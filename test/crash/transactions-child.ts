// The process that is killed while transactions are executed.
//
//   transactions-child DIRECTORY DURABILITY
//
// Waits for a line on stdin. Then, until it is killed, four accounts send signed transfers, several of each at once,
// beside them one publishes modules, Bitcoin blocks are mined, controls write what they may, and a fork goes its own way
// and back. It prints what was acknowledged:
//
//   transaction ORDER HASH STATE_ROOT SENDER
//   module ORDER HASH STATE_ROOT SENDER NAME
//   block HEIGHT HASH
//   fund ORDER HASH STATE_ROOT ACCOUNT BALANCE
//   object ORDER HASH STATE_ROOT ID VALUE
//   field ORDER HASH STATE_ROOT ID KEY
//   time MILLISECONDS
import { toHex } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/engine/engine.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import type { Receipt } from '../../src/pipeline/receipt.ts';
import type { Account } from '../../src/query/account.ts';
import { orderBytes } from '../../src/store/column.ts';
import type { Durability } from '../../src/store/level.ts';
import { payment } from '../payment.ts';
import { assembleModuleBytes } from '../vm/assemble.ts';
import { tell, untilAsked } from './told.ts';

/** A type that holds a number and may be an object. */
const TIMESTAMP = '0x2::timestamp::Timestamp';

/** Transfers under way at a time, per sending account. */
const AT_ONCE = [1, 2, 4, 8];

const [directory, durability] = process.argv.slice(2) as [string, Durability];

untilAsked();
const engine = await Engine.open({ store: directory, durability, clock: () => BigInt(Date.now()) });
tell('open');
const [publisher, miner, ...senders] = engine.accounts as [Account, Account, ...Account[]];
const to = String(miner);

function nextNumber(account: Account): bigint {
  return account.transaction({ kind: 'modules', modules: [] }).sequenceNumber;
}

function tellReceipt(word: string, receipt: Receipt, ...more: readonly unknown[]): void {
  if (receipt.status.kind !== 'executed') throw new Error(`it ended as ${JSON.stringify(receipt.failure)}`);
  tell(word, receipt.order, receipt.hash, receipt.stateRoot, ...more);
}

async function transfers(account: Account, atOnce: number): Promise<never> {
  for (let number = nextNumber(account); ; number += BigInt(atOnce)) {
    const sent = Array.from({ length: atOnce }, async (_, index) => {
      const action = payment(to);
      const sequenceNumber = number + BigInt(index);
      tellReceipt('transaction', await engine.execute(account.signTransaction(action, { sequenceNumber })), account);
    });
    await Promise.all(sent);
  }
}

async function modules(): Promise<never> {
  for (let number = nextNumber(publisher); ; number++) {
    const name = `m${number}`;
    const text = `module ${publisher}::${name}\npublic fun number(): u64 { LdU64 ${number}; Ret }`;
    const signed = publisher.signTransaction(publishAction([assembleModuleBytes(text)]));
    tellReceipt('module', await engine.execute(signed), publisher, name);
  }
}

async function blocks(): Promise<never> {
  for (;;) {
    const { height, hash } = await engine.dev.mine({ to: miner.bitcoin });
    tell('block', height, hash);
  }
}

/** Each writes a different object than the last time, so that what it wrote stays. */
async function controls(): Promise<never> {
  for (let number = engine.head.order; ; number = engine.head.order) {
    const name = toHex(orderBytes(number));
    const account = `0xfeed${name}`;
    const id = `0x${name.padStart(64, 'ab')}`;
    const edit = { type: TIMESTAMP, value: { milliseconds: number }, owner: account };
    tellReceipt('object', await engine.dev.setObject(id, edit), id, number);
    const field = { keyType: 'u64', key: number, valueType: 'u64', value: number };
    await Promise.all([
      engine.dev.mint(account, number + 1n).then((done) => tellReceipt('fund', done, account, number + 1n)),
      engine.dev.setField(id, field).then((done) => tellReceipt('field', done, id, number)),
      engine.dev.time.advance(1_000_000n).then((time) => tell('time', time)),
    ]);
  }
}

/** What a fork does and takes back does not concern the chain below it. */
async function forks(): Promise<never> {
  for (;;) {
    const fork = engine.fork();
    const snapshot = fork.snapshot();
    await fork.dev.mint(to, 1n);
    await fork.revert(snapshot);
    if (fork.head.order !== snapshot.order) throw new Error(`a fork went back to ${fork.head.order}`);
    await fork.close();
    // Nothing of that waits for a disk: the chain below would never get its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([
  ...AT_ONCE.map((atOnce, index) => transfers(senders[index]!, atOnce)),
  modules(),
  blocks(),
  controls(),
  forks(),
]);
