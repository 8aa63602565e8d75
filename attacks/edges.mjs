// The edges around fits: results that are replaced, locks that are left, signals outside of a fit, pipes, holes, values that are changed afterwards,
// and pages that were tampered with. Each is a named attack; the first two are repeated as often as there are cases.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  defineDensity,
  defineModel,
  fit,
  fixed,
  gaussianProcess,
  gplvm,
  latent,
  Matrix,
  observed,
  rbf,
  samplePosterior,
} from 'latentfield';
import { parseTable, readTable } from 'latentfield/io';
import * as op from 'latentfield/ops';
import seedrandom from 'seedrandom';
import { childOf } from './child.mjs';
import { Y } from './savedModels.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
const latentfield = (...args) => childOf([process.execPath, program, ...args]);
/** Longest that a process may live after a signal, in milliseconds; more where other work takes the processors. */
const AT_ONCE = Number(process.env.ATTACK_AT_ONCE ?? 1000);

export async function attackEdges({ seed, cases, report }) {
  const random = seedrandom(`edges ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-edges-'));
  const path = (name) => join(folder, name);
  const data = path('data.csv');
  writeFileSync(data, ['a,b,c', ...Y.map((row) => row.join(','))].join('\n'));
  try {
    await replaced({ path, data, random, cases, report });
    await raced({ path, data, cases: Math.ceil(cases / 8), report });
    for (const [what, attack] of Object.entries(attacks)) {
      try {
        const found = await attack({ path, data });
        if (found === undefined) report.count('held');
        else if (found.skipped !== undefined) report.skip(`${what}: ${found.skipped}`);
        else report.fail(what, found);
      } catch (error) {
        report.fail(what, error.stack);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fits that replace results, killed while they write: the folder holds one of the results, or is refused. */
async function replaced({ path, data, random, cases, report }) {
  const out = path('replaced');
  const args = (k) => [program, 'fit', data, '--model', 'pca', '--dim', String(1 + (k % 2)), '--out', out, '--force'];
  const began = performance.now();
  spawnSync(process.execPath, args(0));
  const usual = performance.now() - began;
  for (let k = 1; k <= cases; k++) {
    const child = spawn(process.execPath, args(k), { stdio: 'ignore' });
    const exit = once(child, 'exit');
    await Promise.race([pause(usual * (0.6 + 0.5 * random())), exit]);
    child.kill('SIGKILL');
    await exit;
    const { code, stderr } = await latentfield('info', out);
    const fitted = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
    const columns = readFileSync(join(out, 'latents.csv'), 'utf8').split('\n')[0].split(',').length;
    const isMixed = fitted.values.latents?.[0]?.length !== columns;
    if (code === 0 && isMixed) report.fail(`kill ${k}`, 'two results are mixed, and info ends with 0');
    else if (code !== 0 && code !== 2) report.fail(`kill ${k}`, `${code}: ${stderr}`);
    else report.count(code === 0 ? 'killed, one result' : 'killed, refused as mixed');
  }
  // Sockets are left alone until they are some seconds old.
  await pause(6000);
  const { code, stderr } = await latentfield(...args(0).slice(1));
  if (code !== 0) report.fail('a fit after the kills', stderr);
  const left = readdirSync(out).filter((name) => /\.(tmp|lock|socket)/.test(name));
  if (left.length > 0) report.fail('files after the kills', left.join(', '));
}

/** Fits of several processes into one folder at once: one writes, the others are refused. */
async function raced({ path, data, cases, report }) {
  const out = path('raced');
  for (let k = 0; k < cases; k++) {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => latentfield('fit', data, '--model', 'pca', '--out', out, '--force')),
    );
    const bad = all.find(({ code, stderr }) => code !== 0 && !(code === 2 && stderr.includes('is being written to')));
    const { code, stderr } = await latentfield('info', out);
    if (bad !== undefined) report.fail(`race ${k}`, `${bad.code}: ${bad.stderr}`);
    else if (code !== 0) report.fail(`race ${k}`, stderr);
    else report.count('processes in a race', 8);
  }
}

/** Milliseconds that a process lives after a signal; undefined if it must be killed. */
async function livesAfter(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const exit = once(child, 'exit');
  const began = performance.now();
  child.kill(signal);
  const ended = await Promise.race([exit, pause(4 * AT_ONCE)]);
  if (ended !== undefined) return performance.now() - began;
  child.kill('SIGKILL');
  await exit;
  return undefined;
}

const attacks = {
  'the lock of a killed process with the number of this one stops nobody': async ({ path, data }) => {
    const out = path('locked');
    const isolated = ['unshare', '-rpf', '--mount-proc', process.execPath, program];
    if (spawnSync('unshare', ['-rpf', '--mount-proc', 'true']).status !== 0) {
      return { skipped: 'this machine gives no namespace of processes' };
    }
    const child = spawn(isolated[0], [
      ...isolated.slice(1),
      'fit',
      data,
      '--model',
      'gplvm',
      '--tolerance',
      '0',
      '--max-iterations',
      '100000',
      '--out',
      out,
    ]);
    for (let k = 0; k < 200 && !readable(join(out, 'fit.json.lock')); k++) await pause(50);
    spawnSync('bash', ['-c', `pkill -KILL -P ${child.pid}`]);
    child.kill('SIGKILL');
    await once(child, 'close');
    const { code, stderr } = await childOf([...isolated, 'fit', data, '--model', 'pca', '--out', out, '--force']);
    return code === 0 ? undefined : `${code}: ${stderr}`;
  },
  'a table from a pipe without writer ends at the first signal': async ({ path }) => {
    const pipe = path('pipe.csv');
    spawnSync('mkfifo', [pipe]);
    for (const [signal, ...command] of [
      ['SIGINT', 'fit', pipe, '--model', 'pca', '--out', path('piped')],
      ['SIGTERM', 'select', pipe, '--model', 'gplvm', '--grid', '{"latentDim":[1,2]}'],
      ['SIGHUP', 'compare', pipe, '--out', path('compared')],
    ]) {
      const child = spawn(process.execPath, [program, ...command], { stdio: 'ignore' });
      await pause(3 * AT_ONCE);
      const lived = await livesAfter(child, signal);
      if (lived === undefined || lived > AT_ONCE) return `${command[0]}, ${signal}: ${lived ?? 'never'} ms`;
    }
    return undefined;
  },
  'a folder below /proc is refused': async ({ data }) => {
    const { code, stderr } = await latentfield('fit', data, '--model', 'pca', '--out', '/proc/x');
    return code === 2 && stderr.includes('error: Nothing can be written') ? undefined : `${code}: ${stderr}`;
  },
  'maxBytes is heeded while a device is read': async ({ path }) => {
    symlinkSync('/dev/zero', path('zero.csv'));
    const before = process.memoryUsage().rss;
    const error = await readTable(path('zero.csv'), { maxBytes: 1000 }).catch((caught) => caught);
    const grown = (process.memoryUsage().rss - before) / 1e6;
    return error.code === 'tooLarge' && grown < 100
      ? undefined
      : `${error.code}, ${grown.toFixed(0)} MB: ${error.message}`;
  },
  'a hole among the rows is refused': () => {
    const rows = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    delete rows[1];
    const long = [];
    long.length = 2 ** 32 - 1;
    for (const given of [rows, long]) {
      try {
        Matrix.from(given);
        return 'it was taken';
      } catch (error) {
        if (error.code !== 'invalidInput') return error.stack;
      }
    }
    return undefined;
  },
  'a start that is changed after the model is made changes nothing': async () => {
    const init = Y.map(([a]) => [a]);
    const options = { maxIterations: 0, restarts: 0 };
    const before = await fit(gplvm(Y, { latentDim: 1, init: init.map((row) => [...row]) }), options);
    const model = gplvm(Y, { latentDim: 1, init });
    for (const row of init) row[0] = 100;
    const after = await fit(model, options);
    return JSON.stringify(after.latents) === JSON.stringify(before.latents) ? undefined : 'the fit has changed';
  },
  'records of a fit are frozen': async () => {
    const { trace, diagnostics, terms } = await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 2, restarts: 0 });
    return [trace, trace[0], diagnostics, terms].every(Object.isFrozen) ? undefined : 'they can be changed';
  },
  'a member of Object.prototype is no option': async () => {
    const code = `Object.prototype.foo = 1; const { fit, gplvm, meu, rbf } = await import('latentfield');
      const Y = ${JSON.stringify(Y)};
      await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 2 }); await fit(meu(Y, { latentDim: 1 }));`;
    const child = await childOf([process.execPath, '--input-type=module', '-e', code]);
    return child.code === 0 ? undefined : child.stderr;
  },
  'explore answers to its own address only': async ({ data }) => {
    const child = spawn(process.execPath, [program, 'explore', data]);
    const url = String((await once(child.stdout, 'data'))[0]).trim();
    const status = (address, headers = {}, method = 'GET') =>
      new Promise((resolve, reject) => {
        get(address, { headers, method }, (response) => resolve(response.resume().statusCode)).on('error', reject);
      });
    const found = [
      await status(url),
      await status(`${url}?x=1`),
      await status(new URL('/', url).href),
      await status(url, { Host: 'elsewhere.example' }),
      await status(url, { Origin: 'http://elsewhere.example' }),
      await status(url, {}, 'POST'),
    ].join();
    const lived = await livesAfter(child, 'SIGTERM');
    if (found !== '200,200,404,403,403,405') return found;
    return lived === undefined || lived > AT_ONCE ? `it lived on for ${lived} ms` : undefined;
  },
  'a port that cannot be is wrong usage': async () => {
    const { code, stderr } = await latentfield('explore', '--port', '99999');
    return code === 2 && stderr.includes('from 0 to 65535') ? undefined : `${code}: ${stderr}`;
  },
  'packed files that are named .csv are called what they are': async ({ path }) => {
    for (const [name, bytes] of [
      ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 0, 0]],
      ['zip', [0x50, 0x4b, 3, 4, 0, 0]],
    ]) {
      const file = path(`${name}.csv`);
      writeFileSync(file, Buffer.from(bytes));
      const { code, stderr } = await latentfield('fit', file, '--model', 'pca', '--out', path('packed'));
      if (code !== 2 || !stderr.includes(`packed by ${name}`)) return `${code}: ${stderr}`;
    }
    return undefined;
  },
  'hexadecimal numbers and long lines of Matrix Market are refused': async ({ path }) => {
    const head = '%%MatrixMarket matrix coordinate real general\n2 2 1\n';
    for (const line of ['1 1 0x20', `1 1 ${'1'.repeat(100_000)}`]) {
      writeFileSync(path('a.mtx'), `${head}${line}\n`);
      const error = await readTable(path('a.mtx')).catch((caught) => caught);
      if (error.name !== 'InvalidInputError') return `${line.slice(0, 20)}: ${error.stack ?? 'read'}`;
    }
    return undefined;
  },
  'names of 225 characters are written to': async ({ path, data }) => {
    const { code, stderr } = await latentfield('fit', data, '--model', 'pca', '--out', path('n'.repeat(225)));
    return code === 0 ? undefined : `${code}: ${stderr}`;
  },
  'too few files that may be open are named': async ({ path, data }) => {
    const { code, stderr } = await childOf([
      'bash',
      '-c',
      'ulimit -n 24; exec "$@"',
      'bash',
      process.execPath,
      program,
      'fit',
      data,
      '--model',
      'pca',
      '--out',
      path('few'),
    ]);
    return code === 0 || (code !== null && !/failed unexpectedly/.test(stderr)) ? undefined : `${code}: ${stderr}`;
  },
  'a working directory that was deleted is named': async ({ path, data }) => {
    const { code, stderr } = await childOf([
      'bash',
      '-c',
      `mkdir ${path('gone')}; cd ${path('gone')}; rmdir ${path('gone')}; exec "$@"`,
      'bash',
      process.execPath,
      program,
      'fit',
      data,
      '--model',
      'pca',
      '--out',
      'here',
    ]);
    return code === 2 && /working directory was deleted/.test(stderr) ? undefined : `${code}: ${stderr}`;
  },
  'a folder for temporary files that is missing is named': async ({ data }) => {
    const command = [process.execPath, program, 'explore', data, '--model', 'pca'];
    const { code, stderr } = await childOf(command, { env: { TMPDIR: '/missing' } });
    return code === 2 && stderr.includes('Set TMPDIR') ? undefined : `${code}: ${stderr}`;
  },
  'a process without WebAssembly is told of --jitless': async ({ path, data }) => {
    const command = [process.execPath, '--jitless', program, 'fit', data, '--model', 'pca', '--out', path('jitless')];
    const { code, stderr } = await childOf(command);
    return code === 1 && stderr.includes('without --jitless') ? undefined : `${code}: ${stderr}`;
  },
  'workers start in programs from --eval': async () => {
    const code = `import { fit, gplvm } from 'latentfield'; const Y = ${JSON.stringify(Y)};
      console.log((await fit(gplvm(Y, { latentDim: 1 }), { restarts: 2, workers: 2, maxIterations: 2 })).status);`;
    const child = await childOf([process.execPath, '--input-type=module', '-e', code]);
    return child.stdout === 'maxIterations\n' ? undefined : `${child.code}: ${child.stderr}`;
  },
  'text that no string can hold is refused': async () => {
    const error = await parseTable(new Uint8Array(2 ** 29), 'a.csv', { maxBytes: 1e9 }).catch((caught) => caught);
    return error.code === 'tooLarge' && error.message.includes('Split it') ? undefined : error.stack;
  },
  'a wide table has a picture, or a sentence about it, and little memory': async ({ path }) => {
    for (const [columns, isDrawn] of [
      [5000, true],
      [40_000, false],
    ]) {
      const table = path(`wide${columns}.csv`);
      const row = (i) => Array.from({ length: columns }, (_, j) => Math.sin(i * j + i).toFixed(3)).join();
      writeFileSync(
        table,
        [Array.from({ length: columns }, (_, j) => `y${j}`), row(0), row(1), row(2), row(3)].join('\n'),
      );
      const command = [process.execPath, '--max-old-space-size=400', program, 'fit', table, '--model', 'gplvm'];
      const { code, stderr } = await childOf([...command, '--max-iterations', '1', '--out', path(`wide${columns}`)]);
      const isSaid = stderr.includes('the picture has no background');
      if (code !== 0 || isSaid === isDrawn) return `${columns} columns: ${code}: ${stderr}`;
    }
    return undefined;
  },
  'an ordinary user and a read-only folder: said before anything is computed': async ({ path, data }) => {
    if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).error !== undefined) {
      return { skipped: 'it takes root and setpriv' };
    }
    const fitted = path('readOnly');
    spawnSync(process.execPath, [program, 'fit', data, '--model', 'gplvm', '--max-iterations', '2', '--out', fitted]);
    for (const name of ['', 'readOnly', 'data.csv']) chmodSync(path(name), 0o755);
    const as = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, program];
    for (const args of [
      ['fit', data, '--model', 'pca', '--out', path('mine')],
      ['fit', data, '--model', 'pca', '--out', fitted, '--force'],
      ['project', fitted, data, '--out', path('placed.csv')],
      ['predict', fitted, '--out', path('predicted.csv')],
      ['draw', fitted, '--out', path('draws')],
      ['explore', data, '--page', path('page.html')],
    ]) {
      const { code, stderr } = await childOf([...as, ...args]);
      if (code !== 2 || !stderr.includes('permission denied')) return `${args[0]}: ${code}: ${stderr}`;
    }
    chmodSync(data, 0);
    const { code, stderr } = await childOf([...as, 'fit', data, '--model', 'pca', '--out', '/tmp/mine']);
    chmodSync(data, 0o644);
    return code === 2 && stderr.includes('permission denied') ? undefined : `an unreadable table: ${code}: ${stderr}`;
  },
  'every command writes the same in Turkish and German': async ({ path, data }) => {
    const written = [];
    for (const locale of ['C.UTF-8', 'tr_TR.UTF-8', 'de_DE.UTF-8']) {
      const out = path(`in-${locale}`);
      const texts = [];
      for (const args of [
        ['fit', data, '--model', 'gplvm', '--max-iterations', '3', '--out', out, '--plot', 'svg,html'],
        ['info', out],
        ['info', 'gplvm'],
        ['project', out, data],
        ['predict', out],
        ['sample', out],
        ['interpolate', out, '--from', '0', '--to', '3'],
        ['impute', out, data],
        ['score', out],
        ['select', data, '--model', 'gplvm', '--grid', '{"latentDim":[1,2]}', '--max-iterations', '2'],
        [
          'draw',
          out,
          '--out',
          join(out, 'draws'),
          '--warmup',
          '5',
          '--draws',
          '5',
          '--chains',
          '1',
          '--priors',
          'weak',
        ],
        ['FIT', data],
      ]) {
        const { code, stdout } = await childOf([process.execPath, program, ...args], {
          env: { LC_ALL: locale, LANG: locale },
        });
        texts.push(`${args[0]} ${code}`, stdout.replaceAll(out, '').replace(/\d+\.\d s\b/g, ''));
      }
      for (const name of ['latents.csv', 'trace.csv', 'plot.svg', 'plot.html', 'draws/draws.csv']) {
        texts.push(readFileSync(join(out, name), 'utf8'));
      }
      written.push(texts);
    }
    const [first, ...rest] = written;
    const at = first.findIndex((text, k) => rest.some((texts) => texts[k] !== text));
    return at < 0
      ? undefined
      : `${first[at].slice(0, 200)} / ${rest.map((texts) => texts[at].slice(0, 200)).join(' / ')}`;
  },
  'draws keep out of regions whose density is −∞ or NaN': async () => {
    // log p(z) = log(−z) − z²/2 for z < 0: the mean is −√(π/2).
    const rayleigh = defineDensity({
      name: 'rayleigh',
      parameters: {},
      logDensity: (_, { value }) => op.sum(op.sub(op.log(op.neg(value)), op.mul(0.5, op.square(value)))),
    });
    const density = gaussianProcess({ kernel: rbf({ variance: fixed(1e-8), lengthscale: fixed(1) }), noise: fixed(1) });
    const model = defineModel({
      name: 'walled',
      variables: () => {
        const z = latent({ dim: 1, density: rayleigh(), init: Y.map(() => [-1]) });
        return { z, y: observed(Y, { given: z, density }) };
      },
    })(undefined);
    for (const method of ['nuts', 'hmc', 'slice']) {
      const draws = await samplePosterior(model, {
        method,
        chains: 2,
        draws: 300,
        warmup: 300,
        seed: 1,
        priors: 'inTerms',
      });
      for (const [name, { mean, q95, mcseMean }] of Object.entries(draws.summary())) {
        const isRight = q95 < 0 && Math.abs(mean + Math.sqrt(Math.PI / 2)) < 5 * mcseMean;
        if (!isRight) return `${method}: ${name} has the mean ${mean} ± ${mcseMean}`;
      }
    }
    return undefined;
  },
};

function readable(file) {
  try {
    return readFileSync(file, 'utf8') !== '';
  } catch {
    return false;
  }
}
