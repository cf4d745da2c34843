/**
 * Contracts with one fault each, and the same without it: `good` and `bad` stand in the place of the mark. Each has a
 * shared state and a view `ok`, which says what should hold after any calls.
 */
export interface PlantedFault {
  readonly name: string;
  readonly source: string;
  readonly good: string;
  readonly bad: string;
}

/** The place of the fault in a source. */
const MARK = '/*here*/';

const contract = (
  name: string,
  fields: string,
  values: string,
  code: string,
  good: string,
  bad: string,
): PlantedFault => ({
  name,
  good,
  bad,
  source: `module t::${name} {
    use std::signer;
    use std::vector;
    use moveos_std::object::{Self, Object};
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::timestamp;

    struct S has key { ${fields} }
    fun init() { object::to_shared(object::new_named_object(S { ${values} })); }
    fun s(): &S { object::borrow(object::borrow_object<S>(object::named_object_id<S>())) }
    fun get<K: copy + drop>(map: &SimpleMap<K, u64>, key: K): u64 {
        if (simple_map::contains_key(map, &key)) *simple_map::borrow(map, &key) else 0
    }
    fun put<K: copy + drop>(map: &mut SimpleMap<K, u64>, key: K, value: u64) { simple_map::upsert(map, key, value); }
    fun sum<K: copy + drop>(map: &SimpleMap<K, u64>): u64 {
        let (values, total) = (simple_map::values(map), 0);
        while (!vector::is_empty(&values)) { total = total + vector::pop_back(&mut values) };
        total
    }
    fun now(): u64 { timestamp::now_milliseconds() }
${code}
}`,
});

