// Puts one fault at a time into a copy of the sources and runs the tests that should notice it.
//
//   npm run mutate [-- --only TEXT] [--workers N] [--check] [--list]
//
// The faults are in scripts/mutants/: each names a file, a text of it and what to put there, and the tests that must then fail.
// --only takes the mutants whose file or text holds TEXT, or one of several between commas; --check only looks whether each text is there, once, and the tests too.
// Killed is a mutant only when a test fails on what it expects: one after which tests do not come to an end is 'unclear' and counts as
// not killed, since on a busy machine nobody knows whose fault that is. Limits are seconds of a processor, not of a clock.
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

/** Seconds of a processor for each process of tests, which need up to twenty. */
const MOST_SECONDS = 200;
const WANTED = 0.95;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    workers: { type: 'string', default: '2' },
    check: { type: 'boolean' },
    list: { type: 'boolean' },
  },
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
const running = new Set();
process.on('exit', () => {
  for (const { pid } of running) end(pid);
  rmSync(place, { recursive: true, force: true });
});
/** With all that it started. */
function end(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const workers = Math.max(1, Number.parseInt(options.workers, 10));
const copies = Array.from({ length: workers }, (_, number) => {
  const folder = copyOf(join(place, `${number}`, 'library'));
  return { folder, tests: testsIn(folder) };
});

const began = performance.now();
const allTests = [...new Set(mutants.flatMap(({ tests }) => tests))].sort();
const share = Math.ceil(allTests.length / workers);
await Promise.all(
  copies.map(async ({ tests }, number) => {
    const { outcome, why } = await tests.run(
      allTests.slice(number * share, (number + 1) * share),
      [],
      20 * MOST_SECONDS,
    );
    if (outcome !== 'survived') fail('Tests fail without any fault', why);
    tests.end();
  }),
);
console.log(`${allTests.length} files of tests pass without a fault, in ${secondsSince(began)} s.`);

const waiting = [...mutants.entries()];
const notKilled = [];
const unusable = [];
await Promise.all(
  copies.map(async (copy) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [number, mutant] = next;
      const from = performance.now();
      const { outcome, why } = await tried(copy, mutant);
      console.log(
        `${`${number + 1}`.padStart(3)} ${outcome.padEnd(8)} ${secondsSince(from).padStart(5)} s  ${mutant.file}: ${oneLine(mutant.text)} → ${oneLine(mutant.fault)}${why.length > 0 ? `\n               ${oneLine(why[0]).slice(0, 160)}` : ''}`,
      );
      if (outcome === 'survived' || outcome === 'unclear') notKilled.push({ ...mutant, outcome });
      if (outcome === 'unusable') unusable.push(`${mutant.file}: ${oneLine(mutant.fault)}\n${why[0]}`);
    }
    copy.tests.end();
  }),
);
if (unusable.length > 0) fail('These faults do not compile', unusable);
const killed = mutants.length - notKilled.length;
if (notKilled.length > 0) {
  console.log('\nNobody noticed, or nobody knows:');
  for (const { outcome, file, tests, text, fault } of notKilled) {
    console.log(`  ${outcome}: ${file}: ${oneLine(text)} → ${oneLine(fault)}  (${tests.join(', ')})`);
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
  const path = join(copy.folder, file);
  const module = 'src/numerics/wasm/engineModule.ts';
  const source = readFileSync(path, 'utf8');
  // Found once: what `fault` holds of `$` means itself.
  writeFileSync(
    path,
    source.replace(text, () => fault),
  );
  try {
    if (isCompiled({ file })) {
      const { status, stderr } = spawnSync(process.execPath, ['scripts/buildWasm.mjs', '--force', '--unthreaded'], {
        cwd: copy.folder,
      });
      if (status !== 0) return { outcome: 'unusable', why: [stderr.toString()] };
    }
    return await copy.tests.run(tests, [isCompiled({ file }) ? module : file]);
  } finally {
    writeFileSync(path, source);
    if (isCompiled({ file })) cpSync(join(root, module), join(copy.folder, module));
  }
}

/** A vitest that stays, in a copy, from one run to the next: most of the time that a short test takes is to start it. */
function testsIn(copy) {
  let child;
  let stale = [];
  const start = async (seconds) => {
    const args = ['-c', `ulimit -t ${seconds} && exec "$@"`, 'sh', process.execPath, 'scripts/mutationTests.mjs'];
    const env = { ...process.env, NO_COLOR: '1', LATENTFIELD_ENGINE: 'wasm' };
    const started = spawn('sh', args, {
      cwd: copy,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running.add(started);
    started.once('close', () => {
      running.delete(started);
      if (child === started) child = undefined;
    });
    child = started;
    await answerOf(started);
  };
  return {
    /** Runs tests after one file has changed since the last run, or none. */
    async run(tests, changed, seconds = MOST_SECONDS) {
      if (child === undefined) await start(seconds);
      if (child === undefined) fail('Tests do not start', ['vitest ended before it had begun']);
      child.send({ tests, changed: [...stale, ...changed] });
      stale = changed;
      return await answerOf(child);
    },
    end() {
      child?.disconnect();
      child = undefined;
    },
  };
}

function answerOf(child) {
  return new Promise((resolve) => {
    const ended = () => resolve({ outcome: 'unclear', why: ['the process of the tests ended'] });
    child.once('close', ended);
    child.once('message', (answer) => {
      child.off('close', ended);
      resolve(answer);
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
