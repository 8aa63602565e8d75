// All checks, each with its seconds; ends with `N passed, N failed` alone on the last line: tests count one by one, by the closing
// lines of their runs, and every other step counts as one. A step that fails does not keep the others from running, unless they
// need what it makes. Steps that keep one processor busy run side by side, one more than processors: some wait for other processes and for
// servers. Each is printed when it ends.
//
//   bash .ci/run [STEP…]        (only the steps whose names contain one of these words)
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'latentfield-ci-'));
const wanted = process.argv.slice(2);
// Colors would hide the counts from programs that read this as plain text.
const plain = { ...process.env, NO_COLOR: '1' };

/** Tests that depend on linear algebra, repeated on each engine: conformance, values, gradients, failures, a fit of each kind, a resumed one. */
const ENGINE_TESTS = `
  engine/native engine/tensors/linearAlgebra engine/dense/eigenpairsOnEngines engine/dense/topEigenpairs
  kernels/gpyKernels kernels/radialGramMatrix kernels/fusedOperations kernels/thinPlateSpline
  latents/gplrf latents/gpyBackConstraints priors/latentPriors fields/boundedNewton
  inference/resume inference/fitSteps inference/engine.isolated
  models/engines models/gpyGplvm models/fit.test models/missing models/project.test models/family
  models/field/reference models/spectral/reference`
  .trim()
  .split(/\s+/)
  .map((path) => `test/${path}`);
const tests = readdirSync(join(root, 'test'), { recursive: true }).map((path) => `test/${path}`);
for (const path of ENGINE_TESTS) {
  if (!tests.some((test) => test.endsWith('.test.ts') && test.startsWith(path)))
    throw new Error(`There is no ${path}: ENGINE_TESTS names it.`);
}

// koffi is an optional peer, so it goes into a separate folder. One thread each: tests run side by side.
const nativeEngine = {
  LATENTFIELD_ENGINE: 'native',
  OPENBLAS_NUM_THREADS: '1',
  VITEST_MAX_WORKERS: '1',
  NODE_PATH: join(place, 'node_modules'),
};
const node = (script, ...args) => [process.execPath, join('scripts', script), ...args];
const npx = (...args) => ['npx', '--no-install', ...args];
const script = (...args) => [process.execPath, ...args];
// Each module is transformed once, by the first run of tests.
const vitest = (...args) => npx('vitest', 'run', '--experimental.fsModuleCache', ...args);
const onEngine = [vitest('--tags-filter=!long', ...ENGINE_TESTS)];
const steps = [
  { name: 'prepare', run: [node('prepare.mjs')], isNeeded: true },
  // Waits for the network.
  { name: 'packages', run: packages(), isBeside: true },
  { name: 'types', run: [npx('tsc', '-p', 'tsconfig.json')], isBeside: true },
  { name: 'lint', run: [npx('biome', 'check', '.')], isBeside: true },
  { name: 'prose', run: [node('checkProse.mjs')], isBeside: true },
  { name: 'imports', run: [npx('depcruise', '--config', '.dependency-cruiser.cjs', 'src')], isBeside: true },
  // As anybody runs them: koffi is not there, so in WebAssembly, and before the build.
  { name: 'tests', run: [['npm', 'test']], counts: true },
  // The types have been checked.
  { name: 'build', run: [node('build.mjs', '--unchecked')], isNeeded: true },
  // The documents and the reference, whose warnings are errors, and the playground.
  { name: 'site', run: [node('buildSite.mjs')], isBeside: true },
  { name: 'bundlers', run: [node('checkBundlers.mjs')], isBeside: true },
  // Tests of pages and of built files among them.
  { name: 'tests: long', run: [vitest('--tags-filter=long')], counts: true },
  // Longest first.
  { name: 'commands', run: [node('checkCommands.mjs')], isBeside: true },
  { name: 'attacks', run: [script('attacks/run.mjs', '--quick')], isBeside: true },
  // Without ../shared it names the reproductions that it leaves out.
  {
    name: 'reproductions',
    run: [script('bench/reproductions/run.mjs', '--all', '--quick', '--check')],
    isBeside: true,
  },
  {
    name: 'engine typescript: tests',
    run: onEngine,
    env: { LATENTFIELD_ENGINE: 'typescript', VITEST_MAX_WORKERS: '1' },
    counts: true,
    isBeside: true,
  },
  { name: 'engine native: tests', run: onEngine, env: nativeEngine, counts: true, isBeside: true },
  // Its checks do not depend on load.
  {
    name: 'benchmark',
    run: [['bash', '-c', 'set -o pipefail; node bench/run.mjs --short --json | node bench/checkReport.mjs']],
    env: { NODE_PATH: nativeEngine.NODE_PATH },
    isBeside: true,
  },
  {
    name: 'benchmarks of today',
    run: [script('bench/checkAge.mjs'), script('bench/show.mjs', '--check')],
    isBeside: true,
  },
  // The same bits on Node 20, 22, 24, 26, Bun, Deno and in Chromium; names those that it could not get.
  { name: 'runtimes', run: [node('checkRuntimes.mjs')], isBeside: true },
  { name: 'documents', run: [node('checkDocuments.mjs')], isBeside: true },
  { name: 'cards', run: [node('modelCards.mjs', '--check')], isBeside: true },
  {
    name: 'reference',
    run: [node('commandReference.mjs', '--check'), node('cheatSheet.mjs', '--check')],
    isBeside: true,
  },
  // The numbers of docs/project/inference.md that do not depend on the machine.
  {
    name: 'batches',
    run: [
      script('bench/minibatches.mjs', '--check', '--sizes', '12500'),
      script('bench/minibatches.mjs', '--check', '--usps', '--sizes', '9298'),
    ],
    isBeside: true,
  },
  { name: 'package', run: [node('checkPackage.mjs')], isBeside: true },
  { name: 'numbers of the house', run: [node('houseNumbers.mjs')], isBeside: true },
  { name: 'dependencies', run: [node('checkDependencies.mjs', '--sbom', join(place, 'sbom.json'))], isBeside: true },
  { name: 'sizes', run: [node('checkSizes.mjs')], isBeside: true },
  { name: 'demo', run: [node('demo.mjs', '--max-iterations', '30', '--out', join(place, 'demo'))], isBeside: true },
];

