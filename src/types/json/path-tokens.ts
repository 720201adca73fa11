/** The words of a SQL/JSON path. Source: jsonpath_scan.l of PostgreSQL 18. */
import { SqlError } from '../../errors.ts';

export interface PathToken {
  readonly kind: 'word' | 'string' | 'variable' | 'number' | 'mark' | 'end';
  /** Without quotes and escapes. */
  readonly text: string;
  /** As it was written, for errors. */
  readonly written: string;
}

const BLANK = /(?:[ \t\n\r\f]|\/\*.*?\*\/)+/suy;
const MARK = /\*\*|==|!=|<>|<=|>=|&&|\|\||[?%$.[\]{}()|&!=<>@#,*:\-+/]/uy;
const NUMBER =
  /(?:0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|0[oO][0-7](?:_?[0-7])*|0[bB][01](?:_?[01])*|(?:(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?)/uy;
const STRING = /"((?:[^"\\]|\\.)*)"/suy;
const WORD = /(?:[^?%$.[\]{}()|&!=<>@#,*:\-+/"\\ \t\n\r\f]|\\.)+/suy;
const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gsu;
const NAMED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

export function pathSyntaxError(message: string, detail?: string): SqlError {
  return new SqlError('syntax_error', message, { detail });
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const made = text.replace(ESCAPE, (_, braced?: string, four?: string, two?: string, one?: string) => {
    if (one === 'u')
      throw pathSyntaxError('invalid Unicode escape sequence at or near "\\u" of jsonpath input');
    if (one === 'x') {
      throw pathSyntaxError('invalid hexadecimal character sequence at or near "\\x" of jsonpath input');
    }
    if (one !== undefined) return NAMED[one] ?? one;
    const code = Number.parseInt(braced ?? four ?? two ?? '', 16);
    if (code === 0) {
      throw new SqlError('untranslatable_character', 'unsupported Unicode escape sequence', {
        detail: '\\u0000 cannot be converted to text.',
      });
    }
    return four === undefined ? String.fromCodePoint(Math.min(code, 0x10ffff)) : String.fromCharCode(code);
  });
  if (made.isWellFormed()) return made;
  throw new SqlError('invalid_text_representation', 'invalid input syntax for type jsonpath', {
    detail: 'Unicode low surrogate must follow a high surrogate.',
  });
}

/** @throws SqlError 42601, 22P05. The last token is of kind 'end'. */
export function pathTokens(text: string): readonly PathToken[] {
  const tokens: PathToken[] = [];
  let at = 0;
  const take = (pattern: RegExp, from = at): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  for (;;) {
    at += take(BLANK)?.[0].length ?? 0;
    if (at >= text.length) break;
    const token = tokenAt(text, at, take);
    tokens.push(token);
    at += token.written.length;
  }
  return [...tokens, { kind: 'end', text: '', written: '' }];
}

function tokenAt(
  text: string,
  at: number,
  take: (pattern: RegExp, from?: number) => RegExpExecArray | null,
): PathToken {
  const number = take(NUMBER);
  if (number !== null) {
    const after = take(WORD, at + number[0].length);
    if (after !== null) {
      const written = number[0] + Array.from(after[0])[0];
      throw pathSyntaxError(`trailing junk after numeric literal at or near "${written}" of jsonpath input`);
    }
    return { kind: 'number', text: number[0], written: number[0] };
  }
  if (text[at] === '"') return stringToken(take(STRING));
  if (text[at] === '$') {
    const name = take(STRING, at + 1) ?? take(WORD, at + 1);
    if (name !== null) {
      return { kind: 'variable', text: unescaped(name[1] ?? name[0]), written: `$${name[0]}` };
    }
  }
  const word = take(WORD);
  if (word !== null) return { kind: 'word', text: unescaped(word[0]), written: word[0] };
  const mark = take(MARK)?.[0];
  if (mark === undefined) throw pathSyntaxError('unexpected end after backslash at end of jsonpath input');
  if (text.startsWith('/*', at)) throw pathSyntaxError('unexpected end of comment at end of jsonpath input');
  return { kind: 'mark', text: mark === '<>' ? '!=' : mark, written: mark };
}

function stringToken(match: RegExpExecArray | null): PathToken {
  if (match === null) throw pathSyntaxError('unterminated quoted string at end of jsonpath input');
  return { kind: 'string', text: unescaped(match[1] as string), written: match[0] };
}
