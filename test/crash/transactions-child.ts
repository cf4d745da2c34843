// The process that is killed while transactions are executed.
//
//   transactions-child DIRECTORY DURABILITY
//
// Waits for a line on stdin. Then, until it is killed, four accounts send signed transfers, several of each at once,
// beside them one publishes modules, and Bitcoin blocks are mined. It tells what was acknowledged:
//
//   transaction ORDER HASH STATE_ROOT SENDER
//   module ORDER HASH STATE_ROOT SENDER NAME
//   block HEIGHT HASH
import { readSync, writeSync } from 'node:fs';
import { Engine } from '../../src/engine.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import type { Receipt } from '../../src/pipeline/receipt.ts';
import type { Account } from '../../src/query/account.ts';
import type { Durability } from '../../src/store/level.ts';
import { assembleModuleBytes } from '../vm/assemble.ts';

/** Transfers that are under way at a time, of each account that sends. */
const AT_ONCE = [1, 2, 4, 8];

const [directory, durability] = process.argv.slice(2) as [string, Durability];
const tell = (...words: readonly unknown[]): number => writeSync(1, `${words.join(' ')}\n`);

tell('ready');
if (readSync(0, new Uint8Array(1)) === 0) process.exit();
const engine = await Engine.open({ store: directory, durability });
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
      const action = {
        function: '0x3::transfer::transfer_coin',
        typeArguments: ['0x3::gas_coin::RGas'],
        arguments: [to, 1n],
      };
      const sequenceNumber = number + BigInt(index);
      tellReceipt('transaction', await engine.execute(account.signed(action, { sequenceNumber })), account);
    });
    await Promise.all(sent);
  }
}

async function modules(): Promise<never> {
  for (let number = nextNumber(publisher); ; number++) {
    const name = `m${number}`;
    const text = `module ${publisher}::${name}\npublic fun number(): u64 { LdU64 ${number}; Ret }`;
    const signed = publisher.signed(publishAction([assembleModuleBytes(text)]));
    tellReceipt('module', await engine.execute(signed), publisher, name);
  }
}

async function blocks(): Promise<never> {
  for (;;) {
    const { height, hash } = await engine.bitcoin.mine({ to: miner.bitcoin });
    tell('block', height, hash);
  }
}

await Promise.all([...AT_ONCE.map((atOnce, index) => transfers(senders[index]!, atOnce)), modules(), blocks()]);
