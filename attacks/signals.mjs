// SIGINT, SIGTERM and SIGHUP to every command in every phase: while it loads, waits for a table, reads, chooses, fits, computes, writes and serves; once, or
// twice within a tenth of a second. What is no fit ends at once. A fit ends after its evaluation, says so and has saved its best point, or is ended at once by the second signal.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import seedrandom from 'seedrandom';
import { childOf } from './child.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
/** Longest that a process may live after a signal that ends it, in milliseconds; more where other work takes the processors. */
const AT_ONCE = Number(process.env.ATTACK_AT_ONCE ?? 1000);
/** Longest that a fit may take to end its evaluation and write. */
const TO_SAVE = 10 * AT_ONCE;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export async function attackSignals({ seed, cases, report }) {
  const random = seedrandom(`signals ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-signals-'));
  try {
    const tables = tablesIn(folder);
    const all = commandsIn(tables);
    const began = performance.now();
    await childOf([process.execPath, program, 'info', tables.fit]);
    const usual = performance.now() - began;
    const every = SIGNALS.flatMap((signal) =>
      [1, 2].flatMap((times) => Object.keys(all).map((name) => ({ name, signal, times }))),
    );
    // A short form still has every command, with one signal each.
    const order = cases < every.length ? spread(every, cases) : every;
    for (let k = 0; k < cases; k++) {
      const { name, signal, times } = order[k % order.length];
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
    rmSync(folder, { recursive: true, force: true });
  }
}

const spread = (all, count) => Array.from({ length: count }, (_, k) => all[(k * 7) % all.length]);

/** When a command is signaled, in times that the shortest one takes: those that end by themselves between their start and their end. */
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
    pipe: path('pipe.csv'),
    open: path('open.csv'),
    fit: path('fit'),
    moving: path('moving'),
    spec: path('spec.json'),
  };
  for (const pipe of [tables.pipe, tables.open]) spawnSync('mkfifo', [pipe]);
  // A writer that writes nothing.
  tables.writer = `exec 3<>'${tables.open}'; exec "$@"`;
  for (const [out, ...more] of [[tables.fit], [tables.moving, '--options', '{"dynamics":true}']]) {
    const args = ['fit', tables.small, '--model', 'gplvm', '--max-iterations', '5', '--out', out, ...more];
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  const models = [{ model: 'gplvm', grid: { latentDim: [1, 2, 3] } }];
  writeFileSync(tables.spec, JSON.stringify({ data: 'large.csv', models, seeds: [0, 1, 2, 3] }));
  return tables;
}

const endless = ['--model', 'gplvm', '--solver', 'adam', '--tolerance', '0', '--max-iterations', '100000000'];

/** Arguments of the commands, from the path of their results; what comes first in a name is the phase. */
function commandsIn({ small, large, long, pipe, open, fit, moving, spec, writer }) {
  const grid = ['--grid', '{"latentDim":[1,2,3,4]}'];
  const piped = (...args) => ['bash', '-c', writer, 'bash', process.execPath, program, ...args];
  return {
    'waiting for a writer: fit': (out) => ['fit', pipe, '--model', 'pca', '--out', out],
    'waiting for a writer: select': () => ['select', pipe, '--model', 'gplvm', ...grid],
    'waiting for a writer: compare': (out) => ['compare', pipe, '--out', `${out}.html`],
    'waiting for a writer: project': () => ['project', fit, pipe],
    'waiting for a writer: explore': () => ['explore', pipe],
    'waiting for a table: fit': (out) => piped('fit', open, '--model', 'pca', '--out', out),
    'waiting for a table: impute': () => piped('impute', fit, open),
    'waiting for a table: score': () => piped('score', fit, '--data', open),
    'reading and writing: fit': (out) => ['fit', long, '--model', 'pca', '--out', out, '--plot', 'svg,html'],
    'reading: explore': (out) => ['explore', long, '--page', `${out}.html`],
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
    'computing: forecast': () => ['forecast', moving, '--steps', '5'],
    'computing: interpolate': () => ['interpolate', fit, '--from', '0', '--to', '5'],
    'serving: explore': () => ['explore', small],
    'serving: explore without a table': () => ['explore'],
  };
}

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
  if (early !== undefined) return ended(early, undefined, 'it had ended before');
  child.kill(signal);
  if (times === 2) {
    await Promise.race([closed, pause(AT_ONCE / 10)]);
    child.kill(signal);
  }
  let end = await Promise.race([closed, pause(AT_ONCE)]);
  const isFit = stderr.includes('Stopping after this evaluation');
  if (end === undefined && isFit && times === 1) end = await Promise.race([closed, pause(TO_SAVE)]);
  if (end === undefined) {
    child.kill('SIGKILL');
    await closed;
    return { failure: `it lived on: ${stderr.slice(-300)}` };
  }
  const wrong = ended(end, signal, isFit && times === 1 ? 'a fit that ended and was saved' : 'ended at once');
  if (wrong.failure !== undefined || !isFit || times === 2 || end.by !== null) return wrong;
  if (!existsSync(join(out, 'fit.json'))) {
    // A page shows no fit that was stopped, draws that have not begun are none, and a sweep has a table.
    const isWithout = ['explore', 'draw'].includes(args[0]) || existsSync(join(out, 'table.csv'));
    return isWithout ? wrong : { failure: `nothing was saved: ${stderr.slice(-300)}` };
  }
  const info = await childOf([process.execPath, program, 'info', out]);
  return info.code === 0 ? wrong : { failure: `what was saved cannot be read: ${info.stderr}` };
}

/** The verdict on how a process has ended. */
function ended({ code, by }, signal, outcome) {
  if (signal === undefined) return code === 0 ? { outcome } : { failure: `it ended with ${code} ${by}` };
  const isRight = by === signal || code === 128 + constants.signals[signal];
  // It may have come to its end meanwhile.
  return isRight || code === 0 ? { outcome } : { failure: `it ended with ${code} ${by}` };
}