/** The source with its fault, or without. */
export const sourceOf = ({ source, good, bad }: PlantedFault, isBad: boolean): string =>
  source.replace(MARK, isBad ? bad : good);

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  contract(
    'transfer_to_oneself',
    'balances: SimpleMap<address, u64>, total: u64',
    'balances: simple_map::new(), total: 0',
    `    public entry fun mint(s: &mut Object<S>, to: address, amount: u64) {
        let s = object::borrow_mut(s);
        s.total = s.total + amount;
        let balance = get(&s.balances, to) + amount;
        put(&mut s.balances, to, balance);
    }
    public entry fun pay(from: &signer, s: &mut Object<S>, to: address, amount: u64) {
        let (from, s) = (signer::address_of(from), object::borrow_mut(s));
        let (paying, paid) = (get(&s.balances, from) - amount, get(&s.balances, to) + amount);
        /*here*/
        put(&mut s.balances, from, paying);
        put(&mut s.balances, to, paid);
    }
    public fun ok(): bool { sum(&s().balances) == s().total }`,
    'if (from == to) return;',
    '',
  ),
  contract(
    'missing_authority',
    'owner: address, changed_by: address, fee: u64',
    'owner: @t, changed_by: @t, fee: 0',
    `    public entry fun set_fee(by: &signer, s: &mut Object<S>, fee: u64) {
        let s = object::borrow_mut(s);
        /*here*/
        s.fee = fee;
        s.changed_by = signer::address_of(by);
    }
    public fun ok(): bool { s().changed_by == s().owner }`,
    'assert!(signer::address_of(by) == s.owner, 1);',
    '',
  ),
  contract(
    'lost_rounding',
    'first: u64, second: u64, received: u64',
    'first: 0, second: 0, received: 0',
    `    public entry fun pay(s: &mut Object<S>, amount: u64) {
        let s = object::borrow_mut(s);
        let part = amount * 30 / 100;
        s.first = s.first + part;
        s.second = s.second + /*here*/;
        s.received = s.received + amount;
    }
    public fun ok(): bool { s().first + s().second == s().received }`,
    'amount - part',
    'amount * 70 / 100',
  ),
  contract(
    'locked_funds',
    'total: u64, is_closed: bool',
    'total: 0, is_closed: false',
    `    public entry fun deposit(s: &mut Object<S>, amount: u64) {
        let s = object::borrow_mut(s);
        assert!(!s.is_closed, 1);
        s.total = s.total + amount;
    }
    public entry fun withdraw(s: &mut Object<S>) {
        let s = object::borrow_mut(s);
        assert!(!s.is_closed, 1);
        s.total = 0;
    }
    public entry fun close(s: &mut Object<S>) {
        let s = object::borrow_mut(s);
        /*here*/
        s.is_closed = true;
    }
    public fun ok(): bool { !s().is_closed || s().total == 0 }`,
    'assert!(s.total == 0, 2);',
    '',
  ),
  contract(
    'late_bid',
    'end: u64, highest: u64, at: u64',
    'end: now() + 5000, highest: 0, at: 0',
    `    public entry fun bid(s: &mut Object<S>, amount: u64) {
        let s = object::borrow_mut(s);
        assert!(amount > s.highest, 1);
        assert!(/*here*/, 2);
        s.highest = amount;
        s.at = now();
    }
    public fun ok(): bool { s().at < s().end }`,
    'now() < s.end',
    'now() < s.end || s.highest > 0',
  ),
  contract(
    'claimed_twice',
    'claimed: SimpleMap<address, u64>',
    'claimed: simple_map::new()',
    `    public entry fun claim(by: &signer, s: &mut Object<S>, amount: u64) {
        let (by, s) = (signer::address_of(by), object::borrow_mut(s));
        assert!(amount <= 100, 1);
        assert!(/*here*/, 2);
        let claimed = get(&s.claimed, by) + amount;
        put(&mut s.claimed, by, claimed);
    }
    public fun ok(): bool {
        let values = simple_map::values(&s().claimed);
        while (!vector::is_empty(&values)) { if (vector::pop_back(&mut values) > 100) return false };
        true
    }`,
    'get(&s.claimed, by) == 0',
    'get(&s.claimed, by) < 100',
  ),
  contract(
    'passed_cap',
    'supply: u64',
    'supply: 0',
    `    public entry fun mint(s: &mut Object<S>, amount: u64) {
        let s = object::borrow_mut(s);
        assert!(amount < 1000000, 1);
        assert!(/*here*/, 2);
        s.supply = s.supply + amount;
    }
    public fun ok(): bool { s().supply <= 1000000 }`,
    's.supply + amount <= 1000000',
    's.supply <= 1000000',
  ),
  contract(
    'kept_delegation',
    'chosen: SimpleMap<address, u64>, votes: SimpleMap<u64, u64>',
    'chosen: simple_map::new(), votes: simple_map::new()',
    `    public entry fun choose(by: &signer, s: &mut Object<S>, choice: u64) {
        let (by, s) = (signer::address_of(by), object::borrow_mut(s));
        if (simple_map::contains_key(&s.chosen, &by)) {
            let before = get(&s.chosen, by);
            let votes = get(&s.votes, before) - /*here*/;
            put(&mut s.votes, before, votes);
        };
        let votes = get(&s.votes, choice) + 1;
        put(&mut s.votes, choice, votes);
        put(&mut s.chosen, by, choice);
    }
    public fun ok(): bool { sum(&s().votes) == simple_map::length(&s().chosen) }`,
    '1',
    '(if (before == choice) 1 else 0)',
  ),
  contract(
    'refund_after_release',
    'funded: u64, paid: u64, is_released: bool',
    'funded: 0, paid: 0, is_released: false',
    `    public entry fun fund(s: &mut Object<S>, amount: u64) {
        let s = object::borrow_mut(s);
        assert!(s.funded == 0, 1);
        s.funded = amount;
    }
    public entry fun release(s: &mut Object<S>) {
        let s = object::borrow_mut(s);
        assert!(!s.is_released && s.paid == 0, 2);
        s.is_released = true;
        s.paid = s.paid + s.funded;
    }
    public entry fun refund(s: &mut Object<S>) {
        let s = object::borrow_mut(s);
        assert!(/*here*/, 3);
        s.paid = s.paid + s.funded;
    }
    public fun ok(): bool { s().paid <= s().funded }`,
    's.paid == 0',
    's.paid < s.funded || s.is_released',
  ),
  contract(
    'stale_index',
    'names: vector<u64>, places: SimpleMap<u64, u64>',
    'names: vector[], places: simple_map::new()',
    `    public entry fun add(s: &mut Object<S>, name: u64) {
        let s = object::borrow_mut(s);
        assert!(!simple_map::contains_key(&s.places, &name), 1);
        simple_map::add(&mut s.places, name, vector::length(&s.names));
        vector::push_back(&mut s.names, name);
    }
    public entry fun remove(s: &mut Object<S>, name: u64) {
        let s = object::borrow_mut(s);
        let (_, at) = simple_map::remove(&mut s.places, &name);
        vector::swap_remove(&mut s.names, at);
        if (/*here*/) put(&mut s.places, *vector::borrow(&s.names, at), at);
    }
    public fun ok(): bool {
        let (names, i) = (s().names, 0);
        while (i < vector::length(&names)) {
            if (get(&s().places, *vector::borrow(&names, i)) != i) return false;
            i = i + 1;
        };
        true
    }`,
    'at < vector::length(&s.names)',
    'at + 1 < vector::length(&s.names)',
  ),
  contract(
    'kept_allowance',
    'allowed: SimpleMap<address, u64>, approved: SimpleMap<address, u64>, spent: SimpleMap<address, u64>',
    'allowed: simple_map::new(), approved: simple_map::new(), spent: simple_map::new()',
    `    public entry fun approve(s: &mut Object<S>, spender: address, amount: u64) {
        let s = object::borrow_mut(s);
        let (allowed, approved) = (get(&s.allowed, spender) + amount, get(&s.approved, spender) + amount);
        put(&mut s.allowed, spender, allowed);
        put(&mut s.approved, spender, approved);
    }
    public entry fun spend(by: &signer, s: &mut Object<S>, amount: u64) {
        let (by, s) = (signer::address_of(by), object::borrow_mut(s));
        let (rest, spent) = (get(&s.allowed, by) - amount, get(&s.spent, by) + amount);
        put(&mut s.allowed, by, /*here*/);
        put(&mut s.spent, by, spent);
    }
    public fun ok(): bool {
        let keys = simple_map::keys(&s().spent);
        while (!vector::is_empty(&keys)) {
            let by = vector::pop_back(&mut keys);
            if (get(&s().spent, by) > get(&s().approved, by)) return false;
        };
        true
    }`,
    'rest',
    'rest + amount / 2',
  ),
  contract(
    'id_given_twice',
    'next: u64, ids: vector<u64>',
    'next: 0, ids: vector[]',
    `    public entry fun create(s: &mut Object<S>) {
        let s = object::borrow_mut(s);
        vector::push_back(&mut s.ids, s.next);
        s.next = s.next + 1;
    }
    public entry fun destroy(s: &mut Object<S>, id: u64) {
        let s = object::borrow_mut(s);
        let (found, at) = vector::index_of(&s.ids, &id);
        assert!(found, 1);
        vector::remove(&mut s.ids, at);
        /*here*/
    }
    public fun ok(): bool {
        let ids = s().ids;
        while (!vector::is_empty(&ids)) {
            let id = vector::pop_back(&mut ids);
            if (vector::contains(&ids, &id)) return false;
        };
        true
    }`,
    '',
    's.next = s.next - 1;',
  ),
];
