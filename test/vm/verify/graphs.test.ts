/** The two graph algorithms against slow ones that follow the definitions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusName } from '../../../src/vm/status.ts';
import { components } from '../../../src/vm/verify/recursion.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';

const graphs = fc
  .integer({ min: 1, max: 7 })
  .chain((count) =>
    fc.array(fc.array(fc.nat({ max: count - 1 }), { maxLength: 3 }), { minLength: count, maxLength: count }),
  );

/** For each node, the nodes to which a path of at least one edge leads. */
function reachable(successors: readonly (readonly number[])[]): Set<number>[] {
  return successors.map((first) => {
    const found = new Set<number>();
    const pending = [...first];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      pending.push(...successors[node]!);
    }
    return found;
  });
}

describe('components', () => {
  it('are the sets of nodes that reach each other', () => {
    fc.assert(
      fc.property(graphs, (successors) => {
        const component = components(successors);
        const reached = reachable(successors);
        for (const from of successors.keys()) {
          for (const to of successors.keys()) {
            const together = from === to || (reached[from]!.has(to) && reached[to]!.has(from));
            expect(component[from] === component[to]).toBe(together);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * Whether a graph is reducible, by Hecht and Ullman's transformations: edges from a node to itself go, a node with one
 * predecessor is merged into it; a graph that ends as one node is reducible.
 */
function isReducible(successors: readonly (readonly number[])[]): boolean {
  const fromEntry = reachable(successors)[0]!.add(0);
  const edges = new Map([...fromEntry].map((node) => [node, new Set(successors[node])]));
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [node, next] of edges) {
      next.delete(node);
      const predecessors = [...edges].filter(([, others]) => others.has(node));
      if (node === 0 || predecessors.length !== 1) continue;
      const [, others] = predecessors[0]!;
      others.delete(node);
      for (const successor of next) others.add(successor);
      edges.delete(node);
      isChanged = true;
    }
  }
  return edges.size === 1;
}

/** Blocks that return, go to one other, or go to one other or the next. */
const bodies = fc.integer({ min: 1, max: 7 }).chain((count) =>
  fc.array(fc.record({ kind: fc.constantFrom('ret', 'jump', 'branch', 'branch'), to: fc.nat({ max: count - 1 }) }), {
    minLength: count,
    maxLength: count,
  }),
);

describe('control flow', () => {
  it('is accepted if it is reducible', () => {
    let refused = 0;
    fc.assert(
      fc.property(bodies, (blocks) => {
        const successors = blocks.map(({ kind, to }, at) => {
          if (kind === 'ret') return [];
          return kind === 'branch' ? [to, at + 1] : [to];
        });
        const code = blocks.map(({ kind, to }, at) => {
          if (kind === 'ret') return `b${at}: Ret`;
          return kind === 'branch' ? `b${at}: LdTrue; BrTrue b${to}` : `b${at}: Branch b${to}`;
        });
        const text = `module 0x1::m fun f() { ${code.join('\n')}\n b${blocks.length}: Ret }`;
        const verdict = verifyModule(assembleModule(text));
        const expected = isReducible([...successors, []]);
        if (!expected) refused++;
        expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(expected ? 'ok' : 'INVALID_LOOP_SPLIT');
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(20);
  });
});
