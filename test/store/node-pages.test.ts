/** Where nodes of maps stand: nothing that a clone can see is written to, and what nobody uses is given back. */
import { describe, expect, it } from 'vitest';
import { NO_NODE, NodePages, pageNumberOf, wordOf } from '../../src/store/node-pages.ts';

/** Takes places and writes a number to each of their words. */
function fill(nodes: NodePages, words: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const node = nodes.take(words);
    nodes.pages[pageNumberOf(node)]!.fill(index + 1, wordOf(node), wordOf(node) + words);
    return node;
  });
}

function expectKept(nodes: NodePages, words: number, places: readonly number[]): void {
  for (const [index, node] of places.entries()) {
    const read = nodes.pages[pageNumberOf(node)]!.subarray(wordOf(node), wordOf(node) + words);
    expect([...read]).toEqual(new Array(words).fill(index + 1));
  }
}

const held = (nodes: NodePages): number => nodes.pages.reduce((words, { length }) => words + length, 0);

describe('pages of nodes', () => {
  it.each([1, 4, 5, 64, 262, 2000, 300_000])('have room for nodes of %d words that do not overlap', (words) => {
    const nodes = new NodePages();
    const places = fill(nodes, words, words > 10_000 ? 3 : 500);
    expect(places).not.toContain(NO_NODE);
    expectKept(nodes, words, places);
  });

  it('grow with their content, so that one node takes little and many take few pages', () => {
    const nodes = new NodePages();
    fill(nodes, 8, 1);
    expect(held(nodes)).toBe(4096);
    fill(nodes, 8, 300_000);
    expect(held(nodes)).toBeLessThan(8 * 300_000 + 300_000);
    expect(nodes.pages.length).toBeLessThan(20);
  });

  it('give the place of a released node to the next one of its length', () => {
    const nodes = new NodePages();
    const [first, second] = fill(nodes, 64, 2) as [number, number];
    nodes.release(first, 64);
    expect(fill(nodes, 128, 1)).not.toContain(first);
    expect(nodes.take(64)).toBe(first);
    expect([first, second]).not.toContain(nodes.take(64));
  });

  it('are not written after a clone, by neither map', () => {
    const nodes = new NodePages();
    const [released, ...kept] = fill(nodes, 8, 5) as [number, ...number[]];
    nodes.release(released, 8);
    const clone = nodes.clone();
    for (const map of [nodes, clone]) {
      for (const node of kept) expect(map.isOwn(node)).toBe(false);
      const other = fill(map, 8, 3);
      for (const node of other) expect(map.isOwn(node)).toBe(true);
      expect(other.map(pageNumberOf)).not.toContain(pageNumberOf(released));
    }
    expect(nodes.pages[pageNumberOf(kept[0]!)]).toBe(clone.pages[pageNumberOf(kept[0]!)]);
    const second = nodes.take(8);
    const copy = nodes.clone();
    expect([nodes.isOwn(second), copy.isOwn(second)]).toEqual([false, false]);
  });

  it('are forgotten by a map with its last node in a shared one', () => {
    const nodes = new NodePages();
    const places = fill(nodes, 64, 5);
    const clone = nodes.clone();
    for (const node of places.slice(1)) nodes.release(node, 64);
    expect(held(nodes)).toBe(4096);
    nodes.release(places[0]!, 64);
    expect(held(nodes)).toBe(0);
    expectKept(clone, 64, places);
    const [other] = fill(nodes, 64, 1) as [number];
    expect(pageNumberOf(other), 'its number is used again').toBe(pageNumberOf(places[0]!));
    expectKept(clone, 64, places);
  });

  it('that are empty are not kept by a clone', () => {
    const nodes = new NodePages();
    for (const node of fill(nodes, 64, 5)) nodes.release(node, 64);
    expect(held(nodes)).toBe(4096);
    const clone = nodes.clone();
    expect([held(nodes), held(clone)]).toEqual([0, 0]);
  });

  it('are sparse when mostly unused', () => {
    const nodes = new NodePages();
    const places = fill(nodes, 64, 20_000);
    expect(nodes.isSparse).toBe(false);
    nodes.clone();
    // One node in eight keeps each page.
    for (const [index, node] of places.entries()) if (index % 8 !== 0) nodes.release(node, 64);
    expect(nodes.isSparse).toBe(true);
    expect(new NodePages().isSparse).toBe(false);
  });
});
