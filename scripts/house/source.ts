/** The product's source files as a house: what each imports, by value or by type only, and how long its functions are. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, type StaticImport } from 'oxc-parser';

export interface Import {
  /** As written: `./` and a file, `node:fs`, `lmdb`. */
  readonly name: string;
  /** Path from the root of the checkout, of a file of ours; null: a package. */
  readonly file: string | null;
  /** Nothing of it is left at run time. */
  readonly isType: boolean;
}

export interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface Source {
  /** From the root of the checkout. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly functions: readonly FunctionLength[];
}

/** @param root of a checkout. @param folder below it. @returns every TypeScript file but the kernels'. */
export function readSources(root: string, folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .filter((path) => !path.startsWith('src/index/wasm/'))
    .sort()
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
}

/** Tests may import anything, and are as long as they are. */
export const isTest = ({ path }: Source): boolean => /\.test\.ts$|[/-]fixture\.ts$/.test(path);

function readSource(path: string, text: string): Source {
  const { module, program } = parseSync(path, text);
  const reference = (name: string, isType: boolean): Import => ({
    name,
    file: name.startsWith('.') ? normalize(join(dirname(path), name)) : null,
    isType,
  });
  const imports = module.staticImports.map((one) => reference(one.moduleRequest.value, isTypeOnly(one)));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest !== null) imports.push(reference(moduleRequest.value, isType));
    }
  }
  return { path, text, imports, functions: functionsOf(program, text) };
}

const isTypeOnly = ({ entries }: StaticImport): boolean =>
  entries.length > 0 && entries.every(({ isType }) => isType);

const FUNCTION_TYPES = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every function with its lines, those of functions within it too. */
function functionsOf(program: unknown, text: string): FunctionLength[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  const lineOf = (at: number): number => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const found: FunctionLength[] = [];
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, name);
      return;
    }
    if (!isNode(node)) return;
    const own = nameOf(node) ?? name;
    if (FUNCTION_TYPES.has(node.type) && node.body !== null) {
      const line = lineOf(node.start);
      found.push({ name: own, line, lines: lineOf(node.end) - line + 1 });
    }
    for (const child of Object.values(node)) visit(child, own);
  };
  visit(program, 'module');
  return found;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Name that a node declares: of a function, a method, a variable, a property. */
function nameOf(node: Node): string | undefined {
  const named = node.id ?? node.key;
  if (!isNode(named)) return undefined;
  const { name } = named;
  return typeof name === 'string' ? name : undefined;
}
