// The worked trees of state.md 11.2 to 11.4: two of their roots were published by the live main network.
import { describe, expect, it } from 'vitest';
import { fromHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { verifyProof } from '../../../src/store/tree/proof.ts';
import { EMPTY_ROOT, Tree, type TreeEntry, type TreeUpdate } from '../../../src/store/tree/tree.ts';
import vectors from '../../vectors/tree-worked.json' with { type: 'json' };

const hex = toHexPrefixed;

class Store {
  readonly nodes = new Map<string, Uint8Array>();
  readonly tree = new Tree((hash) => this.nodes.get(hex(hash)), new NodeCache());
  root: Uint8Array = EMPTY_ROOT;

  put(entries: readonly TreeEntry[]): TreeUpdate {
    const update = this.tree.update(this.root, entries);
    for (const { hash, bytes } of update.fresh) this.nodes.set(hex(hash), bytes);
    this.root = update.root;
    return update;
  }
}

describe('the live main network', () => {
  it('has this root and these nodes for the account object 0x3', () => {
    const { fields, internal_node_bytes, state_root } = vectors.live_main_account_0x3;
    const store = new Store();
    const update = store.put(fields.map(({ key, object_state_bcs }) => [fromHex(key), fromHex(object_state_bcs)]));
    expect(hex(update.root)).toBe(state_root);
    expect(hex(store.nodes.get(state_root)!)).toBe(internal_node_bytes);
    expect(store.nodes.size).toBe(3);
    for (const field of fields) {
      expect(hex(taggedHash(fromHex(field.object_state_bcs)))).toBe(field.value_hash);
      const node = store.nodes.get(field.leaf_hash)!;
      expect(node.length).toBe(field.node_bytes_len);
      expect(hex(node.subarray(0, 68))).toBe(`0x02423078${hex(new TextEncoder().encode(field.key.slice(2))).slice(2)}`);
    }
  });

  it('has this root for a table with a single field', () => {
    const { field_key, object_state_bcs, value_hash, leaf_hash_eq_parent_state_root } = vectors.live_single_leaf;
    const value = fromHex(object_state_bcs);
    expect(hex(taggedHash(value))).toBe(value_hash);
    const update = new Store().put([[fromHex(field_key), value]]);
    expect(hex(update.root)).toBe(leaf_hash_eq_parent_state_root);
  });
});

describe('the small trees of state.md 11.4', () => {
  it('have these roots and root nodes, step by step', () => {
    const store = new Store();
    for (const step of vectors.smt_small) {
      if (step.put !== undefined) store.put([[fromHex(step.put), fromHex(step.value!)]]);
      else if (step.delete!.startsWith('0x')) store.put([[fromHex(step.delete!), undefined]]);
      else store.put([...store.tree.iterate(store.root)].map(({ key }) => [key, undefined]));
      expect(hex(store.root)).toBe(step.root);
      if (step.root_node !== undefined) expect(hex(store.nodes.get(step.root)!)).toBe(step.root_node);
    }
    expect(store.root).toEqual(EMPTY_ROOT);
  });

  it('have these proofs after the fifth step', () => {
    const store = new Store();
    const puts = vectors.smt_small.filter((step) => step.put !== undefined);
    store.put(puts.map((step) => [fromHex(step.put!), fromHex(step.value!)]));
    expect(hex(store.root)).toBe(vectors.smt_proof_present.root);
    for (const expected of [
      vectors.smt_proof_present,
      vectors.smt_proof_absent_empty,
      vectors.smt_proof_absent_neighbour,
      vectors.smt_proof_absent_other_leaf,
    ]) {
      const key = fromHex(expected.key);
      const proof = store.tree.prove(store.root, key);
      expect(proof.siblings.map(hex)).toEqual(expected.siblings);
      expect(proof.leaf === undefined ? null : [hex(proof.leaf.key), hex(proof.leaf.valueHash)]).toEqual(expected.leaf);
      expect(verifyProof(proof, store.root, key, store.tree.get(store.root, key))).toBe(true);
    }
  });
});
