// Packs the package, installs the tarball into an empty project, imports every entry point there, fits a toy model with it, saves
// and loads it, type-checks programs against its declarations, and runs the one of docs/custom-components.md. Its dependencies must be small and run no scripts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { programOf } from './documents/programOf.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'latentfield-package-'));

function run(command, args, cwd = project) {
  const { status, stdout } = spawnSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(`${stdout}\n${command} ${args.join(' ')} ended with ${status}\n`);
    process.exit(status ?? 1);
  }
  return stdout;
}

/** Every package of the installed tree: none has a script that npm runs on installation, and together they are not large. */
function checkInstalled(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const scripted = files
    .filter(({ name, parentPath }) => name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/]+$/.test(parentPath))
    .filter(({ parentPath }) => {
      const { scripts = {} } = JSON.parse(readFileSync(join(parentPath, 'package.json'), 'utf8'));
      return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
    });
  const megabytes = files.reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
  process.stdout.write(`installed: ${megabytes.toFixed(0)} MB of ${MOST_MEGABYTES}\n`);
  if (scripted.length === 0 && megabytes <= MOST_MEGABYTES) return;
  process.stderr.write(
    `Too large, or scripts run on installation: ${scripted.map(({ parentPath }) => parentPath).join(', ')}\n`,
  );
  process.exit(1);
}

/** Types must resolve, and match the code, for every resolution of ES modules; CommonJS and tools without exports are not supported. */
async function checkTypes(packed) {
  const { problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(packed))));
  const found = problems.filter(({ resolutionKind }) => resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs');
  process.stdout.write(`types by attw: ${found.length} problems\n`);
  if (found.length === 0) return;
  process.stderr.write(`${JSON.stringify(found, undefined, 2)}\n`);
  process.exit(1);
}

const MOST_MEGABYTES = 75;
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// Those for pages do not run in Node: test/browser loads them.
const entries = Object.entries(exports).flatMap(([entry, to]) =>
  typeof to === 'string' || to.default.startsWith('./dist/browser/') ? [] : [entry],
);

const program = `
import assert from 'node:assert/strict';
import { add, bias, fit, gplvm, loadFit, rbf } from 'latentfield';
import { pipeFlow } from 'latentfield/data';

const { observations } = pipeFlow({ points: 40, seed: 1 });
const result = await fit(gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()) }), { maxIterations: 20, seed: 1 });
assert.equal(result.latents.rows, 40);
assert.ok(result.objective > result.trace[0].objective + 50, 'the fit has got somewhere');
const shared = { maxIterations: 5, restarts: 1, seed: 1 };
const small = () => gplvm(observations, { latentDim: 2 });
const [alone, inWorkers] = [await fit(small(), shared), await fit(small(), { ...shared, workers: 2 })];
assert.deepEqual(inWorkers.latents, alone.latents);
const X = [[0, 0], [1, -1]];
const again = loadFit(JSON.parse(JSON.stringify(result)));
assert.deepEqual(again.predict(X), result.predict(X));
for (const entry of ${JSON.stringify(entries)}) {
  const names = Object.keys(await import(entry.replace('.', 'latentfield')));
  assert.ok(names.length > 0, entry);
}
const { redisTransport } = await import('latentfield/queue');
await assert.rejects(redisTransport({ connection: 'redis://127.0.0.1' }), /npm install bullmq ioredis/);
console.log('objective', result.objective);
`;
const typed = `
import { fit, gplvm, type Fit } from 'latentfield';
import * as op from 'latentfield/ops';
export const run = (Y: number[][]): Promise<Fit> => fit(gplvm(Y, { latentDim: 2 }));
export const double = (x: op.Tensor) => op.mul(x, 2);
`;

