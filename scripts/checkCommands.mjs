// Runs every command of README.md, docs/*.md and docs/project/*.md, each document's in a separate empty folder, with the packed package; prints a table
// of them, and fails when one ends in an error. Commands that need a service are listed with the reason, and must at least exist.
//
//   npm run check:commands
//   npm run check:commands -- README.md docs/pages-and-notebooks.md
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineOf } from './documents/programOf.mjs';

const LONGEST_SECONDS = 180;
const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'latentfield-commands-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

/** Commands that are not run here, and why; `exists` is true if the named program exists. */
const NOT_RUN = [
  {
    pattern: /^npm (?:run |test\b)/,
    reason: 'of a clone of the repository',
    exists: (command) => Object.hasOwn(scripts, /^npm (?:run )?([\w:]+)/.exec(command)[1]),
  },
  {
    pattern: /^node (?:bench|scripts|attacks)\//,
    reason: 'of a clone of the repository',
    exists: (command) => existsSync(join(root, /^node (\S+)/.exec(command)[1])),
  },
  { pattern: /^npm (?:pack|ci)\b/, reason: 'of a clone of the repository', exists: () => true },
  { pattern: /^(?:sudo )?apt-get /, reason: 'installs packages of the system', exists: () => true },
  {
    pattern: /^docker /,
    reason: 'needs Docker and Redis',
    exists: (command) => existsSync(join(root, / -f (\S+)/.exec(command)[1])),
  },
  {
    pattern: /^LATENTFIELD_REDIS=\S+ latentfield worker/,
    reason: 'needs a Redis server: test/app/queue',
    exists: areKnown,
  },
  { pattern: /^npm bugs /, reason: 'opens a page of the network', exists: () => true },
  // Parts of commands, in sentences.
  { pattern: /…|^(?:npx )?latentfield \w+(?: --\w+| [A-Z]+)?$/, reason: 'names a command', exists: areKnown },
];

/** The packed package, which is not on npm. */
const PACKAGE = /^npm install \.\.\/latentfield\/latentfield-[\d.]+\.tgz$/;

const files = ['docs', 'docs/project'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : ['README.md', ...files];

process.argv.push('--build');
await import('./prepare.mjs');
// dist/ is up to date, and packed as it is: prepack would build it again.
const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place], {
  cwd: root,
  encoding: 'utf8',
});
const tarball = join(place, packed.stdout.trim().split('\n').at(-1));
const installed = join(place, 'installed');
mkdirSync(installed);
closed(installed);
const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline', tarball], {
  cwd: installed,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

/** Folders where npx has found the program: it takes longer to find it than many commands take. */
const found = new Set();
const rows = [];
for (const file of chosen) {
  const text = readFileSync(join(root, file), 'utf8');
  const commands = commandsOf(text);
  const isRun = commands.some(({ command }) => NOT_RUN.every(({ pattern }) => !pattern.test(command)));
  const folder = isRun ? folderFor(file, text) : undefined;
  for (const { command, line } of commands) {
    const outcome = await outcomeOf(command, folder);
    rows.push({ where: `${file}:${line}`, command, ...outcome });
    if (outcome.isFailure) console.error(`${file}:${line}: ${command}\n${outcome.told}`);
  }
}
console.log('| where | command | outcome |\n| --- | --- | --- |');
for (const { where, command, said } of rows) {
  console.log(`| ${where} | \`${command.replaceAll('|', '\\|')}\` | ${said} |`);
}
const count = (is) => rows.filter(is).length;
const failed = count(({ isFailure }) => isFailure);
console.log(
  `\n${rows.length} commands: ${count(({ hasRun }) => hasRun)} ran to their end, ${count(({ isLeft }) => isLeft)} are listed with the reason, ${failed} failed`,
);
process.exit(failed > 0 || rows.length === 0 ? 1 : 0);

/** Keeps npm from installing into a folder above, if one of them contains a package. */
function closed(folder) {
  writeFileSync(join(folder, 'package.json'), '{}');
}

