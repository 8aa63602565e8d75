// Draws from the ten posteriors of the public posterior database, compared with its reference draws and with Stan by rstan: seconds, effective draws (the least of bulk
// and tail over the parameters) and effective draws a second, each by one thread. Needs reference/posteriors.json of the folder of shared data.
//
//   npm run bench:posteriors                              all ten, without Stan
//   npm run bench:posteriors -- arma eight --stan         those whose names begin so, with Stan (a program compiles for a minute)
//   npm run bench:posteriors -- --draws 2000 --warmup 500
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fromDist } from '../context.mjs';
import built from '../library.mjs';
import { describeMachine } from '../machine.mjs';
import { posteriorModels } from './models.mjs';

const CHAINS = 4;
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stan: { type: 'boolean', default: false },
    warmup: { type: 'string', default: '1000' },
    draws: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const [warmup, draws, seed] = [options.warmup, options.draws, options.seed].map(Number);
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const file = pathOf('../../../shared/reference/posteriors.json');
if (!existsSync(file)) {
  console.error(`There is no ${file}: the data of the posteriors and the summaries of their reference draws.`);
  process.exit(2);
}
process.env.LATENTFIELD_ENGINE ??= 'wasm';
process.env.LATENTFIELD_THREADS ??= '1';
const { posteriors } = JSON.parse(readFileSync(file, 'utf8'));
const { essBulk, essTail, Matrix, mcseMean, rHat, samplePosterior } = built;
const models = posteriorModels({ ...built, ops: await fromDist('engine/tensors/ops.js') });
const chosen = Object.keys(models).filter(
  (name) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
);
if (chosen.length === 0) {
  console.error(`No posterior begins with ${positionals.join(' or ')}. Known are ${Object.keys(models).join(', ')}.`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'latentfield-posteriors-'));
const head = ['posterior', 'by', 'seconds', 'least ESS', 'ESS/s', 'largest R̂', 'means off by (MCSE)', 'divergences'];
const rows = [];
try {
  for (const name of chosen) {
    rows.push(await byOurs(name));
    if (options.stan) rows.push(byStan(name));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { cpu, cores, node, latentfield } = describeMachine();
console.log(
  `${CHAINS} chains of ${warmup} + ${draws} on ${cpu}, ${cores} cores, node ${node}, latentfield ${latentfield}`,
);
const widths = head.map((text, c) => Math.max(...[head, ...rows].map((row) => String(row[c]).length), text.length));
for (const row of [head, ...rows]) {
  console.log(
    row.map((text, c) => (c < 2 ? String(text).padEnd(widths[c]) : String(text).padStart(widths[c]))).join('  '),
  );
}

/** A row of the table: of draws by parameter, chains × draws each. */
function rowOf(name, by, seconds, drawn, divergences) {
  const { parameters } = posteriors[name];
  const all = Object.entries(parameters).map(([parameter, wanted]) => {
    const own = drawn(parameter);
    const mean = own.data.reduce((sum, entry) => sum + entry, 0) / own.data.length;
    return {
      effective: Math.min(essBulk(own), essTail(own)),
      rHat: rHat(own),
      off: Math.abs(mean - wanted.mean) / Math.hypot(mcseMean(own), wanted.mcse),
    };
  });
  const least = Math.min(...all.map(({ effective }) => effective));
  const most = (of) => Math.max(...all.map(of));
  return [
    ...[name, by, seconds.toFixed(2), least.toFixed(0), (least / seconds).toFixed(0)],
    ...[most(({ rHat: own }) => own).toFixed(4), most(({ off }) => off).toFixed(1), divergences],
  ];
}

async function byOurs(name) {
  const { model, values } = models[name];
  const made = model(posteriors[name].data);
  const start = performance.now();
  const found = await samplePosterior(made, { chains: CHAINS, warmup, draws, seed, priors: 'inTerms' });
  const seconds = (performance.now() - start) / 1000;
  return rowOf(name, 'latentfield', seconds, (parameter) => values(found, parameter), found.divergences.length);
}

function byStan(name) {
  const { data, parameters } = posteriors[name];
  const names = Object.keys(parameters);
  const dump = join(folder, `${name}.R`);
  writeFileSync(
    dump,
    Object.entries(data)
      .map(([key, value]) => `${key} <- ${inR(value)}`)
      .join('\n'),
  );
  const counts = [CHAINS, warmup, draws, seed].map(String);
  const { status, stdout, stderr, error } = spawnSync(
    'Rscript',
    [pathOf('posteriors.R'), pathOf(`stan/${name}.stan`), dump, ...counts, ...names],
    { maxBuffer: 2 ** 28 },
  );
  const last = stderr?.toString().trim().split('\n').at(-1);
  if (status !== 0) {
    const why = error?.message ?? last;
    return [
      name,
      `rstan: ${why}. On Debian: apt-get install r-cran-rstan r-cran-bh r-cran-rcppeigen.`,
      ...Array(6).fill('–'),
    ];
  }
  const { compiling, sampling, divergences, version } = JSON.parse(last);
  const numbers = new Float64Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength));
  const drawn = (parameter) => {
    const p = names.indexOf(parameter);
    return new Matrix(
      Float64Array.from({ length: CHAINS * draws }, (_, k) => numbers[names.length * k + p]),
      CHAINS,
      draws,
    );
  };
  return rowOf(name, `rstan ${version}, compiled in ${compiling.toFixed(0)} s`, sampling, drawn, divergences);
}

/** Numbers, lists and matrices as R reads them. */
function inR(value) {
  if (!Array.isArray(value)) return String(value);
  if (!Array.isArray(value[0])) return `c(${value.join(', ')})`;
  return `matrix(c(${value.flat().join(', ')}), nrow = ${value.length}, byrow = TRUE)`;
}