/** Tests of types that depend on the package only, which its declarations must pass as the sources do. */
function typeTests() {
  const tests = readdirSync(join(root, 'test'), { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const found = tests.filter((file) => {
    const code = readFileSync(join(root, 'test', file), 'utf8');
    const sources = Array.from(code.matchAll(/ from '([^']+)'/g), ([, source]) => source);
    return (
      /expectTypeOf|@ts-expect-error/.test(code) &&
      sources.every((source) => /^(vitest|latentfield(\/\w+)?)$/.test(source))
    );
  });
  return found.map((file, i) => {
    const name = `types${i}.test.ts`;
    writeFileSync(join(project, name), readFileSync(join(root, 'test', file)));
    return name;
  });
}

/** A program that exports everything there is once more, so that its own declarations have to name every type. */
async function exportedAgain() {
  const files = entries.map(async (entry, i) => {
    const path = join(project, 'node_modules/latentfield', exports[entry].default);
    const names = Object.keys(await import(path));
    const lines = names.map((name) => `export const own_${name} = { ...all }.${name};`);
    const file = `again${i}.ts`;
    const from = entry.replace('.', 'latentfield');
    writeFileSync(join(project, file), [`import * as all from '${from}';`, ...lines].join('\n'));
    return file;
  });
  return Promise.all(files);
}

/** Errors of the compiler in our declarations, for all entry points and with the strictest options; the declarations of TensorFlow.js have errors. */
async function checkDeclarations() {
  const all = entries.map((entry, i) => `export * as entry${i} from '${entry.replace('.', 'latentfield')}';`);
  writeFileSync(join(project, 'strict.ts'), `${typed}${all.join('\n')}\n`);
  const again = await exportedAgain();
  const declared = { ...compilerOptions, noEmit: false, declaration: true, outDir: 'compiled', skipLibCheck: false };
  const errors = compiled('strict', declared, ['strict.ts', ...again]);
  const tests = typeTests();
  const vitest = { vitest: [join(root, 'node_modules/vitest/dist/index.d.ts')] };
  const failed = compiled('tests', { ...compilerOptions, paths: vitest }, tests);
  const own = [...errors.filter((line) => /^(\w+\.ts|node_modules\/latentfield\/)/.test(line)), ...failed];
  process.stdout.write(
    `types under skipLibCheck false, ${again.length} entries exported again, ${tests.length} tests of types: ${own.length} errors, ` +
      `${errors.length + failed.length - own.length} of others\n`,
  );
  if (own.length === 0 && tests.length > 0) return;
  process.stderr.write(`${own.join('\n')}\n`);
  process.exit(1);
}

/**
 * The custom models and parts of docs/custom-components.md, as a user has them: with the package and TensorFlow.js only, whose layers one of
 * them uses. Compiled strictly and run.
 */
function runExtending() {
  const document = 'docs/custom-components.md';
  const [{ code, places }] = programOf(document, readFileSync(join(root, document), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@tensorflow/tfjs/package.json'), 'utf8'));
  // The version that is known to the cache.
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline', `@tensorflow/tfjs@${version}`]);
  writeFileSync(join(project, 'extending.ts'), code);
  const errors = compiled('extending', { ...compilerOptions, noEmit: false, outDir: 'extending' }, ['extending.ts']);
  if (errors.length > 0) {
    const named = errors.map((line) => line.replace(/^extending\.ts\((\d+),\d+\)/, (_, at) => places[Number(at) - 1]));
    process.stderr.write(`${named.join('\n')}\n`);
    process.exit(1);
  }
  run(process.execPath, [join('extending', 'extending.js')]);
  process.stdout.write(`${document}: ${code.split('\n').length} lines type-check and run\n`);
}

/** The errors of a compilation. */
function compiled(name, options, files) {
  const configuration = join(project, `${name}.json`);
  writeFileSync(
    configuration,
    JSON.stringify({ compilerOptions: { ...options, noUncheckedIndexedAccess: true }, files }),
  );
  const { stdout } = spawnSync(process.execPath, [typescript, '-p', configuration], { cwd: project, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => /error TS/.test(line));
}

// dist/ is brought up to date first, and is then packed as it is: prepack would build it again.
process.argv.push('--build');
await import('./prepare.mjs');
const tarball = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], root)
  .trim()
  .split('\n')
  .at(-1);
// The manifest compared with the files, by a linter of packages.
process.stdout.write(
  run('npx', ['--no-install', 'publint', 'run', join(project, tarball), '--level', 'warning', '--strict'], root),
);
await checkTypes(join(project, tarball));
writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
run('npm', ['install', '--no-audit', '--no-fund', '--silent', join(project, tarball)]);
checkInstalled(join(project, 'node_modules'));
writeFileSync(join(project, 'program.mjs'), program);
process.stdout.write(run(process.execPath, ['program.mjs']));
process.stdout.write(run(process.execPath, [join('node_modules', '.bin', 'latentfield'), '--version']));
writeFileSync(join(project, 'typed.ts'), typed);
const typescript = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const compilerOptions = {
  ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
  ...{ module: 'nodenext', target: 'es2022', types: [] },
};
writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
run(process.execPath, [typescript, '-p', 'tsconfig.json']);
await checkDeclarations();
runExtending();
rmSync(project, { recursive: true });
process.stdout.write('The packed package installs, imports, fits, saves, loads and type-checks.\n');
