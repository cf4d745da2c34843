/** movelet status: a chain in lines for people, and the node's answer for programs. */
import { expect, it } from 'vitest';
import { statusCommand } from '../../src/cli/status.ts';
import { Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { ran } from './ran.ts';

it('prints a line for each thing, or with --json the whole answer', async () => {
  await using engine = await Engine.open();
  await engine.dev.setObject('0x5a', { type: '0x2::timestamp::Timestamp', value: { milliseconds: 1n }, owner: '0x42' });
  const server = await serveHttp(createRpc(engine), { port: 0 });
  try {
    const { code, out } = await ran(statusCommand, '--url', server.url);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'chain     4 (local)',
      `asked     ${server.url}`,
      'service   active',
      'order     1, of the last transaction; the genesis is 0',
      `state     ${engine.head.stateRoot}, ${engine.head.size} objects at the top`,
      'Bitcoin   no block',
      'time      2023-11-14T22:13:20.000Z, that of the last transaction',
      '',
    ]);
    const json = JSON.parse((await ran(statusCommand, '--json', '--url', server.url)).out) as object;
    expect(json).toMatchObject({ service_status: 'active', chain_status: { sequencer_info: { last_order: '1' } } });
  } finally {
    await server.close();
  }
});
