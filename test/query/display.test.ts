/** Display fields of objects whose type's author wrote odd templates. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/index.ts';
import { DISPLAY_CHARACTERS_MAX } from '../../src/query/state.ts';
import { createRpc } from '../../src/server/index.ts';
import { publish } from './published.ts';

const CARD = `0x${'ca'.repeat(32)}`;
const OWNER = `0x${'0e'.repeat(32)}`;
const LONG = 'long '.repeat(2_000);

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.open();
  await publish(
    engine,
    `module 0x42::cards
  struct Inner has copy, drop, store { id: u64 }
  struct Card has key, store { name: 0x1::string::String, metadata: Inner, text: 0x1::string::String, marked: 0x1::string::String }`,
  );
  await engine.dev.setObject(CARD, {
    type: '0x42::cards::Card',
    owner: OWNER,
    value: { name: 'ace', metadata: { id: 7n }, text: LONG, marked: '\ufeffmarked' },
  });
});
afterAll(() => engine.close());

/** What templates become. */
async function shown(...given: readonly string[]): Promise<readonly string[]> {
  const fork = engine.fork();
  await fork.dev.setObject('0x2::display::Display<0x42::cards::Card>', {
    type: '0x2::display::Display<0x42::cards::Card>',
    value: { sample_map: { data: given.map((value, index) => ({ key: `${index}`, value })) } },
  });
  const fields = fork.inside.states.displayFields(fork.inside.objects.get(CARD)!)!;
  const [state] = await createRpc(fork).request('rooch_getObjectStates', [CARD, { showDisplay: true }]);
  expect(state!['display_fields']).toEqual({ fields: Object.fromEntries(fields) });
  await fork.close();
  return fields.map(([, text]) => text);
}

describe('a template', () => {
  it('is filled with fields, and with the metadata of the object', async () => {
    expect(await shown('{name} of {metadata.owner}', '{metadata.id}', '{none}', '{name.x}', '{}', '{{name}}')).toEqual([
      `ace of ${OWNER.slice(2)}`,
      CARD.slice(2),
      '{none}',
      '{name.x}',
      '{}',
      '{ace}',
    ]);
  });

  it('names fields as they are, without spaces', async () => {
    expect(await shown('{ name }', '{name }')).toEqual(['{ name }', '{name }']);
  });

  it('can name a field that is called metadata, as in the reference', async () => {
    await publish(
      engine,
      `module 0x42::named
  struct Named has key, store { metadata: 0x1::string::String }`,
    );
    const fork = engine.fork();
    await fork.dev.setObject(OWNER, { type: '0x42::named::Named', value: { metadata: 'its own' } });
    await fork.dev.setObject('0x2::display::Display<0x42::named::Named>', {
      type: '0x2::display::Display<0x42::named::Named>',
      value: {
        sample_map: {
          data: [
            { key: 'a', value: '{metadata}' },
            { key: 'b', value: '{metadata.flag}' },
          ],
        },
      },
    });
    expect(fork.inside.states.displayFields(fork.inside.objects.get(OWNER)!)).toEqual([
      ['a', 'its own'],
      ['b', '{metadata.flag}'],
    ]);
    await fork.close();
  });

  it('keeps a byte order mark at the beginning of a text', async () => {
    expect(await shown('{marked}')).toEqual(['\ufeffmarked']);
  });

  it('is filled up to a bound: what would not fit stays as it is', async () => {
    const [first, second] = await shown('{text}'.repeat(10_000), '{name}');
    const count = Math.floor(DISPLAY_CHARACTERS_MAX / LONG.length);
    expect(first).toBe(LONG.repeat(count) + '{text}'.repeat(10_000 - count));
    expect(second).toBe('ace');
  });
});
