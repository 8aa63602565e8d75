// The same bits: every kind of fit over processes, locales, time zones, threads, workers' counts and versions of Node.js, which come from npm.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childOf, lastJson, programOf } from './child.mjs';
import { savedModels } from './savedModels.mjs';

const HERE = [
  ['another process', {}, {}],
  ['a Turkish locale', { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' }, {}],
  ['a German locale in Kathmandu', { LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Kathmandu' }, {}],
  ['two threads', {}, { threads: 2 }],
  ['an environment that names another engine', { LATENTFIELD_ENGINE: 'typescript' }, {}],
  ['a smaller stack and heap', { NODE_OPTIONS: '--max-old-space-size=300' }, {}],
];
/** Versions of Node.js in addition to the running one: the binary packages that npm's package 'node' installs. */
const VERSIONS = [20, 22, 24, 26];

export async function attackDeterminism({ cases, report }) {
  const names = Object.keys(savedModels).slice(0, cases).join();
  const expected = await bitsOf(process.execPath, names, {}, {});
  for (const [what, env, options] of HERE)
    compare(what, expected, await bitsOf(process.execPath, names, env, options), report);
  if (cases < Object.keys(savedModels).length) return;
  for (const version of VERSIONS) await comparedTo(version, names, expected, report);
}

async function comparedTo(version, names, expected, report) {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-node-'));
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--prefix', folder];
    execFileSync('npm', ['install', ...flags, `${name}@${version}`], { stdio: 'pipe' });
    const program = join(folder, 'node_modules', name, 'bin', 'node');
    if (!existsSync(program)) return report.skip(`${name}@${version} contains no program`);
    const exact = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    compare(`Node.js ${exact}`, expected, await bitsOf(program, names, {}, {}), report);
  } catch (error) {
    report.skip(`Node.js ${version} cannot be installed here: ${String(error.message).split('\n')[0]}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bitsOf(program, names, env, options) {
  const child = await childOf([program, programOf('job.mjs'), 'bits', names, JSON.stringify(options)], { env });
  return lastJson(child) ?? { failed: child.stderr.slice(-400) };
}

function compare(what, expected, found, report) {
  if (found.failed !== undefined || expected.failed !== undefined) {
    return report.fail(what, found.failed ?? expected.failed);
  }
  const other = Object.keys(expected).filter((name) => found[name] !== expected[name]);
  if (other.length > 0) report.fail(what, `other bits of ${other.join(', ')}`);
  report.count(`models with the same bits in ${what}`, Object.keys(expected).length - other.length);
}
