/** One writer and its readers, on one log. docs/cluster.md goes through this file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEV_ACCOUNTS, Engine } from 'movelet';
import { openDirectoryLog } from 'movelet/log';

const directory = mkdtempSync(join(tmpdir(), 'movelet-example-'));
const path = join(directory, 'log');
const bob = DEV_ACCOUNTS[1]!.address;
const payment = {
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [bob, 5n],
};

// The writer: what it acknowledges is in the log. `openPostgresLog(url)` of 'movelet/postgres' gives one that machines share.
const writer = await Engine.open({ commitLog: await openDirectoryLog(path) });

// A reader, here or in any other process. It follows the log and checks every commit.
const reader = await Engine.open({ commitLog: await openDirectoryLog(path), role: 'reader' });

const [alice] = writer.accounts;
const receipt = await writer.execute(alice!.signed(payment));

// Whoever has a receipt reads what it did, on any reader.
await reader.reached(receipt.order);
assert.equal(String(reader.head.stateRoot), String(receipt.stateRoot));

// Whether it follows, how far it is, and what is wrong.
const { role, state, applied, behind, ageMs, problem } = reader.status().log!;
console.log(role, state, applied, behind, ageMs, problem);

// Another writer takes over, with a store of its own that gets the chain from the log. The first one appends nothing more.
const successor = await Engine.open({ commitLog: await openDirectoryLog(path) });
await assert.rejects(writer.execute(alice!.signed(payment)), { code: 'fenced' });
const next = await successor.execute(successor.accounts[0]!.signed(payment));

await reader.reached(next.order);
assert.equal(String(reader.head.stateRoot), String(next.stateRoot));
for (const engine of [writer, reader, successor]) await engine.close();
rmSync(directory, { recursive: true });
