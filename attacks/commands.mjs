// Arguments of the command line drawn at random, and folders whose fit.json is damaged: every run ends with 0, 1, 2 or 130, reports errors in a
// sentence, and never shows a stack or an unexpected failure. A damaged folder ends with 2.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import seedrandom from 'seedrandom';
import { run } from '../dist/app/cli/run.js';
import { damaged } from './mutations.mjs';
import { Y } from './savedModels.mjs';

const TABLES = {
  'good.csv': ['a,b,c', ...Y.map((row) => row.join(','))].join('\n'),
  'labeled.csv': ['a,b,label', ...Y.map(([a, b], i) => `${a},${b},${'xyz'[i % 3]}`)].join('\n'),
  'holes.csv': ['a,b', ...Y.map(([a, b], i) => `${i === 2 ? '' : a},${b}`)].join('\n'),
  'ragged.csv': 'a,b\n1,2\n3\n4,5,6\n',
  'text.csv': 'a,b\nx,y\nz,w\n',
  'empty.csv': '',
  'header.csv': 'a,b\n',
  'binary.npy': '\u0093NUMPY\u0001\u0000v\u0000{nonsense}',
  'short.npy': '\u0093NUM',
  'not.parquet': 'PAR1xxPAR1',
  'options.json': '{"latentDim": 1}',
  'badOptions.json': '{"latentDim": ',
  'otherOptions.json': '[1,2]',
};
const COMMANDS = [
  'fit',
  'project',
  'score',
  'predict',
  'sample',
  'interpolate',
  'forecast',
  'impute',
  'select',
  'info',
  'other',
  '',
];
const MODELS = ['gplvm', 'pca', 'meu', 'mpme', 'isomap', 'lle', 'gplrf', 'kernelPca', 'noSuchModel'];
const FLAGS = [
  '--model',
  '--dim',
  '--labels',
  '--options',
  '--max-iterations',
  '--seed',
  '--out',
  '--json',
  '--force',
  '--columns',
  '--drop',
  '--id',
  '--standardize',
  '--row-sums',
  '--log1p',
  '--kernel',
  '--neighbors',
  '--noise',
  '--engine',
  '--threads',
  '--restarts',
  '--solver',
  '--tolerance',
  '--help',
  '--noSuchFlag',
  '-x',
  '--parts',
  '--grid',
  '--steps',
  '--from',
  '--to',
  '--k',
  '--plot',
  '--checkpoint',
  '--resume',
  '--quiet',
];
const VALUES = [
  '1',
  '2',
  '0',
  '-1',
  '1.5',
  'NaN',
  '1e9',
  'a',
  'a,b',
  '',
  '__proto__',
  'wasm',
  'rbf',
  '((((',
  'svg',
  'x'.repeat(2000),
  '../..',
];

const oneOf = (random, list) => list[Math.floor(random() * list.length)];

export async function attackCommands({ seed, cases, report }) {
  const random = seedrandom(`commands ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-commands-'));
  const place = (name) => join(folder, name);
  const before = process.cwd();
  try {
    // Files and folders that random paths name are made here.
    process.chdir(folder);
    for (const [name, text] of Object.entries(TABLES)) writeFileSync(place(name), text, 'latin1');
    const made = await called([
      'fit',
      place('good.csv'),
      '--model',
      'gplvm',
      '--max-iterations',
      '3',
      '--out',
      place('whole'),
    ]);
    if (made.code !== 0) report.fail('the whole fit', made.stderr);
    const whole = JSON.parse(readFileSync(join(place('whole'), 'fit.json'), 'utf8'));
    for (let i = 0; i < cases; i++) {
      if (random() < 0.5) await damagedFolder(i, { random, whole, place, report });
      else await randomArguments(i, { random, place, report });
    }
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function damagedFolder(i, { random, whole, place, report }) {
  const target = place('damaged');
  if (!existsSync(target)) mkdirSync(target);
  const { json, kind, key } = damaged(whole, random);
  let text;
  try {
    text = JSON.stringify(json);
  } catch {
    // JSON.stringify cannot write values nested so deeply; a file can contain them.
    text = `${'{"model":['.repeat(20_000)}${']}'.repeat(20_000)}`;
  }
  const isCut = random() < 0.1;
  if (isCut) text = text.slice(0, Math.floor(random() * text.length));
  writeFileSync(join(target, 'fit.json'), text);
  const command = oneOf(random, ['project', 'score', 'predict', 'info']);
  const rest = command === 'predict' ? ['0,0'] : command === 'info' ? [] : [place('good.csv')];
  const { code, stdout, stderr } = await called([command, target, ...rest]);
  const what = `case ${i}: ${command} of a fit with ${isCut ? 'its end cut off' : `${kind} at ${key}`}`;
  checkEnd(what, { code, stderr }, report);
  // The order of members has no meaning, and a member may be repeated unchanged.
  if (code === 0 && stdout !== (await called([command, place('whole'), ...rest])).stdout) {
    report.count('silent');
    report.fail(`${what}, ended with 0 and another answer`, stdout);
  } else report.count(`damaged folders that end with ${code}${code === 0 ? ' and the same answer' : ''}`);
}

async function randomArguments(i, { random, place, report }) {
  const files = Object.keys(TABLES);
  const file = () => place(random() < 0.8 ? oneOf(random, files) : 'absent.csv');
  const command = oneOf(random, COMMANDS);
  const args = command === '' ? [] : [command];
  if (command === 'fit' || command === 'select') args.push(random() < 0.6 ? place('good.csv') : file());
  else args.push(random() < 0.7 ? place('whole') : file(), ...(random() < 0.8 ? [file()] : []));
  if (command === 'fit')
    args.push('--model', oneOf(random, MODELS), '--max-iterations', '2', '--out', place('out'), '--force');
  for (let k = Math.floor(random() * 4); k > 0; k--) {
    const flag = oneOf(random, FLAGS);
    args.push(flag);
    if (random() < 0.8) args.push(random() < 0.3 ? file() : oneOf(random, flag === '--out' ? [place('out')] : VALUES));
  }
  const ended = await called(args);
  checkEnd(`case ${i}: latentfield ${args.map((arg) => arg.slice(0, 60)).join(' ')}`, ended, report);
  report.count(`arguments that end with ${ended.code}`);
}

function checkEnd(what, { code, stderr }, report) {
  if (![0, 1, 2, 130].includes(code)) report.fail(`${what}, exit code`, code);
  if (/\n\s+at |does not know/.test(stderr)) report.fail(`${what}, untyped`, stderr);
  if (code !== 0 && stderr.trim() === '') report.fail(`${what}, ends with ${code}`, 'and says nothing');
}

/** The command line in this process, what it wrote, and its exit code. */
async function called(argv) {
  let stdout = '';
  let stderr = '';
  const stream = (write) => ({
    write: (text) => write(String(text)) || true,
    isTTY: false,
    columns: 80,
    on: () => undefined,
  });
  const streams = {
    stdout: stream((text) => {
      stdout += text;
    }),
    stderr: stream((text) => {
      stderr += text;
    }),
  };
  const code = await run(argv, streams, { signal: AbortSignal.timeout(30_000) });
  return { code, stdout, stderr };
}
