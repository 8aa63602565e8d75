// Output of the commands of test/tables, as stored text.
import { readFileSync } from 'node:fs';

/** Commands with all that they print and their exit codes; seconds, which no two runs share, are left out. */
export const sessionText = (runs) =>
  runs
    .map(({ args, exitCode, stdout, stderr }) =>
      [
        `$ latentfield ${args.join(' ')}`,
        ...lines('stderr', stderr),
        ...lines('stdout', stdout),
        `exit ${exitCode}`,
        '',
      ].join('\n'),
    )
    .join('\n');

const lines = (stream, text) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !/^\d+ s: /.test(line)) // lines of progress, which only slow machines print
    .map((line) => `${stream} | ${line.replace(/\b\d+(\.\d)? s(?=:|$)/, '… s')}`);

const MOST_LINES = 30;

/** A table as it is kept: of a large one the first lines. */
export const readableTable = (file) => {
  const all = readFileSync(file, 'utf8').split('\n');
  return all.length <= MOST_LINES ? all.join('\n') : `${all.slice(0, MOST_LINES).join('\n')}\n`;
};
