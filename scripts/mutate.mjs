// Inserts random faults into a copy of the sources, one at a time, and runs tests that call the function with the fault.
//
//   npm run mutate [-- --random N] [--seed S] [--from K] [--only TEXT] [--tests N] [--workers N] [--called FILE] [--list]
//
// N positions (200) in all of src are drawn uniformly by the seed (1), each with its replacement: another operator or
// number, a condition that is always or never true, a statement left out. --only selects the sources whose path contains TEXT, or one of several between
// commas (`file.ts:12` one line); --from leaves out those before the K-th, where a run was cut short;
// --list only names the drawn faults. A fault is killed when a test fails that passes without it, or does not
// end within its processor seconds. It has survived when --tests (24) files of those tests pass: others might notice it, so that
// the share is a lower bound. A first run of all tests records the functions that each calls, in FILE, which later runs read. Faults that do not compile are not counted, and src/engine/native is left out where koffi is not
// installed, as its tests are. Exit code 1 when fewer than 88 % are killed.
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
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import seedrandom from 'seedrandom';
import { callingTests } from './mutation/called.mjs';
import { faultsOf } from './mutation/faults.mjs';

/** Seconds of a processor for each process of tests, which need up to twenty. */
const MOST_SECONDS = 200;
/** Limit in seconds by the clock, for a test that waits forever without using a processor. */
const MOST_WAITING = 600;
/** Files of tests that run together, the nearest first. */
const TOGETHER = 4;
const WANTED = 0.88;
/** Files that are compiled from the assembly, for one thread and for several. */
const COMPILED = ['src/engine/wasm/engineModule.ts', 'src/engine/wasm/threadedEngineModule.ts'];

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    random: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    tests: { type: 'string', default: '24' },
    workers: { type: 'string', default: '2' },
    called: { type: 'string' },
    list: { type: 'boolean' },
  },
});
const whole = (name) => {
  const number = Number(options[name]);
  if (Number.isInteger(number) && number > 0) return number;
  return fail(`--${name} takes a whole number from 1`, [`'${options[name]}' is none`]);
};
const [wanted, mostTests, workers, from] = ['random', 'tests', 'workers', 'from'].map(whole);

const hasNative = isThere('koffi');
const isCompiled = (file) => file.includes('/assembly/');
const mutants = drawn();
if (mutants.length === 0) fail('There is nothing to put a fault into', [`no source is called '${options.only}'`]);
if (options.list) {
  for (const mutant of mutants) console.log(titleOf(mutant));
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
const copies = Array.from({ length: workers }, (_, number) => {
  const folder = copyOf(join(place, `${number}`, 'library'));
  return { folder, tests: testsIn(folder) };
});

const began = performance.now();
const testsOf = callingTests(root, options.called ?? join(place, 'called.jsonl'));
const waiting = [...mutants.entries()].slice(from - 1);
const results = [];
await inAllCopies(async (copy) => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [number, mutant] = next;
    const start = performance.now();
    const result = { ...mutant, ...(await tried(copy, mutant)) };
    results.push(result);
    const why = result.why.length > 0 ? `\n               ${oneLine(result.why[0]).slice(0, 160)}` : '';
    console.log(
      `${`${number + 1}`.padStart(3)} ${result.outcome.padEnd(8)} ${secondsSince(start).padStart(5)} s  ${titleOf(mutant)}${why}`,
    );
  }
});

// A test that fails without any fault has killed none.
const killers = [...new Set(results.flatMap(({ killers: files }) => files))];
const failing = new Set();
await inAllCopies(async (copy) => {
  for (let killer = killers.shift(); killer !== undefined; killer = killers.shift()) {
    if ((await copy.tests.run([killer], [])).outcome !== 'survived') failing.add(killer);
  }
});
for (const copy of copies) copy.tests.end();
for (const result of results) {
  if (result.killers.length > 0 && result.killers.every((file) => failing.has(file))) result.outcome = 'unclear';
}
for (const file of failing) console.log(`${file} fails without any fault.`);

const usable = results.filter(({ outcome }) => outcome !== 'unusable');
const killed = results.filter(({ outcome }) => outcome === 'killed' || outcome === 'endless').length;
const left = results.filter(({ outcome }) => outcome === 'survived' || outcome === 'unclear');
if (left.length > 0)
  console.log(`\nNo test noticed:\n${left.map((one) => `  ${one.outcome}: ${titleOf(one)}`).join('\n')}`);
console.log(
  `\n${killed} of ${usable.length} killed (${((100 * killed) / usable.length).toFixed(1)} %), seed ${options.seed}, in ${secondsSince(began)} s.`,
);
process.exitCode = killed >= WANTED * usable.length && failing.size === 0 ? 0 : 1;

