/** Tables as text in columns. */
export function asText({ title, head, rows }) {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  const line = (row) => row.map((text, c) => (c === 0 ? text.padEnd(widths[c]) : text.padStart(widths[c]))).join('  ');
  return [title, ...all.map(line), ''].join('\n');
}

export const UNFINISHED = 'This run is not finished: the same command goes on from here.';

/** Results of a reproduction as a page. */
export function asMarkdown(
  { name, title, source },
  { tables, figures, notes },
  { machine, builds, seconds, unfinished, endings },
) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const table = ({ title: of, head, rows }) =>
    [`## ${of}`, '', row(head), row(head.map(() => '---')), ...rows.map(row), ''].join('\n');
  return [
    `# ${title}`,
    '',
    `${source}. Made by \`npm run reproduce -- ${name}\`: ${Math.round(seconds)} CPU seconds on ${machine}.`,
    '',
    ...(endings.length > 0 ? [endingsInWords(endings), ''] : []),
    ...(builds.size > 1 ? [`Values were computed with the source of several commits: ${counts(builds)}.`, ''] : []),
    ...(unfinished ? [UNFINISHED, ''] : []),
    ...notes.flatMap((note) => [note, '']),
    ...tables.filter(({ rows }) => rows.length > 0).map(table),
    ...figures.flatMap(({ file, caption }) => [`![${caption}](${file})`, '']),
  ].join('\n');
}

/** How the fits behind the numbers ended, and which failed. */
export function endingsInWords(endings) {
  const statuses = new Map();
  for (const [, how] of endings) {
    const status = how.split(' ')[0];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const failed = failedAmong(endings).map((text) => ` Failed: ${text}`);
  return `Fits behind these numbers: ${[...statuses].map(([status, count]) => `${count} ${status}`).join(', ')}.${failed.join('')}`;
}

/** A sentence for each fit that failed. */
export const failedAmong = (endings) =>
  endings.filter(([, how]) => how.startsWith('failed')).map(([key, how]) => `${key === '' ? '' : `${key}, `}${how}`);

const counts = (builds) => [...builds].map(([commit, count]) => `${count} at ${commit || 'no commit'}`).join(', ');