/** The commands of a document, in its order: lines of `sh` blocks, and text in `code` that begins like a command. */
function commandsOf(text) {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(({ 1: block, index }) =>
    block
      .split('\n')
      .map((line, i) => ({ command: line.replace(/\s+#.*$/, '').trim(), line: lineOf(text, index) + 1 + i })),
  );
  const spans = /`((?:npx latentfield|latentfield|npm (?:install|run|test|pack|bugs)|node \w+\/|docker) ?[^`\n]*)`/g;
  const isCommand = ({ command }) => command !== '' && !/^latentfield(?:\/|\.|$)/.test(command);
  const inline = [...text.matchAll(spans)].map(({ 1: command, index }) => ({ command, line: lineOf(text, index) }));
  return [...blocks, ...inline].filter(isCommand).sort((a, b) => a.line - b.line);
}

/**
 * A folder that is empty except for files that the document's programs would have left there (`Saved as …`) and, unless it describes how to make them,
 * the example tables and the package.
 */
function folderFor(file, text) {
  const folder = join(place, file.replace(/\W/g, '_'));
  mkdirSync(folder);
  for (const { 1: code, 2: name } of text.matchAll(/^```ts\n((?:(?!^```)[\s\S])*)^```\n\nSaved as `(\S+)`/gm)) {
    writeFileSync(join(folder, name), code);
  }
  if (file === 'README.md') {
    closed(folder);
    return folder;
  }
  cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  spawnSync(process.execPath, [join(folder, 'node_modules/latentfield/examples/tables.mjs')], { cwd: folder });
  const spec = /^ {2}sweep\(\n {4}(\{[\s\S]*?\n {4}\}),/m.exec(text)?.[1];
  if (spec !== undefined) {
    const [header, ...lines] = readFileSync(join(folder, 'data.csv'), 'utf8').trim().split('\n');
    writeFileSync(
      join(folder, 'table.csv'),
      [header, ...lines.slice(0, 20)].map((line) => `${line.split(',').slice(0, 5)}\n`).join(''),
    );
    writeFileSync(join(folder, 'spec.json'), JSON.stringify(new Function(`return ${spec}`)()));
  }
  return folder;
}

async function outcomeOf(command, folder) {
  const kept = NOT_RUN.find(({ pattern }) => pattern.test(command));
  if (kept !== undefined) {
    const isThere = kept.exists(command);
    return isThere
      ? { isLeft: true, said: `not run: ${kept.reason}` }
      : { isFailure: true, said: 'FAILED', told: 'There is no such command.' };
  }
  const began = performance.now();
  const { code, told } = await ended(withoutNpx(command, folder).replace(PACKAGE, `npm install ${tarball}`), folder);
  const said = `${code === 0 ? '0' : `FAILED: ${code}`}, ${((performance.now() - began) / 1000).toFixed(1)} s`;
  return { isFailure: code !== 0, hasRun: code === 0, said, told };
}

/** The command, without npx where npx has found the same program before. */
function withoutNpx(command, folder) {
  if (!command.startsWith('npx latentfield ')) return command;
  if (found.has(folder)) return command.slice('npx '.length);
  found.add(folder);
  return command;
}

/** Runs a command as a shell does. A command that serves a page receives a request and then Ctrl-C, and must end with 130. */
async function ended(command, folder) {
  const { LATENTFIELD_ENGINE, LATENTFIELD_THREADS, ...environment } = process.env;
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: folder,
    // As after `npm install --global`, for commands without npx.
    env: {
      ...environment,
      NO_COLOR: '1',
      npm_config_yes: 'false',
      PATH: `${join(folder, 'node_modules/.bin')}:${environment.PATH}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let told = '';
  let page;
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LONGEST_SECONDS * 1000);
  const listen = (text) => {
    told += text;
    const url = /^http:\/\/127\.0\.0\.1:\d+\/\S*$/m.exec(told)?.[0];
    if (url === undefined || page !== undefined) return;
    page = fetch(url)
      .then(async (answer) => answer.ok && /<html/.test(await answer.text()))
      .finally(() => process.kill(-child.pid, 'SIGINT'));
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  const [code, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
  clearTimeout(timer);
  const isServed = page !== undefined && (await page) && (code === 130 || signal === 'SIGINT');
  return { code: isServed ? 0 : (code ?? signal), told };
}

/** Whether the command line knows the command, and each of its flags. */
function areKnown(command) {
  const [, name] = /latentfield (\w+)/.exec(command);
  const program = join(installed, 'node_modules/latentfield/dist/app/cli/main.js');
  const { stdout, status: end } = spawnSync(process.execPath, [program, name, '--help'], { encoding: 'utf8' });
  return end === 0 && [...command.matchAll(/ (--[a-z-]+)/g)].every(([, flag]) => stdout.includes(flag));
}
