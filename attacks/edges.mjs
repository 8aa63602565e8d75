// The edges around fits: results that are replaced, locks that are left, signals outside of a fit, pipes, holes, values that are changed afterwards,
// and pages that were tampered with. Each is a named attack; the first two are repeated as often as there are cases.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  backConstrained,
  bayesianGplvm,
  defineDensity,
  defineKernel,
  defineModel,
  fit,
  fixed,
  fixedAt,
  gaussianLatents,
  gaussianProcess,
  gplvm,
  latent,
  latentVariableModel,
  linearMap,
  loadFit,
  Matrix,
  meu,
  mpme,
  observed,
  positive,
  rbf,
  sammon,
  samplePosterior,
  tpslvm,
  tsne,
  umap,
} from 'latentfield';
import { parseTable, readTable } from 'latentfield/io';
import * as op from 'latentfield/ops';
import seedrandom from 'seedrandom';
import { run } from '../dist/app/cli/run.js';
import {
  canIsolate,
  childOf,
  commandNames,
  endWithin,
  ISOLATED,
  lastJson,
  programOf,
  reasonAgainst,
} from './child.mjs';
import { Y } from './savedModels.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
const latentfield = (...args) => childOf([process.execPath, program, ...args]);
/** `latentfield info` in this process. */
async function info(folder) {
  let stderr = '';
  const write = (text) => {
    stderr += text;
    return true;
  };
  const streams = { stdout: { write: () => true }, stderr: { write } };
  return { code: await run(['info', folder], streams), stderr };
}
/** Limit on the life of a process after a signal, in milliseconds of processor time. */
const AT_ONCE = 1000;

