import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Processor, system and versions, as plain data. */
export function describeMachine(native, peers) {
  const processors = cpus();
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    latentfield: [version, commit('rev-parse', '--short', 'HEAD')].filter(Boolean).join(' '),
    ...(native && { native: `${native.version} (${native.library})` }),
    ...peers?.versions,
  };
}

/** A checksum of the answers that `npm run proof` has recorded, which change with numbers and not with form. */
export function checksumOfAnswers() {
  const recorded = JSON.parse(readFileSync(new URL('../scripts/proof/proof.json', import.meta.url), 'utf8'));
  const answers = Object.entries(recorded)
    .filter((entry) => entry[1].answers !== undefined)
    .map(([name, record]) => [name, record.answers])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(answers)).digest('hex').slice(0, 16);
}

/** Path of the newest saved report: names begin with the date. */
export function newestReport() {
  const folder = new URL('results/', import.meta.url);
  return fileURLToPath(new URL(readdirSync(folder).sort().at(-1), folder));
}

/** A short name for files: processor and number of cores. */
export function machineName({ cpu, cores }) {
  const words = cpu
    .toLowerCase()
    .replaceAll(/\((r|tm)\)|processor|cpu|@.*/g, ' ')
    .match(/[a-z0-9]+/g);
  return [...(words ?? ['unknown']), `${cores}cores`].join('-');
}

/** The last commit that changed the library's source; '' where there is none. */
export const sourceCommit = () => commit('log', '-1', '--format=%h', '--', 'src');

/** A commit by name, and whether the source has changes since; '' where there is none. */
function commit(...asked) {
  try {
    const git = (...given) =>
      execFileSync('git', given, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const changed = git('status', '--porcelain', '--', 'src').trim() === '' ? '' : ' with changes';
    return `${git(...asked).trim()}${changed}`;
  } catch {
    return '';
  }
}