const counts = { passed: 0, failed: 0, skipped: 0 };
const lines = [];
let isStopped = false;
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isStopped = true;
    for (const child of children) child.kill(signal);
  });
}
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

const waiting = steps.filter(
  ({ name, isNeeded }) => wanted.length === 0 || isNeeded || wanted.some((word) => name.includes(word)),
);
while (waiting.length > 0) {
  const end = waiting.findIndex(({ isBeside }) => !isBeside);
  if (end === 0) await taken([waiting.shift()]);
  else {
    const group = waiting.splice(0, end < 0 ? waiting.length : end);
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, () => taken(group)));
  }
}
if (counts.passed === 0) counts.failed ||= 1;
console.log(`\nSeconds of each step:\n${lines.join('\n')}\n`);
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** Takes one step after another from the list, until none is left. */
async function taken(list) {
  for (let step = list.shift(); step !== undefined; step = list.shift()) {
    const { name, isBeside, isNeeded } = step;
    if (isStopped) {
      finish(name, { failed: 1 }, 'did not run');
      continue;
    }
    const heldBack = isBeside ? [] : undefined;
    if (!isBeside) console.log(`\n== ${name}`);
    const began = performance.now();
    const outcome = await outcomeOf(step, heldBack);
    if (isBeside) process.stdout.write(`\n== ${name}\n${Buffer.concat(heldBack)}`);
    finish(name, outcome, `${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (isNeeded && outcome.failed > 0) isStopped = true;
  }
}

function finish(name, outcome, how) {
  for (const key of Object.keys(counts)) counts[key] += outcome[key] ?? 0;
  const line = `${name}: ${how}${outcome.failed > 0 ? ', FAILED' : ''}`;
  console.log(`== ${line}`);
  lines.push(`  ${line}`);
}

/** The counts of the closing line of a run of tests; 1 passed or 1 failed for anything else. */
async function outcomeOf({ run, env, counts: isCounted = false }, heldBack) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const [command, ...args] of run) {
    const { status, lastLine } = await printed(command, args, { ...plain, ...env }, heldBack);
    const found = isCounted ? /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(lastLine) : null;
    if (found !== null) {
      total.passed += Number(found[1]);
      total.failed += Number(found[2]);
      total.skipped += Number(found[3] ?? 0);
    }
    if (status !== 0 || (isCounted && found === null)) {
      total.failed ||= 1;
      break;
    }
  }
  if (!isCounted && total.failed === 0) total.passed = 1;
  return total;
}

/** Runs a command, shows its output at once unless it is buffered, and returns how it ended and its last line. */
function printed(command, args, env, heldBack) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', heldBack ? 'pipe' : 'inherit'] });
  children.add(child);
  let tail = '';
  child.stdout.on('data', (chunk) => {
    if (heldBack) heldBack.push(chunk);
    else process.stdout.write(chunk);
    tail = (tail + chunk).slice(-10_000);
  });
  child.stderr?.on('data', (chunk) => heldBack.push(chunk));
  return new Promise((resolve) => {
    child.on('error', () => resolve({ status: 127, lastLine: '' }));
    child.on('close', (status) => resolve({ status, lastLine: tail.trimEnd().split('\n').at(-1) }));
  }).finally(() => children.delete(child));
}

/** Installs missing servers, a browser, a BLAS and the package that calls it, where allowed. Tests that still lack one of them name it. */
function packages() {
  const missing = Object.entries({
    'redis-server': ['/usr/bin/redis-server', '/usr/local/bin/redis-server'],
    chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    'libopenblas0-pthread': ['/usr/share/doc/libopenblas0-pthread'],
  }).filter(([, places]) => !places.some((path) => existsSync(path)));
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  const debian = [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-y', '-qq', ...missing.map(([name]) => name)],
  ];
  return [
    ...(mayInstall && missing.length > 0 ? debian : []),
    ['npm', 'install', '--prefix', place, '--no-audit', '--no-fund', '--silent', 'koffi@3'],
  ];
}