export async function attackEdges({ seed, cases, report }) {
  const random = seedrandom(`edges ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-edges-'));
  const path = (name) => join(folder, name);
  const data = path('data.csv');
  writeFileSync(data, ['a,b,c', ...Y.map((row) => row.join(','))].join('\n'));
  try {
    const isolated = canIsolate(report) ? ISOLATED : [];
    await replaced({ path, data, random, cases, isolated, report });
    await raced({ path, data, random, cases, isolated, report });
    for (const [what, attack] of Object.entries(attacks)) {
      try {
        const found = await attack({ path, data });
        if (found === undefined) report.count('as promised');
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

/** Fits that replace results, killed while they write: the folder contains one of the results, or is refused. Every other one is the first process of a namespace. */
async function replaced({ path, data, random, cases, isolated, report }) {
  const out = path('replaced');
  const args = (k) => [program, 'fit', data, '--model', 'pca', '--dim', String(1 + (k % 2)), '--out', out, '--force'];
  const began = performance.now();
  spawnSync(process.execPath, args(0));
  const usual = performance.now() - began;
  for (let k = 1; k <= cases; k++) {
    const [command, ...rest] = [...(k % 4 < 2 ? [] : isolated), process.execPath, ...args(k)];
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    const exit = once(child, 'close');
    await Promise.race([pause(usual * (0.6 + 0.5 * random())), exit]);
    child.kill('SIGKILL');
    await exit;
    const { code, stderr } = await info(out);
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

/** Processes of a race. */
const RACERS = 4;

/**
 * Fits of several processes into one folder, or with one checkpoint, at once: one writes, the others are refused. In every other pair of races each
 * process is the first of its namespace, so that all have one number. In half of the races one is killed, whose lock the next process takes over.
 */
async function raced({ path, data, random, cases, isolated, report }) {
  for (let k = 0; k < cases; k++) {
    const ofFolder = k % 2 === 0;
    const isKilled = k % 8 >= 4;
    const out = (p) => path(ofFolder ? 'raced' : `raced${p}`);
    const more = ofFolder ? [] : ['--checkpoint', path('raced.json'), '--checkpoint-interval', '0'];
    const command = (p) => [
      ...(k % 4 < 2 ? [] : isolated),
      ...[process.execPath, program, 'fit', data, '--model', 'gplvm', '--max-iterations', '20', '--force'],
      ...['--out', out(p), ...more],
    ];
    const what = `race ${k} for a ${ofFolder ? 'folder' : 'checkpoint'}`;
    const ends = Array.from({ length: RACERS }, (_, p) =>
      racer(command(p), isKilled && p === 0 ? random() : undefined),
    );
    const all = await Promise.all(ends);
    const isRefused = ({ code, stderr }) => code === 2 && stderr.includes('is being written to');
    const bad = all.find((end) => end.code !== 0 && end.signal !== 'SIGKILL' && !isRefused(end));
    if (bad !== undefined) report.fail(what, `${bad.code} ${bad.signal}: ${bad.stderr}`);
    if (!isKilled && all.every(isRefused)) report.fail(what, 'nobody wrote');
    const after = await childOf(command(RACERS));
    if (after.code !== 0) report.fail(`${what}, the next process`, `${after.code}: ${after.stderr}`);
    for (let p = 0; p <= RACERS; p++) {
      if (!existsSync(join(out(p), 'fit.json'))) continue;
      const { code, stderr } = await info(out(p));
      if (code !== 0) report.fail(`${what}, info`, stderr);
    }
    report.count(`races for a ${ofFolder ? 'folder' : 'checkpoint'}${isKilled ? ', one killed' : ''}`);
  }
  const left = readdirSync(path('raced')).filter((name) => /\.(tmp|lock)/.test(name));
  if (left.length > 0) report.fail('files after the races', left.join(', '));
}

/** A process of a race, killed after a part of the second that it takes, if at all. */
async function racer([command, ...args], part) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const close = once(child, 'close');
  if (part !== undefined) {
    await Promise.race([close, pause(AT_ONCE * (0.2 + part))]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await close;
  return { code, signal, stderr };
}

/** Whether a process that lives ends at once after a signal; it is killed otherwise. */
async function endsAtOnce(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return false;
  const exit = once(child, 'exit');
  child.kill(signal);
  if ((await endWithin(child, exit, AT_ONCE)) !== undefined) return true;
  child.kill('SIGKILL');
  await exit;
  return false;
}

const attacks = {
  'results at a limit of the size of files are those of one fit': async ({ path, data }) => {
    const out = path('limited');
    const args = (dim) => ['fit', data, '--model', 'pca', '--dim', String(dim), '--force', '--out', out];
    const before = await latentfield(...args(2));
    if (before.code !== 0) return before.stderr;
    for (const blocks of [1, 2, 4, 8]) {
      const limited = ['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, 'bash', process.execPath, program];
      const { code, stderr } = await childOf([...limited, ...args(1)]);
      if (![0, 1, 2].includes(code) || /failed unexpectedly/.test(stderr) || (code !== 0) !== /^error: /m.test(stderr))
        return `${blocks} blocks: ${code}: ${stderr}`;
      const info = await latentfield('info', out);
      if (info.code !== 0 || !info.stdout.includes(`latent dimension ${code === 0 ? 1 : 2}`))
        return `${blocks} blocks: ${info.stdout}${info.stderr}`;
      const columns = readFileSync(join(out, 'latents.csv'), 'utf8').split('\n')[0].split(',').length;
      if (columns !== (code === 0 ? 1 : 2)) return `${blocks} blocks: the results are mixed`;
    }
    return undefined;
  },
  'the lock of a killed process with the number of this one stops nobody': async ({ path, data }) => {
    const out = path('locked');
    const isolated = [...ISOLATED, process.execPath, program];
    if (reasonAgainst([...ISOLATED, 'true']) !== undefined) {
      return { skipped: 'this machine gives no namespace of processes' };
    }
    const endless = ['--model', 'gplvm', '--tolerance', '0', '--max-iterations', '100000'];
    const child = spawn(isolated[0], [...isolated.slice(1), 'fit', data, ...endless, '--out', out]);
    for (let k = 0; k < 200 && !readable(join(out, 'fit.json.lock')); k++) await pause(50);
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
      if (!(await endsAtOnce(child, signal))) return `${command[0]}, ${signal}: it did not wait, or lived on`;
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
  'maxBytes is heeded while a pipe is read': async ({ path }) => {
    spawnSync('mkfifo', [path('endless.csv')]);
    const writer = spawn('bash', ['-c', `exec yes 1,2,3 > '${path('endless.csv')}'`], { stdio: 'ignore' });
    const closed = once(writer, 'close');
    const before = process.memoryUsage().rss;
    const error = await readTable(path('endless.csv'), { maxBytes: 1000 }).catch((caught) => caught);
    const grown = (process.memoryUsage().rss - before) / 1e6;
    writer.kill('SIGKILL');
    await closed;
    return error.code === 'tooLarge' && grown < 100 ? undefined : `${error.code}, ${grown.toFixed(0)} MB`;
  },
  'a device of zeros is refused by every command that reads it, in little memory': async ({ path, data }) => {
    if (!existsSync(path('zero.csv'))) symlinkSync('/dev/zero', path('zero.csv'));
    const fitted = path('beforeZeros');
    await latentfield('fit', data, '--model', 'gplvm', '--max-iterations', '2', '--out', fitted);
    writeFileSync(
      path('zeros.json'),
      JSON.stringify({ data: 'zero.csv', models: [{ model: 'pca', grid: { latentDim: [1] } }] }),
    );
    const told = `process.on('exit', () => console.error('took', process.resourceUsage().maxRSS / 1024, 'MB'))`;
    for (const args of [
      ['fit', path('zero.csv'), '--model', 'pca', '--out', path('zeros')],
      ['select', path('zero.csv'), '--model', 'gplvm', '--grid', '{"latentDim":[1,2]}'],
      ['compare', path('zero.csv'), '--out', path('zeros')],
      ['explore', path('zero.csv'), '--page', path('zeros.html')],
      ['project', fitted, path('zero.csv')],
      ['impute', fitted, path('zero.csv')],
      ['score', fitted, '--data', path('zero.csv')],
      ['assess', fitted, '--labels', path('zero.csv')],
      ['sweep', path('zeros.json'), '--out', path('zerosSwept')],
    ]) {
      const command = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(told)}`, program];
      const { code, stderr } = await childOf([...command, ...args]);
      const megabytes = Number(/took ([\d.]+) MB/.exec(stderr)?.[1]);
      if (code !== 2 || !/^error: .*(bytes|MB|a pipe or a device)/m.test(stderr) || !(megabytes < 600))
        return `${args[0]}: ${code}: ${stderr}`;
    }
    return undefined;
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
    const map = linearMap();
    const models = {
      gplvm: (init) => gplvm(Y, { latentDim: 1, init }),
      tpslvm: (init) => tpslvm(Y, { latentDim: 1, init }),
      latentVariableModel: (init) => latentVariableModel({ observations: Y, latentDim: 1, init }),
      bayesianGplvm: (init) => bayesianGplvm(Y, { latentDim: 1, inducing: 4, init }),
      fixedAt: (init) => gplvm(Y, { latentDim: 1, posterior: fixedAt(init) }),
      gaussianLatents: (init) => gplvm(Y, { latentDim: 1, inducing: 4, posterior: gaussianLatents({ init }) }),
      backConstrained: (init) => gplvm(Y, { latentDim: 1, posterior: backConstrained(map, { init }) }),
      custom: (init) =>
        defineModel({
          name: 'custom',
          variables: () => {
            const z = latent({ dim: 1, init });
            return { z, y: observed(Y, { given: z, density: gaussianProcess({ kernel: rbf() }) }) };
          },
        })(undefined),
      meu: (init) => meu(Y, { latentDim: 1, neighbors: 4, init }),
      mpme: (init) => mpme(Y, { latentDim: 1, slackPenalty: 1, init }),
      sammon: (init) => sammon(Y, { latentDim: 1, init }),
      tsne: (init) => tsne(Y, { latentDim: 1, perplexity: 3, steps: 1, init }),
      umap: (init) => umap(Y, { latentDim: 1, neighbors: 3, steps: 1, init }),
    };
    const start = () => Y.map(([a]) => [a]);
    let tried = 0;
    for (const [name, model] of Object.entries(models)) {
      const begun = async (changed) => {
        const init = start();
        const made = model(init);
        if (changed) for (const row of init) row[0] *= -100;
        return JSON.stringify((await fit(made, { maxIterations: 1, restarts: 0, seed: 1 })).latents);
      };
      let before;
      try {
        before = await begun(false);
      } catch (error) {
        // Some models have no such option.
        if (error.code === 'unknownOption' || /option/.test(error.message)) continue;
        return `${name}: ${error.stack}`;
      }
      if ((await begun(true)) !== before) return `${name}: the fit has changed`;
      tried++;
    }
    return tried >= 10 ? undefined : `${tried} models were tried`;
  },
  'a parameter of a kernel has its own value, whatever its name': async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
      const odd = defineKernel({
        name: 'odd',
        parameters: { [name]: positive(2) },
        covariance: (parameters, A, B) => op.mul(parameters[name], op.matMul(A, B, false, true)),
      });
      const fitted = await fit(gplvm(Y, { latentDim: 1, kernel: odd() }), { maxIterations: 0, restarts: 0 });
      const loaded = loadFit(JSON.parse(JSON.stringify(fitted)), { kernels: { odd } });
      for (const { parameters } of [fitted, loaded]) {
        const value = Object.entries(parameters).find(([key]) => key.endsWith(`.${name}`))?.[1];
        if (Number(value) !== 2 && Math.abs(Number(value) - 2) > 1e-12) return `${name} is ${value}`;
      }
    }
    return undefined;
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
    const isEnded = await endsAtOnce(child, 'SIGTERM');
    if (found !== '200,200,404,403,403,405') return found;
    return isEnded ? undefined : 'it lived on after SIGTERM';
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
    for (const name of ['a.csv', 'a.mtx']) {
      const bytes = new Uint8Array(2 ** 29).fill(0x31);
      if (name.endsWith('.mtx')) bytes.set(new TextEncoder().encode('%%MatrixMarket matrix array real general\n1 1\n'));
      const error = await parseTable(bytes, name, { maxBytes: 1e9 }).catch((caught) => caught);
      if (error.code !== 'tooLarge' && error.name !== 'InvalidInputError')
        return `${name}: ${error.stack ?? 'it was read'}`;
    }
    return undefined;
  },
  'columns that are constant are counted in the time that their number takes': async ({ path }) => {
    const columns = 300_000;
    const row = (i) => Array.from({ length: columns }, (_, j) => (i * j) % 7).join();
    writeFileSync(path('widest.csv'), [row(0), row(1), row(2), row(3)].join('\n'));
    const child = await childOf([process.execPath, programOf('job.mjs'), 'table', path('widest.csv')]);
    const { outcome, seconds, megabytes } = lastJson(child) ?? {};
    const isRight = outcome?.value === 4 && seconds < 30 && megabytes < 1500;
    return isRight ? undefined : `${JSON.stringify(outcome)} in ${seconds} s and ${megabytes} MB: ${child.stderr}`;
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
  'what is no picture is refused as PNG, and what is one is drawn, without its files': async () => {
    const child = await childOf([process.execPath, programOf('job.mjs'), 'png']);
    const found = lastJson(child);
    if (found === undefined) return `${child.code} ${child.signal}: ${child.stderr.slice(-400)}`;
    const bad = Object.entries(found).find(([, { error, isTyped }]) => error !== undefined && !isTyped);
    return bad === undefined ? undefined : `${bad[0]}: ${bad[1].stack}`;
  },
  'a picture of many dimensions is a PNG': async ({ path, data }) => {
    const wide = path('wide.csv');
    const rows = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 36 }, (__, j) => Math.sin(i * i + 7 * j * i)),
    );
    writeFileSync(wide, [rows[0].map((_, j) => `y${j}`), ...rows].map((row) => row.join()).join('\n'));
    for (const [table, dim] of [
      [data, 1],
      [wide, 30],
    ]) {
      const out = path(`png${dim}`);
      const args = ['fit', table, '--model', 'pca', '--dim', String(dim), '--plot', 'png', '--out', out];
      const { code, stderr } = await latentfield(...args);
      if (code !== 0 || readFileSync(join(out, 'plot.png')).toString('latin1', 1, 4) !== 'PNG')
        return `${code}: ${stderr}`;
    }
    return undefined;
  },
  'every command writes the same in Turkish and German': async ({ path, data }) => {
    const written = [];
    const labeled = path('labeled.csv');
    writeFileSync(labeled, ['a,b,c,Iı', ...Y.map((row, i) => [...row, 'IiıiI'[i % 2]].join())].join('\n'));
    const spec = path('spec.json');
    writeFileSync(spec, JSON.stringify({ data: 'data.csv', models: [{ model: 'pca', grid: { latentDim: [1, 2] } }] }));
    const missing = new Set(await commandNames());
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
        ['fit', labeled, '--labels', 'Iı', '--model', 'gplvm', '--max-iterations', '3', '--out', `${out}-labeled`],
        ['predict-labels', `${out}-labeled`, data],
        ['compare-maps', out, `${out}-labeled`],
        [
          'assess',
          out,
          '--restarts',
          '1',
          '--bootstraps',
          '1',
          '--dimensions',
          'none',
          '--page',
          join(out, 'page.html'),
        ],
        ['compare', data, '--models', 'pca,isomap', '--dim', '1', '--out', join(out, 'compared')],
        [
          'fit',
          data,
          '--model',
          'gplvm',
          '--options',
          '{"dynamics":true}',
          '--max-iterations',
          '3',
          '--out',
          `${out}-moving`,
        ],
        ['forecast', `${out}-moving`, '--steps', '2', '--draws', '4'],
        ['explore', data, '--page', join(out, 'explored.html')],
        ['sweep', spec, '--out', join(out, 'swept')],
        ['queue'],
        ['worker'],
        ['completion', 'bash'],
        ['FIT', data],
      ]) {
        missing.delete(args[0]);
        const { code, stdout } = await childOf([process.execPath, program, ...args], {
          env: { LC_ALL: locale, LANG: locale },
        });
        texts.push(
          `${args[0]} ${code}`,
          stdout.replaceAll(out, '').replace(/\d+\.\d s\b|(?<=converged +)\d+\.\d/g, ''),
        );
      }
      const files = [
        'latents.csv',
        'trace.csv',
        'plot.svg',
        'plot.html',
        'draws/draws.csv',
        'page.html',
        'compared/pca.svg',
      ];
      for (const name of [...files, 'explored.html']) {
        texts.push(readFileSync(join(out, name), 'utf8'));
      }
      written.push(texts);
    }
    if (missing.size > 0) return `not tried: ${[...missing].join(', ')}`;
    const [first, ...rest] = written;
    const at = first.findIndex((text, k) => rest.some((texts) => texts[k] !== text));
    return at < 0
      ? undefined
      : `${first[at].slice(0, 200)} / ${rest.map((texts) => texts[at].slice(0, 200)).join(' / ')}`;
  },
  'draws keep out of regions whose density is −∞ or NaN': async () => {
    // log p(z) = log(−z) − z²/2 for z < 0: the mean is −√(π/2). Beyond 0 the logarithm is NaN, or −∞ of max(−z, 0).
    const depths = { NaN: op.neg, '−∞': (z) => op.maximum(op.neg(z), 0) };
    const density = gaussianProcess({ kernel: rbf({ variance: fixed(1e-8), lengthscale: fixed(1) }), noise: fixed(1) });
    const walled = (depth) => {
      const rayleigh = defineDensity({
        name: 'rayleigh',
        parameters: {},
        logDensity: (_, { value }) => op.sum(op.sub(op.log(depth(value)), op.mul(0.5, op.square(value)))),
      });
      const variables = () => {
        const z = latent({ dim: 1, density: rayleigh(), init: Y.map(() => [-1]) });
        return { z, y: observed(Y, { given: z, density }) };
      };
      return defineModel({ name: 'walled', variables })(undefined);
    };
    for (const [method, region] of ['nuts', 'hmc', 'slice'].flatMap((name) => [
      [name, 'NaN'],
      [name, '−∞'],
    ])) {
      const model = walled(depths[region]);
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
        if (!isRight) return `${method}, ${region}: ${name} has the mean ${mean} ± ${mcseMean}`;
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
