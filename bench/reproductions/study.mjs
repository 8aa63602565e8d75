import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceCommit } from '../machine.mjs';
import { endings } from './data.mjs';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/** A checksum of the built library: what other code computed is not taken for its own. */
function checksumOfLibrary() {
  const hash = createHash('sha256');
  const files = readdirSync(DIST, { recursive: true }).filter((file) => file.endsWith('.js'));
  for (const file of files.sort()) hash.update(readFileSync(join(DIST, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Thrown by a study whose time is up: what it has so far is shown, and the same command continues from there. */
export class TimeIsUp extends Error {}

/**
 * One reproduction as it is computed: values by name, each kept in a file as soon as it is there, so that an interrupted run continues where it
 * was; tables and figures from them.
 *
 * @param seconds - CPU seconds after which no further value is begun
 * @param earlier - whether values that earlier builds computed are taken too; `builds` names them
 * @param only - values whose names do not match are not computed
 */
export function openStudy(name, { quick, memory, fresh, seconds = Infinity, earlier = false, only }) {
  const file = join(memory, `${name}${quick ? '.quick' : ''}.json`);
  const checksum = checksumOfLibrary();
  const build = sourceCommit();
  const stored = !fresh && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cells : {};
  const cells = Object.fromEntries(Object.entries(stored).filter(([, cell]) => earlier || cell.checksum === checksum));
  const outcome = { tables: [], figures: [], notes: [] };
  let spent = 0;
  endings.length = 0;
  const save = () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.part`, JSON.stringify({ cells }));
    renameSync(`${file}.part`, file);
  };
  return {
    quick,
    outcome,
    /** How the fits ended, with the name of the value that they are behind; those outside of values have ''. */
    endings: () => [
      ...Object.entries(cells).flatMap(([key, cell]) => (cell.endings ?? []).map((how) => [key, how])),
      ...endings.map((how) => ['', how]),
    ],
    /** CPU seconds of all cells, those computed before an interruption included. */
    seconds: () => Object.values(cells).reduce((sum, cell) => sum + cell.seconds, 0),
    /** The value with this name: plain JSON, computed unless it is there. */
    async cell(key, compute) {
      if (cells[key] === undefined) {
        if (spent >= seconds) throw new TimeIsUp(`Its time is up before '${key}'.`);
        const before = process.cpuUsage();
        const first = endings.length;
        const value = await compute();
        const { user, system } = process.cpuUsage(before);
        cells[key] = { value, seconds: (user + system) / 1e6, checksum, build, endings: endings.splice(first) };
        spent += cells[key].seconds;
        save();
        console.error(`${name}: ${key} (${cells[key].seconds.toFixed(1)} CPU s)`);
      }
      return cells[key].value;
    },
    /** Whether the value with this name is there, or would be computed. */
    isChosen: (key) => cells[key] !== undefined || only === undefined || only.test(key),
    /** The commits whose builds computed the values, and how many. */
    builds() {
      const counts = new Map();
      for (const { build: one } of Object.values(cells)) counts.set(one, (counts.get(one) ?? 0) + 1);
      return counts;
    },
    /** CPU seconds that the cells took whose name begins so. */
    secondsOf: (prefix) =>
      Object.entries(cells).reduce((sum, [key, cell]) => sum + (key.startsWith(prefix) ? cell.seconds : 0), 0),
    /**
     * @param rows - may grow afterwards: a study that runs out of time shows what it has
     * @param timed - columns of seconds: they are printed, and not compared with another run
     */
    table: (title, head, rows, { timed = [] } = {}) => outcome.tables.push({ title, head, rows, timed }),
    figure: async (file, svg, caption) => outcome.figures.push({ file, svg: await svg, caption }),
    note: (text) => outcome.notes.push(text),
  };
}
