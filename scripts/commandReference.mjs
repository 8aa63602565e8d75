// Writes docs/commands.md, the reference of the command line, from the commands' own flags; with --check, compares it instead.
//
//   npm run reference [-- --check]
import { readFileSync, writeFileSync } from 'node:fs';
import { cell, codeInCell } from './documents/markdown.mjs';
import './prepare.mjs';

const { COMMAND_NAMES, programOf } = await import('../dist/app/cli/run.js');
const page = new URL('../docs/commands.md', import.meta.url);
const silent = { write: () => true };
const program = await programOf(COMMAND_NAMES, { stdout: silent, stderr: silent });

const inCode = (text) => `\`${codeInCell(text)}\``;

/** The entries of a list by a key, in the order of the first occurrence. */
function grouped(list, keyOf) {
  const groups = new Map();
  for (const entry of list) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

/** Smallest number of commands whose common flag is listed once for all of them. */
const MANY = 4;
const keyOf = ({ flags, description }) => `${flags}|${description}`;
const uses = grouped(
  program.commands.flatMap(({ options }) => options),
  keyOf,
);
const isShared = (option) => uses.get(keyOf(option)).length >= MANY;

/** Tables of flags, one under the heading of each group. */
function tablesOf(options) {
  const groups = grouped(options, ({ helpGroupHeading = 'Flags:' }) => helpGroupHeading.replace(':', ''));
  return [...groups].flatMap(([group, flags]) => [
    `| ${group} | |`,
    '| --- | --- |',
    ...flags.map(({ flags, description, argChoices, defaultValue }) => {
      const choices = argChoices === undefined ? '' : ` (one of ${argChoices.map((each) => `\`${each}\``).join(', ')})`;
      const value = defaultValue === undefined || defaultValue === true ? '' : ` (default: ${defaultValue})`;
      return `| ${inCode(flags)} | ${cell(description + choices + value)} |`;
    }),
    '',
  ]);
}

/** The flags of a command: its own flags in tables, flags of many commands by name. */
function flagsOf({ options }) {
  const shared = options.filter(isShared).map(({ flags }) => inCode(flags.replace(/ <.*/, '')));
  const other = options.filter((option) => !isShared(option));
  return [
    ...tablesOf(other),
    ...(shared.length > 0 ? [`Also, as [below](#flags-of-several-commands): ${shared.join(', ')}.`, ''] : []),
  ];
}

const groups = grouped(program.commands, (command) => command.helpGroup().replace(':', ''));
const lines = [
  '# Command reference',
  '',
  'Generated from the commands by `npm run reference`. `latentfield help COMMAND` prints the same, `latentfield info MODEL` the options of a model.',
  '',
];
for (const [group, commands] of groups) {
  lines.push(`## ${group}`, '');
  for (const command of commands) {
    const args = command.registeredArguments.map((arg) => (arg.required ? `<${arg.name()}>` : `[${arg.name()}]`));
    const sentence = command.description();
    lines.push(`### ${command.name()}`, '', `${sentence[0].toUpperCase()}${cell(sentence.slice(1))}.`, '');
    lines.push('```text', `latentfield ${[command.name(), ...args].join(' ')} [options]`, '```', '');
    for (const arg of command.registeredArguments) lines.push(`- \`${arg.name()}\`: ${cell(arg.description)}`);
    if (args.length > 0) lines.push('');
    lines.push(...flagsOf(command));
  }
}
const shared = [...uses.values()].filter((options) => options.length >= MANY).map(([option]) => option);
lines.push(
  '## Flags of several commands',
  '',
  ...tablesOf(shared.map(({ flags, description, argChoices }) => ({ flags, description, argChoices }))),
);
const text = `${lines.join('\n').trimEnd()}\n`;
if (!process.argv.includes('--check')) writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/commands.md differs from the flags of the commands: npm run reference writes it.');
  process.exitCode = 1;
}