/** Positions by the seed, with their replacements: `{ file, line, start, end, text, fault }`. */
function drawn() {
  const words = options.only?.split(',');
  const isAsked = ({ file, line }) => words === undefined || words.some((word) => `${file}:${line}:`.includes(word));
  const generated = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  const places = readdirSync(join(root, 'src'), { recursive: true })
    .map((path) => `src/${path}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !generated.includes(file))
    .filter((file) => hasNative || !file.startsWith('src/engine/native/'))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return faultsOf(text, file).map((found) => ({ file, text: text.slice(found.start, found.end), ...found }));
    })
    .filter(isAsked);
  if (!hasNative) console.log('src/engine/native is left out: koffi is not installed.');
  const random = seedrandom(`mutants ${options.seed}`);
  const below = (count) => Math.floor(random() * count);
  return Array.from({ length: Math.min(wanted, places.length) }, () => {
    const [{ replacements, ...found }] = places.splice(below(places.length), 1);
    return { ...found, fault: replacements[below(replacements.length)] };
  });
}

function isThere(name) {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function titleOf({ file, line, text, fault }) {
  return `${file}:${line}: ${oneLine(text).slice(0, 100)} → ${oneLine(fault).slice(0, 100)}`;
}

async function inAllCopies(work) {
  await Promise.all(copies.map(work));
}

/** Files under version control, and files generated from them, in their present state. */
function copyOf(target) {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of [...stdout.toString().split('\0'), ...COMPILED]) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file), { preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  // Tests of built files are left out where these are missing.
  if (existsSync(join(root, 'dist'))) symlinkSync(join(root, 'dist'), join(target, 'dist'));
  const shared = join(root, '../shared');
  if (existsSync(shared)) symlinkSync(shared, join(target, '../shared'));
  return target;
}

async function tried(copy, mutant) {
  const { file, start, end: last, fault } = mutant;
  const path = join(copy.folder, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + fault + source.slice(last));
  try {
    if (isCompiled(file)) {
      const { status } = spawnSync(process.execPath, ['scripts/buildWasm.mjs', '--force'], { cwd: copy.folder });
      if (status !== 0) return { outcome: 'unusable', why: ['does not compile'], killers: [] };
    }
    const changed = isCompiled(file) ? COMPILED : [file];
    const tests = testsOf(mutant).slice(0, mostTests);
    for (let first = 0; first < tests.length; first += TOGETHER) {
      const some = tests.slice(first, first + TOGETHER);
      const { outcome, why, failed = [] } = await copy.tests.run(some, first === 0 ? changed : []);
      if (outcome !== 'survived') return { outcome, why, killers: failed };
    }
    return { outcome: 'survived', why: tests.length === 0 ? ['no test calls it'] : [], killers: [] };
  } finally {
    writeFileSync(path, source);
    if (isCompiled(file)) for (const module of COMPILED) cpSync(join(root, module), join(copy.folder, module));
    copy.tests.changed(...(isCompiled(file) ? COMPILED : [file]));
  }
}

/** A vitest that stays, in a copy, from one run to the next: most of the time that a short test takes is to start it. */
function testsIn(copy) {
  let child;
  let stale = [];
  const start = async () => {
    const args = [
      '-c',
      `ulimit -t ${MOST_SECONDS} && exec "$@"`,
      'sh',
      process.execPath,
      'scripts/mutation/testRunner.mjs',
    ];
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
    /** Runs tests after files have changed since the last run, or none. */
    async run(tests, changed) {
      if (child === undefined) await start();
      if (child === undefined) fail('Tests do not start', ['vitest ended before it had begun']);
      child.send({ tests, changed: [...stale, ...changed] });
      stale = [];
      return await answerOf(child);
    },
    /** Reports that files differ from the last run. */
    changed(...files) {
      stale.push(...files);
    },
    end() {
      child?.disconnect();
      child = undefined;
    },
  };
}

function answerOf(child) {
  return new Promise((resolve) => {
    const limit = setTimeout(() => end(child.pid), 1000 * MOST_WAITING);
    const ended = () => {
      clearTimeout(limit);
      resolve({ outcome: 'endless', why: ['the tests came to no end'] });
    };
    child.once('close', ended);
    child.once('message', (answer) => {
      clearTimeout(limit);
      child.off('close', ended);
      resolve(answer);
    });
  });
}

function oneLine(text) {
  const line = text.trim().replace(/\s+/g, ' ');
  return line === '' || line === ';' ? '(nothing)' : line;
}

function secondsSince(from) {
  return ((performance.now() - from) / 1000).toFixed(1);
}

function fail(what, reasons) {
  console.error(`${what}:\n  ${reasons.join('\n  ')}`);
  process.exit(1);
}
