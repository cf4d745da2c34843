/** One writer and its readers, on one log. docs/cluster.md goes through this file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

// The writer: everything it acknowledges is in the log. For several machines, use `openPostgresLog(url)` of 'movelet/log'.
const writer = await Engine.open({ commitLog: await openDirectoryLog(path) });

// A reader, here or in any other process. It follows the log and checks every commit.
const reader = await Engine.open({ commitLog: await openDirectoryLog(path), role: 'reader' });

const [alice] = writer.accounts;
const receipt = await writer.execute(alice!.signTransaction(payment));

// A client with a receipt can see its effects on any reader.
await reader.waitFor(receipt.order);
assert.equal(reader.head.stateRoot, receipt.stateRoot);

// Whether it is following, how far it has got, and what is wrong.
const { role, state, applied, behind, ageMs, problem } = reader.status().log!;
console.log(role, state, applied, behind, ageMs, problem);

// Another writer takes over. It reads the chain from the log, and the first writer can append nothing more.
const successor = await Engine.open({ commitLog: await openDirectoryLog(path) });
await assert.rejects(writer.execute(alice!.signTransaction(payment)), { code: 'fenced' });
const next = await successor.execute(successor.accounts[0]!.signTransaction(payment));

await reader.waitFor(next.order);
assert.equal(reader.head.stateRoot, next.stateRoot);

const dump = join(directory, 'dump');
for await (const chunk of reader.dump()) writeFileSync(dump, chunk, { flag: 'a' });

// A new reader starts from a dump or an archive, and gets the rest from the log.
const latest = await Engine.open({ commitLog: await openDirectoryLog(path), role: 'reader', bootstrap: dump });
assert.equal(latest.head.stateRoot, next.stateRoot);
for (const engine of [writer, reader, successor, latest]) await engine.close();
rmSync(directory, { recursive: true });
