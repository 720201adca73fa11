/** Strongly connected components: Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion. */

/** Nodes 0..n-1 with the nodes that their edges lead to. */
export type Graph = readonly (readonly number[])[];

/** Components of more than one node, or of one with an edge to itself. */
export function cyclicComponents(graph: Graph): readonly (readonly number[])[] {
  const search = new Search(graph);
  for (let node = 0; node < graph.length; node++) search.from(node);
  return search.found.filter(
    (component) => component.length > 1 || graph[component[0] as number]?.includes(component[0] as number),
  );
}

class Search {
  readonly found: number[][] = [];
  readonly #graph: Graph;
  readonly #index: Int32Array;
  readonly #low: Int32Array;
  readonly #onStack: Uint8Array;
  readonly #stack: number[] = [];
  #next = 1;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#index = new Int32Array(graph.length);
    this.#low = new Int32Array(graph.length);
    this.#onStack = new Uint8Array(graph.length);
  }

  from(root: number): void {
    if (this.#index[root] !== 0) return;
    const calls = [this.#enter(root)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const { node } = call;
      const target = this.#graph[node]?.[call.edge++];
      if (target === undefined) {
        calls.pop();
        this.#leave(node);
        const above = calls.at(-1);
        if (above !== undefined) this.#lower(above.node, this.#low[node] as number);
      } else if (this.#index[target] === 0) calls.push(this.#enter(target));
      else if (this.#onStack[target] === 1) this.#lower(node, this.#index[target] as number);
    }
  }

  #enter(node: number): { readonly node: number; edge: number } {
    this.#index[node] = this.#low[node] = this.#next++;
    this.#stack.push(node);
    this.#onStack[node] = 1;
    return { node, edge: 0 };
  }

  #lower(node: number, low: number): void {
    this.#low[node] = Math.min(this.#low[node] as number, low);
  }

  #leave(node: number): void {
    if (this.#low[node] !== this.#index[node]) return;
    const at = this.#stack.lastIndexOf(node);
    const component = this.#stack.splice(at);
    for (const member of component) this.#onStack[member] = 0;
    this.found.push(component);
  }
}
