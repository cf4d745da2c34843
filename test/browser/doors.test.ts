/** What the package's doors give to a page: code that needs nothing of Node, and no more of it than is used. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly browser?: { readonly default: string } }>>;
};
const doors = Object.keys(exports).filter((door) => exports[door]?.browser !== undefined);

describe('a door of pages', () => {
  it('stands beside each door that is not for tests, logs or Node alone', () => {
    expect(doors).toEqual(['.', './rpc', './rooch', './transaction', './proof', './bitcoin', './compile', './store']);
  });

  it.each(doors)('%s reaches no module of Node and none of its globals', async (door) => {
    const { nodeOnly } = await bundle(`import * as all from '${door.replace('.', 'movelet')}';\nconsole.log(all);`);
    expect(nodeOnly).toEqual([]);
  });

  it('is judged by a check that finds both', async () => {
    await expect(bundle("import { readFileSync } from 'node:fs';\nconsole.log(readFileSync);")).rejects.toThrow(
      'node:fs',
    );
    const { nodeOnly } = await bundle('const process = 1;\nconsole.log(process, globalThis.process, Buffer.from([]));');
    expect(nodeOnly).toHaveLength(1);
    expect(nodeOnly[0]).toContain('Buffer.from');
  });
});

describe('what a page loads, compressed', () => {
  it('is under 30 kB for a program that verifies proofs', async () => {
    const { kilobytes, files } = await bundle(
      "import * as proof from 'movelet/proof';\nconsole.log(proof.proofOfJson, proof.decodeProof, proof.verifyStateProof, proof.verifyTransactionProof, proof.verifyEventProof);",
    );
    expect(kilobytes()).toBeLessThan(30);
    expect([...files.keys()]).toEqual(['program.js']);
  });

  it('is under 60 kB for a program that builds and signs transactions', async () => {
    const { kilobytes } = await bundle(
      "import { bitcoinSigner, buildTransaction, callFunction, encodeTransaction } from 'movelet/transaction';\nconsole.log(bitcoinSigner, buildTransaction, callFunction, encodeTransaction);",
    );
    expect(kilobytes()).toBeLessThan(60);
  });

  it('is under 450 kB for an engine and RPC, the genesis not counted', async () => {
    const { kilobytes } = await bundle(
      "import { Engine } from 'movelet';\nimport { createRpc, servePort } from 'movelet/rpc';\nconsole.log(Engine, createRpc, servePort);",
    );
    // The code that runs Move is loaded when a chain is opened.
    expect(kilobytes('execution')).toBeLessThan(450);
    expect(kilobytes('execution')).toBeGreaterThan(kilobytes() + 100);
  });
});
