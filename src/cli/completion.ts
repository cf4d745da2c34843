/**
 * movelet completion: shell completion scripts, generated from the table of commands.
 * @module
 */

import { type Command, type Completed, command } from './arguments.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The completion command, which is itself completable. */
export function completionCommand(others: readonly Command[]): Command {
  const completion = command({
    name: 'completion',
    summary: 'print the completion script for bash, zsh or fish',
    usage: SHELLS.join('|'),
    example: 'bash > ~/.local/share/bash-completion/completions/movelet',
    min: 1,
    words: SHELLS,
    help: `Each shell looks for it in a folder of its own; ~/.zsh must be on fpath before compinit.

  movelet completion zsh > ~/.zsh/_movelet
  movelet completion fish > ~/.config/fish/completions/movelet.fish`,
    options: {},
    run: async ({ positionals: [shell] }) => {
      process.stdout.write(completionScript(shell as Shell, [...others, completion]));
      return 0;
    },
  });
  return completion;
}

/** The script for a shell. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const help: Command = {
    name: 'help',
    summary: 'explain a command and its options',
    help: () => '',
    options: {},
    completes: commands.map(({ name }) => name),
    run: async () => 0,
  };
  const all = [...commands, help].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all);
}

function bashScript(commands: readonly Command[]): string {
  const values = commands.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, { value, completes }]) =>
      value === undefined ? [] : [`    '${command.name} --${name}') ${bashReply(completes)} ;;`],
    ),
  );
  const rest = commands.map(
    ({ name, options, completes }) =>
      `    ${name}) if [[ $current == -* ]]; then ${bashReply(flagsOf(options))}; else ${bashReply(completes)}; fi ;;`,
  );
  return `# Completion of movelet for bash; made by: movelet completion bash
_movelet() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    ${bashReply(commands.map(({ name }) => name))}
    return
  fi
  case "$command $before" in
${values.join('\n')}
    *) case "$command" in
${rest.map((line) => `  ${line}`).join('\n')}
    esac ;;
  esac
}
complete -F _movelet movelet
`;
}

function bashReply(completes: Completed | undefined): string {
  if (completes === undefined) return 'COMPREPLY=()';
  const source = completes === 'file' ? '-f' : completes === 'directory' ? '-d' : `-W '${completes.join(' ')}'`;
  const after = typeof completes === 'string' ? 'compopt -o filenames 2>/dev/null; ' : '';
  return `${after}mapfile -t COMPREPLY < <(compgen ${source} -- "$current")`;
}

function zshScript(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`);
  const cases = commands.map(({ name, options, completes }) => {
    const specs = Object.entries(options).map(([option, { value, multiple, completes }]) => {
      const star = multiple === true ? '*' : '';
      return value === undefined ? `'${star}--${option}'` : `'${star}--${option}=:${option}:${zshAction(completes)}'`;
    });
    return `    ${name}) _arguments ${[...specs, `'*:argument:${zshAction(completes)}'`].join(' ')} ;;`;
  });
  return `#compdef movelet
# Completion of movelet for zsh; made by: movelet completion zsh
_movelet() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _movelet movelet
`;
}

function zshAction(completes: Completed | undefined): string {
  if (completes === undefined) return ' ';
  if (typeof completes === 'string') return completes === 'file' ? '_files' : '_files -/';
  return `(${completes.join(' ')})`;
}

function zshText(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options, completes }) => {
    const here = `complete -c movelet -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c movelet -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...fishArgument(completes).map((argument) => `${here} ${argument}`),
      ...Object.entries(options).map(([option, { value, completes: values }]) => {
        const taken = value === undefined ? '' : ` -r ${fishArgument(values)[0] ?? '-f'}`;
        return `${here} -l ${option}${taken}`;
      }),
    ];
  });
  return `# Completion of movelet for fish; made by: movelet completion fish
complete -c movelet -f
${lines.join('\n')}
`;
}

function fishArgument(completes: Completed | undefined): string[] {
  if (completes === undefined) return [];
  if (completes === 'file') return ['-F'];
  return completes === 'directory' ? ["-f -a '(__fish_complete_directories)'"] : [`-f -a '${completes.join(' ')}'`];
}

function flagsOf(options: Command['options']): string[] {
  return [...Object.keys(options).map((name) => `--${name}`), '--help'];
}
