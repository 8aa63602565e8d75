import { Argument, type Command, type Option } from 'commander';
import { MODEL_NAMES } from './modelHelp.ts';
import type { Context } from './streams.ts';

/** Command `completion SHELL`, which prints a script for all commands of `program`. */
export const defineCompletion = (command: Command, { stdout }: Context, program: () => Promise<Command>): Command =>
  command
    .addArgument(new Argument('<shell>', 'the shell that runs the script').choices(Object.keys(SCRIPTS)))
    .action(async (shell: keyof typeof SCRIPTS) => {
      stdout.write(SCRIPTS[shell](await program()));
    });

/** Completions of a value: words, and names of files or folders. */
interface Values {
  readonly words: readonly string[];
  readonly paths: 'files' | 'folders' | undefined;
}

/** Completions of an argument or a flag's value, from its choices or its placeholder. */
const valuesOf = (placeholder: string, choices: readonly string[] | undefined, isArgument = false): Values => ({
  words: choices ?? (/\bmodel\b/.test(placeholder) ? MODEL_NAMES : []),
  paths:
    choices === undefined && (isArgument || /\bfile/.test(placeholder))
      ? 'files'
      : /<(?:dir|folder)\b/.test(placeholder)
        ? 'folders'
        : undefined,
});

const valuesOfFlag = ({ flags, argChoices }: Option): Values => valuesOf(flags, argChoices);
const valuesOfArguments = ({ registeredArguments }: Command): Values[] =>
  registeredArguments.map((argument) => valuesOf(argument.name(), argument.argChoices, true));
const flagsOf = (command: Command): Option[] => command.createHelp().visibleOptions(command);
const takesValue = ({ required, optional }: Option): boolean => required || optional;
const namesOf = ({ commands }: Command): string => [...commands.map((command) => command.name()), 'help'].join(' ');

/** Cases of a command in bash: one for each flag with a value, then flags after a dash, and otherwise arguments. */
function bashCase(command: Command): string {
  const offered = ({ words, paths }: Values): string =>
    [words.length > 0 && `words='${words.join(' ')}'`, paths && `paths=${paths === 'files' ? '-f' : '-d'}`]
      .filter(Boolean)
      .join(' ') || ':';
  const flags = flagsOf(command);
  const given = valuesOfArguments(command);
  return `    ${command.name()})
      case "$last" in
${flags
  .filter(takesValue)
  .map((flag) => `        ${[flag.short, flag.long].filter(Boolean).join('|')}) ${offered(valuesOfFlag(flag))} ;;`)
  .join('\n')}
        *) case "$word" in
          -*) words='${flags.flatMap(({ short, long }) => [short, long].filter(Boolean)).join(' ')}' ;;
          *) ${offered({ words: given.flatMap(({ words }) => words), paths: given.find(({ paths }) => paths)?.paths })} ;;
        esac ;;
      esac ;;`.replace(/\n\n/g, '\n');
}

/** Completion function of bash, where = separates words. */
const bashScript = (
  program: Command,
): string => `# Completion of latentfield: eval "$(latentfield completion bash)" in ~/.bashrc
_latentfield() {
  local word="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}" words= paths=
  if [ "$word" = "=" ]; then word=; elif [ "$last" = "=" ]; then last="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  [ "$COMP_CWORD" -eq 1 ] && words='${namesOf(program)}'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
    help) words='${namesOf(program)}' ;;
${program.commands.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ -z "$paths" ] && return
  local IFS=$'\\n'
  COMPREPLY+=($(compgen $paths -- "$word"))
  compopt -o filenames 2>/dev/null
}
complete -F _latentfield latentfield
`;

/** Completions of fish: one line for each command, flag and argument. */
function fishScript(program: Command): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const offered = ({ words, paths }: Values): string[] => [
    ...(words.length > 0 ? [`-a ${quoted(words.join(' '))}`] : []),
    ...(paths === 'folders' ? ["-a '(__fish_complete_directories)'"] : paths === 'files' ? ['-F'] : []),
  ];
  const lines = program.commands.flatMap((command) => {
    const within = `-n '__fish_seen_subcommand_from ${command.name()}'`;
    return [
      `-n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
      ...flagsOf(command).map((flag) =>
        [
          within,
          ...(flag.short === undefined ? [] : [`-s ${flag.short.slice(1)}`]),
          `-l ${flag.long!.slice(2)} -d ${quoted(flag.description)}`,
          ...(takesValue(flag) ? ['-r', ...offered(valuesOfFlag(flag))] : []),
        ].join(' '),
      ),
      ...valuesOfArguments(command).map((values) => [within, ...offered(values)].join(' ')),
    ];
  });
  return `# Completion of latentfield: latentfield completion fish > ~/.config/fish/completions/latentfield.fish
complete -c latentfield -f
${[...lines, `-n '__fish_seen_subcommand_from help' -a ${quoted(namesOf(program))}`].map((line) => `complete -c latentfield ${line}`).join('\n')}
`;
}

const SCRIPTS = {
  bash: bashScript,
  zsh: (program: Command) =>
    `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`,
  fish: fishScript,
};
