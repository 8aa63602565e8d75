// Puts one fault at a time into a copy of the sources and runs the tests that should notice it.
//
//   npm run mutate [-- --only TEXT] [--check] [--list]
//
// The faults are in scripts/mutants/: each names a file, a text of it and what to put there, and the tests that must then fail.
// --only takes the mutants whose file or text holds TEXT, or one of several between commas; --check only looks whether each text is there, once, and the tests too.
// Exit code 1 when fewer than 95 % are noticed, and when the list does not fit the sources: a text that is not found or found
// twice, a test that is not there, a fault that does not compile, tests that fail without any.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const WORKERS = 2;
/** Of tests that take seconds: a fault that makes them last this long has been noticed. */
const MOST_SECONDS = 180;
const WANTED = 0.95;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { only: { type: 'string' }, check: { type: 'boolean' }, list: { type: 'boolean' } },
});

const folder = new URL('mutants/', import.meta.url);
const words = options.only?.split(',');
const isCompiled = ({ file }) => file.includes('/assembly/');
const groups = (
  await Promise.all(readdirSync(folder).map(async (name) => (await import(new URL(name, folder).href)).default))
).flat();
const mutants = groups
  .flatMap(({ file, tests, faults }) => faults.map(([text, fault]) => ({ file, tests: [tests].flat(), text, fault })))
  .filter(({ file, text }) => words === undefined || words.some((word) => file.includes(word) || text.includes(word)))
  // What is compiled anew takes longest: last.
  .sort((a, b) => Number(isCompiled(a)) - Number(isCompiled(b)));

const lost = mutants.flatMap(({ file, tests, text, fault }) => {
  const path = join(root, file);
  if (!existsSync(path)) return [`${file} is not there`];
  const found = readFileSync(path, 'utf8').split(text).length - 1;
  const absent = tests.filter((test) => !existsSync(join(root, test)));
  return [
    ...(found === 1 ? [] : [`${file}: found ${found} times, must be once: ${oneLine(text)}`]),
    ...(text === fault ? [`${file}: changes nothing: ${oneLine(text)}`] : []),
    ...absent.map((test) => `${file}: its test ${test} is not there`),
  ];
});
if (lost.length > 0) fail('The list of mutants does not fit the sources', [...new Set(lost)]);
if (mutants.length === 0) fail('There are no mutants', [`none holds '${options.only}'`]);
if (options.list)
  for (const { file, text, fault } of mutants) console.log(`${file}: ${oneLine(text)} → ${oneLine(fault)}`);
if (options.check || options.list) {
  console.log(`${mutants.length} mutants, all of them where the list says.`);
  process.exit(0);
}

const place = mkdtempSync(join(tmpdir(), 'latentfield-mutants-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const copies = Array.from({ length: WORKERS }, (_, number) => copyOf(join(place, `${number}`, 'library')));

const began = performance.now();
const allTests = [...new Set(mutants.flatMap(({ tests }) => tests))].sort();
const half = Math.ceil(allTests.length / WORKERS);
const baselines = await Promise.all(
  copies.map((copy, number) => testsIn(copy, allTests.slice(number * half, (number + 1) * half), 20)),
);
for (const { outcome, output } of baselines) {
  if (outcome !== 'survived') fail('Tests fail without any fault', [output.slice(-4000)]);
}
console.log(`${allTests.length} files of tests pass without a fault, in ${secondsSince(began)} s.`);

const waiting = [...mutants.entries()];
const survivors = [];
const unusable = [];
await Promise.all(
  copies.map(async (copy) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [number, mutant] = next;
      const from = performance.now();
      const { outcome, output } = await tried(copy, mutant);
      console.log(
        `${`${number + 1}`.padStart(3)} ${outcome.padEnd(8)} ${secondsSince(from).padStart(5)} s  ${mutant.file}: ${oneLine(mutant.text)} → ${oneLine(mutant.fault)}`,
      );
      if (outcome === 'survived') survivors.push(mutant);
      if (outcome === 'unusable') unusable.push(`${mutant.file}: ${oneLine(mutant.fault)}\n${output.slice(-1500)}`);
    }
  }),
);
if (unusable.length > 0) fail('These faults do not compile', unusable);
const killed = mutants.length - survivors.length;
if (survivors.length > 0) {
  console.log('\nNobody noticed:');
  for (const { file, tests, text, fault } of survivors) {
    console.log(`  ${file}: ${oneLine(text)} → ${oneLine(fault)}  (${tests.join(', ')})`);
  }
}
console.log(
  `\n${killed} of ${mutants.length} mutants killed (${((100 * killed) / mutants.length).toFixed(1)} %), in ${secondsSince(began)} s.`,
);
process.exitCode = killed >= WANTED * mutants.length ? 0 : 1;

/** What is under version control, and what is generated from it, as it lies here. */
function copyOf(target) {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const generated = [
    'src/numerics/wasm/engineModule.ts',
    'src/numerics/wasm/threadedEngineModule.ts',
    'src/tensors/stockGradients.ts',
  ];
  for (const file of [...stdout.toString().split('\0'), ...generated]) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file), { preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  const shared = join(root, '../shared');
  if (existsSync(shared)) symlinkSync(shared, join(target, '../shared'));
  return target;
}

async function tried(copy, { file, tests, text, fault }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  // Found once: what `fault` holds of `$` means itself.
  writeFileSync(
    path,
    source.replace(text, () => fault),
  );
  try {
    if (isCompiled({ file })) {
      const { status, stderr } = spawnSync(process.execPath, ['scripts/buildWasm.mjs', '--force', '--unthreaded'], {
        cwd: copy,
      });
      if (status !== 0) return { outcome: 'unusable', output: stderr.toString() };
    }
    return await testsIn(copy, tests, 1);
  } finally {
    writeFileSync(path, source);
    if (isCompiled({ file })) {
      const module = 'src/numerics/wasm/engineModule.ts';
      cpSync(join(root, module), join(copy, module));
    }
  }
}

function testsIn(copy, tests, patience) {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, NO_COLOR: '1', LATENTFIELD_ENGINE: 'wasm' };
  const child = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1', '--bail=1', ...tests], {
    cwd: copy,
    env,
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        process.kill(-child.pid, 'SIGKILL');
      },
      patience * MOST_SECONDS * 1000,
    );
    child.on('close', (status) => {
      clearTimeout(timer);
      if (isLate) resolve({ outcome: 'killed', output: `took more than ${MOST_SECONDS} s` });
      else if (/Transform failed|SyntaxError|Failed to resolve|PARSE_ERROR/.test(output))
        resolve({ outcome: 'unusable', output });
      else resolve({ outcome: status === 0 ? 'survived' : 'killed', output });
    });
  });
}

function oneLine(text) {
  const line = text.trim().replace(/\s+/g, ' ');
  return line === '' ? '(nothing)' : line;
}

function secondsSince(from) {
  return ((performance.now() - from) / 1000).toFixed(1);
}

function fail(what, reasons) {
  console.error(`${what}:\n  ${reasons.join('\n  ')}`);
  process.exit(1);
}
