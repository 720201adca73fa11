/**
 * JavaScript with a gate at every `await`: `await X` becomes `await gate(X, 'place')`. X is still evaluated in
 * the same turn, so nothing can come between what the source does without a wait.
 *
 * No parser: comments, strings and regular expressions are blanked, then an operand is a primary expression
 * with its members and calls, which is what the grammar says but for operators that nobody awaits.
 */

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Tokens before a slash that begins a regular expression. */
const BEFORE_REGEX = /(^|[(,=:[!&|?{};+]|\breturn)\s*$/;

/** @param file its name in places, `key-claims.ts:123`. */
export function gateAwaits(source: string, file: string): string {
  const code = blanked(source);
  const inserts: { readonly at: number; readonly text: string }[] = [];
  let [line, counted] = [1, 0];
  for (const match of code.matchAll(/(?<![\w$.#])await\b(?!\s+using\b)/g)) {
    if (/\bfor\s+$/.test(code.slice(0, match.index))) continue;
    for (; counted < match.index; counted++) if (source[counted] === '\n') line++;
    const start = skipSpace(code, match.index + match[0].length);
    inserts.push({ at: start, text: 'globalThis.gate(' });
    inserts.push({ at: operandEnd(code, start), text: `, '${file}:${line}')` });
  }
  return insertAll(source, inserts);
}

function insertAll(source: string, inserts: { readonly at: number; readonly text: string }[]): string {
  let gated = '';
  let done = 0;
  for (const { at, text } of inserts.toSorted((a, b) => a.at - b.at)) {
    gated += source.slice(done, at) + text;
    done = at;
  }
  return gated + source.slice(done);
}

/** The source with spaces for what is no code, as long as before. */
function blanked(source: string): string {
  let code = '';
  while (code.length < source.length) {
    const end = skipped(source, code.length);
    const length = end - code.length;
    if (length === 0) code += source[code.length];
    else if (source[code.length] === '/' && '/*'.includes(source[code.length + 1] ?? '')) {
      code += ' '.repeat(length);
    } else code += `'${' '.repeat(length - 2)}'`;
  }
  return code;
}

/** The end of the comment or literal that begins at a place; the place itself where none does. */
function skipped(source: string, at: number): number {
  const first = source[at] as string;
  if (source.startsWith('//', at)) return endOf(source, '\n', at);
  if (source.startsWith('/*', at)) return endOf(source, '*/', at) + 2;
  if (first === '`') return templateEnd(source, at);
  if (first === "'" || first === '"') return literalEnd(source, at);
  return first === '/' && BEFORE_REGEX.test(source.slice(Math.max(0, at - 40), at))
    ? literalEnd(source, at)
    : at;
}

/** End of a string or a regular expression. */
function literalEnd(source: string, at: number): number {
  const quote = source[at];
  let inClass = false;
  for (let end = at + 1; end < source.length; end++) {
    const character = source[end];
    if (character === '\\') end++;
    else if (quote === '/' && character === '[') inClass = true;
    else if (quote === '/' && character === ']') inClass = false;
    else if (character === quote && !inClass) return end + 1;
  }
  throw new Error(`a literal at ${at} does not end`);
}

function templateEnd(source: string, at: number): number {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === '\\') end++;
    else if (source.startsWith('${', end)) end = holeEnd(source, end + 2);
    else if (source[end] === '`') return end + 1;
  }
  throw new Error(`a template at ${at} does not end`);
}

/** Where the expression within a template closes. */
function holeEnd(source: string, from: number): number {
  let depth = 1;
  for (let at = from; at < source.length; ) {
    const end = skipped(source, at);
    if (source[at] === '{') depth++;
    else if (source[at] === '}') depth--;
    if (depth === 0) return at;
    at = Math.max(end, at + 1);
  }
  throw new Error(`a template's hole at ${from} does not close`);
}

function endOf(source: string, what: string, from: number): number {
  const at = source.indexOf(what, from);
  return at < 0 ? source.length : at;
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/\s/.test(code[at] ?? '')) at++;
  return at;
}

/** Where a bracket that opens at `from` closes. */
function closingAt(code: string, from: number): number {
  const open: string[] = [];
  for (let at = from; at < code.length; at++) {
    const character = code[at] as string;
    const closing = CLOSING[character];
    if (closing !== undefined) open.push(closing);
    else if (character === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  throw new Error(`a bracket at ${from} does not close`);
}

/** The end of what is awaited. */
function operandEnd(code: string, start: number): number {
  let at = start;
  while (/^(new|await)\b/.test(code.slice(at, at + 6)))
    at = skipSpace(code, at + code.slice(at).search(/\s/));
  if (code[at] === "'") at = code.indexOf("'", at + 1) + 1;
  else if (code[at] === '(' || code[at] === '[') at = closingAt(code, at) + 1;
  else at = nameEnd(code, at);
  for (;;) {
    const next = skipSpace(code, at);
    if (code[next] === '(' || code[next] === '[') at = closingAt(code, next) + 1;
    else if (code[next] === '.') at = nameEnd(code, next + 1);
    else if (code.startsWith('?.', next))
      at = /[([]/.test(code[next + 2] ?? '') ? next + 2 : nameEnd(code, next + 2);
    else return at;
  }
}

function nameEnd(code: string, from: number): number {
  let at = from;
  while (/[\w$#]/.test(code[at] ?? '')) at++;
  if (at === from) throw new Error(`no name at ${code.slice(from, from + 40)}`);
  return at;
}
