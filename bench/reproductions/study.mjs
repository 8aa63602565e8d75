import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/** A checksum of the built library: what other code computed is not taken for its own. */
function checksumOfLibrary() {
  const hash = createHash('sha256');
  const files = readdirSync(DIST, { recursive: true }).filter((file) => file.endsWith('.js'));
  for (const file of files.sort()) hash.update(readFileSync(join(DIST, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * One reproduction as it is computed: values by name, each kept in a file as soon as it is there, so that an interrupted run goes on where it
 * was; tables and figures from them.
 */
export function openStudy(name, { quick, memory, fresh }) {
  const file = join(memory, `${name}${quick ? '.quick' : ''}.json`);
  const checksum = checksumOfLibrary();
  const earlier = !fresh && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const cells = earlier?.checksum === checksum ? earlier.cells : {};
  const outcome = { tables: [], figures: [], notes: [] };
  const save = () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.part`, JSON.stringify({ checksum, cells }));
    renameSync(`${file}.part`, file);
  };
  return {
    quick,
    outcome,
    /** CPU seconds of all cells, those computed before an interruption included. */
    seconds: () => Object.values(cells).reduce((sum, cell) => sum + cell.seconds, 0),
    /** The value with this name: plain JSON, computed unless it is there. */
    async cell(key, compute) {
      if (cells[key] === undefined) {
        const before = process.cpuUsage();
        const value = await compute();
        const { user, system } = process.cpuUsage(before);
        cells[key] = { value, seconds: (user + system) / 1e6 };
        save();
        console.error(`${name}: ${key} (${cells[key].seconds.toFixed(1)} CPU s)`);
      }
      return cells[key].value;
    },
    /** CPU seconds that the cells took whose name begins so. */
    secondsOf: (prefix) =>
      Object.entries(cells).reduce((sum, [key, cell]) => sum + (key.startsWith(prefix) ? cell.seconds : 0), 0),
    /** @param timed - columns that hold seconds: they are printed, and not compared with those of another run */
    table: (title, head, rows, { timed = [] } = {}) =>
      outcome.tables.push({ title, head, rows: rows.map((row) => row.map(String)), timed }),
    figure: async (file, svg, caption) => outcome.figures.push({ file, svg: await svg, caption }),
    note: (text) => outcome.notes.push(text),
  };
}

/** Tables as text in columns. */
export function asText({ title, head, rows }) {
  const all = [head, ...rows];
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  const line = (row) => row.map((text, c) => (c === 0 ? text.padEnd(widths[c]) : text.padStart(widths[c]))).join('  ');
  return [title, ...all.map(line), ''].join('\n');
}

/** What a reproduction came to as a page. */
export function asMarkdown({ name, title, source }, { tables, figures, notes }, { machine, seconds }) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const table = ({ title: of, head, rows }) =>
    [`## ${of}`, '', row(head), row(head.map(() => '---')), ...rows.map(row), ''].join('\n');
  return [
    `# ${title}`,
    '',
    `${source}. Made by \`npm run reproduce -- ${name}\`: ${Math.round(seconds)} CPU seconds on ${machine}.`,
    '',
    ...notes.flatMap((note) => [note, '']),
    ...tables.map(table),
    ...figures.flatMap(({ file, caption }) => [`![${caption}](${file})`, '']),
  ].join('\n');
}

/** Where two outcomes of one reproduction differ, in words. */
export function differences(stored, tables) {
  if (stored === undefined) return ['nothing is stored'];
  const found = [];
  tables.forEach(({ title, head, rows, timed }, t) => {
    const other = stored[t];
    if (other?.title !== title || other.rows.length !== rows.length) {
      found.push(`table '${title}' has another shape`);
      return;
    }
    rows.forEach((row, r) => {
      row.forEach((text, c) => {
        if (timed.includes(head[c]) || other.rows[r][c] === text) return;
        found.push(`${title}, ${row[0]}, ${head[c]}: ${text}, stored ${other.rows[r][c]}`);
      });
    });
  });
  return found;
}
