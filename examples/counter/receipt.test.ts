/** What a receipt says, and what to look up next: the object that was created, an entry of its table, a field. */
import { type Account, Engine } from 'movelet';
import { compileSources } from 'movelet/compile';
import { afterAll, expect, test } from 'vitest';

const engine = await Engine.open();
const [alice, bob] = engine.accounts as [Account, Account];
afterAll(() => engine.close());

const GAME = `module game::scores {
  use moveos_std::event;
  use moveos_std::object::{Self, Object};
  use moveos_std::table::{Self, Table};
  use std::signer;

  const ErrorNoScore: u64 = 1;

  struct Game has key, store { best: u64, scores: Table<address, u64> }
  struct Scored has copy, drop { by: address, score: u64 }

  public entry fun open() {
    object::to_shared(object::new(Game { best: 0, scores: table::new() }));
  }

  public entry fun score(account: &signer, game: &mut Object<Game>, score: u64) {
    assert!(score > 0, ErrorNoScore);
    let game = object::borrow_mut(game);
    let by = signer::address_of(account);
    table::upsert(&mut game.scores, by, score);
    if (score > game.best) game.best = score;
    event::emit(Scored { by, score });
  }
}`;
(await engine.publish(alice, compileSources({ 'game.move': GAME }, { addresses: { game: alice.address } }))).orThrow();
const call = (name: string, ...given: (string | bigint)[]) => ({
  function: `${alice.address}::scores::${name}`,
  arguments: given,
});

test('the effects of the action come first', async () => {
  const opened = await engine.executeAs(alice, call('open'));
  const game = opened.created('scores::Game');
  const receipt = await engine.executeAs(bob, call('score', game, 7n));

  expect(receipt.event('scores::Scored')).toEqual({ by: bob.address, score: 7n });
  expect(receipt.events.length).toBe(1);
  expect(receipt.changes.map(({ kind }) => kind)).toContain('modified');
  // The fee, the sequence number and the clock are kept apart.
  expect(receipt.framework.events.length).toBeGreaterThan(0);

  const { best, scores } = engine.objects.get(game)!.decoded as { best: bigint; scores: { handle: { id: string } } };
  expect(best).toBe(7n);
  expect(engine.objects.entry(scores, { keyType: 'address', key: bob })).toBe(7n);
});

test('a table knows the type of its keys', async () => {
  const game = (await engine.executeAs(alice, call('open'))).created('scores::Game');
  await engine.executeAs(bob, call('score', game, 7n));
  const { scores } = engine.objects.get(game)!.decoded as { scores: { handle: { id: string } } };
  expect(engine.objects.entry(scores, { keyType: 'address', key: alice })).toBe(undefined);
  expect(() => engine.objects.entry(scores, { keyType: 'u64', key: 7n })).toThrow(
    'keyType: expected address, the type of the keys of this table, got u64',
  );
});

test('an object has an owner', async () => {
  const game = (await engine.executeAs(alice, call('open'))).created('scores::Game');
  const { owner, isShared, isFrozen } = engine.objects.get(game)!;
  expect([isShared, isFrozen, BigInt(owner)]).toEqual([true, false, 0n]);
  expect(engine.objects.get(alice)!.owner).toBe(alice.address);
});

test('a printed receipt has a few lines', async () => {
  const game = (await engine.executeAs(alice, call('open'))).created('scores::Game');
  const [first, event] = String(await engine.executeAs(bob, call('score', game, 9n))).split('\n');
  expect(first).toMatch(/^transaction \d+ executed: scores::score by account 1, gas \d+$/);
  expect(event).toBe('  event scores::Scored {"by":"account 1","score":"9"}');

  const failed = await engine.executeAs(bob, call('score', game, 0n));
  expect(String(failed)).toMatch(
    /^transaction \d+ failed: scores::score by account 1, gas \d+\n {2}aborted with code 1 \(ErrorNoScore\)\n {4}in scores::score, game\.move:17, /,
  );
  expect(() => failed.orThrow()).toThrow('ErrorNoScore');
});

test('an account without coins cannot pay for gas', async () => {
  const poor = `0x${'42'.repeat(32)}`;
  await expect(engine.executeAs(poor, call('open'))).rejects.toThrow(
    `the deposit for 1000000000 gas units at 0.00000001 RGAS each is 10 RGAS, and ${poor} has 0 RGAS`,
  );
  await engine.dev.setBalance(poor, 10n ** 8n);
  const receipt = await engine.executeAs(poor, call('open'), { maxGasAmount: 10n ** 8n });
  expect(receipt.status.kind).toBe('executed');
  expect(engine.balance(poor)).toBe(10n ** 8n - receipt.gasUsed);
});
