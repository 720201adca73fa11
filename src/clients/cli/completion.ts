/** Completions for shells, written from the commands there are. */

/** Completions: commands below a name, and options. */
export interface CommandNames {
  readonly name: string;
  readonly options: readonly string[];
  readonly commands: readonly CommandNames[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** One case a command: `dataset create` → its options, `dataset` → its commands. */
function* cases(of: CommandNames, path: readonly string[]): Generator<[string, readonly string[]]> {
  yield [path.join(' '), [...of.commands.map(({ name }) => name), ...of.options]];
  for (const one of of.commands) yield* cases(one, [...path, one.name]);
}

const bash = (root: CommandNames): string => `_quern() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  local names=""
  case "$path" in
${[...cases(root, [])]
  .map(([path, names]) => `    "${path}"*) names="${names.join(' ')}" ;;`)
  .reverse()
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$names" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _quern quern
`;

const fish = (root: CommandNames): string =>
  [...cases(root, [])]
    .flatMap(([path, names]) => {
      const seen = path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path}`;
      return names.map((name) =>
        name.startsWith('--')
          ? `complete -c quern -n '${seen}' -l ${name.slice(2)}`
          : `complete -c quern -n '${seen}' -a ${name}`,
      );
    })
    .map((line) => `${line}\n`)
    .join('');

/** A script that the shell reads: `source <(quern completion bash)`. */
export function completionScript(shell: Shell, root: CommandNames): string {
  if (shell === 'fish') return fish(root);
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash(root)}` : bash(root);
}
