// SIGINT, SIGTERM and SIGHUP to every command in every phase: while it loads, waits for a table or a server, reads, chooses, fits, computes, writes and serves; once, or
// twice within a tenth of a second. All commands but fits end at once. A fit ends after its evaluation with a message and has saved its best point, or ends at once at the second signal.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import seedrandom from 'seedrandom';
import { childOf, commandNames, endWithin } from './child.mjs';
import { startRedis } from './queueRaces.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
/** Limit on the life of a process after a signal that ends it, in milliseconds of processor time. */
const AT_ONCE = 1000;
/** Longest that a fit may take to end its evaluation and write. */
const TO_SAVE = 10 * AT_ONCE;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export async function attackSignals({ seed, cases, report }) {
  const random = seedrandom(`signals ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-signals-'));
  // A server that accepts everything and answers nothing.
  const silent = createServer((socket) => socket.resume().on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  if (!hasRedis)
    report.skip('workers that serve and fit: redis-server is not installed (apt-get install redis-server)');
  const redis = hasRedis ? await startRedis(join(folder, 'redis'), []) : undefined;
  try {
    const tables = tablesIn(folder);
    const all = {
      ...commandsIn(tables),
      ...ofServer('waiting for a server', silent.address().port, tables),
      ...(redis && ofServer('serving', redis.port, tables)),
    };
    const isTried = (name) => Object.keys(all).some((each) => new RegExp(`: .*\\b${name}( |$)`).test(each));
    const untried = (await commandNames()).filter((name) => !isTried(name));
    if (untried.length > 0) report.fail('commands', `not tried: ${untried.join(', ')}`);
    const began = performance.now();
    await childOf([process.execPath, program, 'info', tables.fit]);
    const usual = performance.now() - began;
    const names = Object.keys(all);
    const ways = SIGNALS.flatMap((signal) => [1, 2].map((times) => ({ signal, times })));
    for (let k = 0; k < cases; k++) {
      // A short form has commands of every phase, each with another signal.
      const name = names[cases < names.length ? Math.floor((k * names.length) / cases) : k % names.length];
      const { signal, times } = ways[(k + Math.floor(k / names.length)) % ways.length];
      const out = join(folder, `out${k}`);
      const found = await signaled({
        args: all[name](out),
        out,
        signal,
        times,
        milliseconds: usual * delayOf(name, random),
      });
      if (found.failure !== undefined) report.fail(`case ${k}, ${name}, ${signal} × ${times}`, found.failure);
      else report.count(found.outcome);
    }
  } finally {
    silent.close();
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Times of the signals, in units of the shortest run: commands that end without one receive it between their start and their end. */
const delayOf = (name, random) =>
  /^(waiting|serving|fitting)/.test(name) ? 3 + random() : 0.1 + (/^computing/.test(name) ? 1 : 4) * random();

function tablesIn(folder) {
  const path = (name) => join(folder, name);
  const random = seedrandom('tables');
  const rows = (count) =>
    Array.from({ length: count }, (_, i) => [Math.sin(i / 9), Math.cos(i / 7), Math.sin(i / 5), random()].join());
  const table = (name, count) => {
    writeFileSync(path(name), ['a,b,c,d', ...rows(count)].join('\n'));
    return path(name);
  };
  const tables = {
    small: table('small.csv', 60),
    large: table('large.csv', 400),
    long: table('long.csv', 200_000),
    positions: path('positions.csv'),
    longFit: path('longFit'),
    pipe: path('pipe.csv'),
    open: path('open.csv'),
    classes: path('classes.csv'),
    fit: path('fit'),
    moving: path('moving'),
    labeled: path('labeled'),
    piped: path('piped'),
    spec: path('spec.json'),
  };
  mkdirSync(tables.piped);
  for (const pipe of [tables.pipe, tables.open, join(tables.piped, 'fit.json')]) spawnSync('mkfifo', [pipe]);
  // A writer that writes nothing.
  tables.writer = `exec 3<>'${tables.open}'; exec "$@"`;
  writeFileSync(tables.classes, ['a,b,c,d,class', ...rows(60).map((row, i) => `${row},${'xy'[i % 2]}`)].join('\n'));
  const positions = Array.from({ length: 200_000 }, () => [random(), random()].join());
  writeFileSync(tables.positions, ['x1,x2', ...positions].join('\n'));
  const short = ['--model', 'gplvm', '--max-iterations', '5'];
  for (const [table, out, ...more] of [
    [tables.small, tables.fit, ...short],
    [tables.small, tables.moving, ...short, '--options', '{"dynamics":true}'],
    [tables.classes, tables.labeled, ...short, '--labels', 'class'],
    [tables.long, tables.longFit, '--model', 'pca'],
  ]) {
    const args = ['fit', table, '--out', out, ...more];
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  const models = [{ model: 'gplvm', grid: { latentDim: [1, 2, 3] } }];
  for (const [name, data] of [
    ['spec', 'large.csv'],
    ['longSpec', 'long.csv'],
  ])
    writeFileSync(path(`${name}.json`), JSON.stringify({ data, models, seeds: [0, 1, 2, 3] }));
  return tables;
}

const endless = ['--model', 'gplvm', '--solver', 'adam', '--tolerance', '0', '--max-iterations', '100000000'];

/** Arguments of the commands, from the path of their results; what comes first in a name is the phase. */
function commandsIn({ small, large, long, positions, longFit, pipe, open, fit, moving, labeled, spec, piped, writer }) {
  const grid = ['--grid', '{"latentDim":[1,2,3,4]}'];
  const withWriter = (...args) => ['bash', '-c', writer, 'bash', process.execPath, program, ...args];
  return {
    'waiting for a writer: fit': (out) => ['fit', pipe, '--model', 'pca', '--out', out],
    'waiting for a writer: select': () => ['select', pipe, '--model', 'gplvm', ...grid],
    'waiting for a writer: compare': (out) => ['compare', pipe, '--out', `${out}.html`],
    'waiting for a writer: project': () => ['project', fit, pipe],
    'waiting for a writer: explore': () => ['explore', pipe],
    'waiting for a writer: predict': () => ['predict', fit, pipe],
    'waiting for a writer: sample': () => ['sample', fit, pipe],
    'waiting for a writer: impute': () => ['impute', fit, pipe],
    'waiting for a writer: predict-labels': () => ['predict-labels', labeled, pipe],
    'waiting for a writer: labels of assess': (out) => ['assess', fit, '--labels', pipe, '--page', `${out}.html`],
    'waiting for a writer: grid of select': () => ['select', small, '--model', 'gplvm', '--grid', pipe],
    'waiting for a writer: sweep': (out) => ['sweep', pipe, '--out', out],
    'waiting for a writer: options of a fit': (out) => ['fit', small, '--options', pipe, '--out', out],
    'waiting for a writer: checkpoint of a fit': (out) => ['fit', small, '--resume', pipe, '--out', out],
    ...Object.fromEntries(
      Object.entries({
        info: [],
        predict: [],
        sample: [],
        assess: [],
        score: [],
        explore: [],
        interpolate: ['--from', '0', '--to', '5'],
        forecast: ['--steps', '3'],
        project: [small],
        impute: [small],
        'predict-labels': [small],
        'compare-maps': [fit],
        draw: ['--out', `${piped}-draws`],
      }).map(([name, more]) => [`waiting for a writer: the fit of ${name}`, () => [name, piped, ...more]]),
    ),
    'waiting for a table: fit': (out) => withWriter('fit', open, '--model', 'pca', '--out', out),
    'waiting for a table: impute': () => withWriter('impute', fit, open),
    'waiting for a table: score': () => withWriter('score', fit, '--data', open),
    'reading and writing: fit': (out) => ['fit', long, '--model', 'pca', '--out', out, '--plot', 'svg,html'],
    'reading: explore': (out) => ['explore', long, '--page', `${out}.html`],
    'reading: compare': (out) => ['compare', long, '--out', out],
    'reading: select': () => ['select', long, '--model', 'gplvm', ...grid],
    'reading: project': () => ['project', fit, long],
    'reading: impute': () => ['impute', fit, long],
    'reading: predict-labels': () => ['predict-labels', labeled, long],
    'reading: score': () => ['score', longFit, '--data', long],
    'reading: predict': () => ['predict', fit, positions],
    'reading: sample': () => ['sample', fit, positions],
    'reading: sweep': (out) => ['sweep', spec.replace('spec', 'longSpec'), '--out', out],
    'choosing: fit of a map with a decoder': (out) => [
      ...['fit', large, '--model', 'tsne', '--options', '{"decoder":true,"steps":1000000}', '--out', out],
    ],
    'choosing: sweep with threads': (out) => ['sweep', spec, '--workers', '2', '--out', out],
    'choosing: select': () => ['select', large, '--model', 'gplvm', ...grid],
    'choosing: compare': (out) => ['compare', large, '--out', out],
    'choosing: sweep': (out) => ['sweep', spec, '--out', out],
    'fitting: fit': (out) => ['fit', large, ...endless, '--out', out],
    'fitting: fit with a checkpoint': (out) => ['fit', large, ...endless, '--out', out, '--checkpoint', `${out}.json`],
    'fitting: fit with restarts': (out) => [
      'fit',
      large,
      ...endless,
      '--restarts',
      '3',
      '--workers',
      '2',
      '--out',
      out,
    ],
    'fitting: explore': () => ['explore', large, '--model', 'gplvm'],
    'computing: project': (out) => ['project', fit, large, '--out', `${out}.csv`],
    'computing: assess': (out) => ['assess', fit, '--page', `${out}.html`],
    'computing: draw': (out) => ['draw', fit, '--out', out, '--priors', 'weak'],
    'computing: sample': () => ['sample', fit],
    'computing: predict': () => ['predict', fit],
    'computing: info': () => ['info', fit],
    'computing: completion': () => ['completion', 'bash'],
    'computing: impute': () => ['impute', fit, large],
    'computing: score': () => ['score', fit, '--data', small],
    'computing: predict-labels': () => ['predict-labels', labeled, large],
    'computing: compare-maps': () => ['compare-maps', fit, moving],
    'computing: draw with workers': (out) => ['draw', fit, '--out', out, '--priors', 'weak', '--workers', '2'],
    'computing: forecast': () => ['forecast', moving, '--steps', '5'],
    'computing: interpolate': () => ['interpolate', fit, '--from', '0', '--to', '5'],
    'serving: explore': () => ['explore', small],
    'serving: explore without a table': () => ['explore'],
  };
}

/** Commands that call a server. */
const ofServer = (phase, port, { spec }) => {
  const server = ['--redis', `redis://127.0.0.1:${port}`];
  return {
    [`${phase}: worker`]: () => ['worker', ...server],
    [`${phase}: worker with threads`]: () => ['worker', ...server, '--workers', '2'],
    [`${phase}: sweep`]: (out) => ['sweep', spec, ...server, '--patience', '100', '--out', out],
    ...(phase === 'serving' ? {} : { [`${phase}: queue`]: () => ['queue', ...server] }),
  };
};

/** Starts a command, and signals it after some milliseconds. */
async function signaled({ args, out, signal, times, milliseconds }) {
  const [command, ...rest] = args[0] === 'bash' ? args : [process.execPath, program, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close').then(([code, by]) => ({ code, by }));
  const early = await Promise.race([closed, pause(milliseconds)]);
  if (early !== undefined) {
    // On a busy machine the wait for a server without an answer ends earlier.
    const isGivenUp = early.code === 1 && /^error: .*redis/im.test(stderr);
    return isGivenUp ? { outcome: 'it had given up before' } : ended(early, undefined, 'it had ended before');
  }
  child.kill(signal);
  if (times === 2) {
    await Promise.race([closed, pause(AT_ONCE / 10)]);
    child.kill(signal);
  }
  let end = await endWithin(child, closed, AT_ONCE);
  const isFit = stderr.includes('Stopping after this evaluation');
  if (end === undefined && isFit && times === 1) end = await endWithin(child, closed, TO_SAVE);
  if (end === undefined) {
    child.kill('SIGKILL');
    await closed;
    return { failure: `it lived on: ${stderr.slice(-300)}` };
  }
  const wrong = ended(end, signal, isFit && times === 1 ? 'a fit that ended and was saved' : 'ended at once');
  if (wrong.failure !== undefined || !isFit || times === 2 || end.by !== null) return wrong;
  if (!existsSync(join(out, 'fit.json'))) {
    // A page shows no stopped fit, a command stopped before its draws writes none, a worker writes nothing, and a sweep without outcomes has no table.
    const isWithout = ['explore', 'draw', 'worker', 'sweep'].includes(args[0]) || existsSync(join(out, 'table.csv'));
    return isWithout ? wrong : { failure: `nothing was saved: ${stderr.slice(-300)}` };
  }
  const info = await childOf([process.execPath, program, 'info', out]);
  return info.code === 0 ? wrong : { failure: `what was saved cannot be read: ${info.stderr}` };
}

/** The verdict on how a process has ended. */
function ended({ code, by }, signal, outcome) {
  if (signal === undefined) return code === 0 ? { outcome } : { failure: `it ended with ${code} ${by}` };
  const isRight = by === signal || code === 128 + constants.signals[signal];
  // It may have ended meanwhile.
  return isRight || code === 0 ? { outcome } : { failure: `it ended with ${code} ${by}` };
}
