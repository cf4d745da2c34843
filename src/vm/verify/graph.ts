/**
 * Strongly connected components of a directed graph, by Tarjan's algorithm with an explicit stack: hostile graphs may
 * be deeper than the host's.
 * @module
 */

/** Component number of each node; nodes are in one component if each reaches the other. */
export function components(successors: readonly (readonly number[])[]): number[] {
  const count = successors.length;
  const component: number[] = new Array(count).fill(-1);
  const order: number[] = new Array(count).fill(-1);
  const low: number[] = new Array(count).fill(0);
  const pending: number[] = [];
  let nextOrder = 0;
  let nextComponent = 0;
  for (let root = 0; root < count; root++) {
    if (order[root] !== -1) continue;
    const path: { readonly node: number; edge: number }[] = [];
    const enter = (node: number): void => {
      order[node] = nextOrder;
      low[node] = nextOrder;
      nextOrder++;
      pending.push(node);
      path.push({ node, edge: 0 });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const next = successors[node]![top.edge];
      top.edge++;
      if (next !== undefined) {
        if (order[next] === -1) enter(next);
        else if (component[next] === -1) low[node] = Math.min(low[node]!, order[next]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
      if (low[node] !== order[node]) continue;
      for (let member = pending.pop()!; ; member = pending.pop()!) {
        component[member] = nextComponent;
        if (member === node) break;
      }
      nextComponent++;
    }
  }
  return component;
}
