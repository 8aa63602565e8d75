// Work of the children of attacks: `node attacks/job.mjs NAME …` writes one line of JSON.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fit, gplvm, LatentFieldError, loadFit, Matrix, seededRandom } from 'latentfield';
import { checksum } from 'latentfield/core';
import { readTable } from 'latentfield/io';
import { startThreads } from 'latentfield/numerics';
import { latentPlot, precisionGrid, svgToPng } from 'latentfield/plot';
import { killedModel, killedOptions } from './killedFit.mjs';
import { answersOf, own, savedModels, savedOptions, Y } from './savedModels.mjs';

/** The command line, which most of the work here does without. */
const commandLine = async () => (await import('../dist/app/cli/run.js')).run;

const jobs = {
  /** Checksums of the answers of fits of these models. */
  async bits(names, options) {
    const found = {};
    const { threads: count = 1, ...rest } = JSON.parse(options);
    // Fits as short as these would start none.
    const threads = await startThreads(count);
    for (const name of names.split(',')) {
      const result = await fit(savedModels[name](), { ...savedOptions, ...rest, ...(count > 1 && { threads }) });
      found[name] = checksum(await answersOf(result));
    }
    await threads.dispose();
    return found;
  },
  /** Fits, saves, loads, draws and runs commands, where there is no network. */
  async offline(names, folder) {
    const interfaces = Object.entries(networkInterfaces()).filter(([, all]) => all.some(({ internal }) => !internal));
    const done = [];
    for (const name of names.split(',')) {
      const result = await fit(savedModels[name](), savedOptions);
      const again = loadFit(JSON.parse(JSON.stringify(result)), own);
      if (checksum(await answersOf(again)) === checksum(await answersOf(result))) done.push(name);
    }
    const drawn = await fit(gplvm(Y, { latentDim: 2 }), savedOptions);
    const precision = precisionGrid((X) => drawn.predict(X, { noise: true }), drawn.latents);
    if ((await latentPlot({ latents: drawn.latents, precision })).startsWith('<svg')) done.push('latentPlot');
    for (const [command, code] of await commandsIn(folder)) if (code === 0) done.push(command);
    return { interfaces: interfaces.length, done };
  },
  /** Files on a disk that is nearly full: writes them once, fills all but some kilobytes, and writes them again. */
  async disk(folder, kilobytes) {
    const state = join(folder, 'state.json');
    const fitted = (maxIterations) => async () => {
      const { objective } = await fit(killedModel(), { ...killedOptions, maxIterations, ...saving(state) });
      return objective;
    };
    const commanded = async () =>
      (await commandsIn(folder, ['--force'])).map(([command, code, text]) => ({ command, code, text }));
    const before = [await outcomeOf(fitted(10)), await outcomeOf(commanded)];
    fill(folder, Number(kilobytes));
    const after = [await outcomeOf(fitted(20)), await outcomeOf(commanded)];
    const damaged = ['state.json', 'out/fit.json'].filter((name) => !isWholeJson(join(folder, name)));
    const left = [folder, join(folder, 'out')]
      .flatMap((name) => readdirSync(name))
      .filter((name) => name.endsWith('.tmp'));
    return { before, after, damaged, left };
  },
  /** A fit of N points that keeps N×N matrices. */
  async memory(points, engine, checkpoint) {
    const { normal } = seededRandom(1);
    const observations = Matrix.zeros(Number(points), 3);
    observations.data.forEach((_, i) => {
      observations.data[i] = normal();
    });
    return outcomeOf(async () => {
      const options = { maxIterations: 3, engine, checkpoint, checkpointInterval: 0, seed: 1 };
      const { objective, latents } = await fit(gplvm(observations, { latentDim: 2 }), options);
      return { objective, latents: checksum(latents) };
    });
  },
  /** A command by a clock that counts the processor seconds of this thread, times a scale: its lines on stderr, and when it wrote them. */
  async timed(given) {
    const { args, scale } = JSON.parse(given);
    const run = await commandLine();
    // Threads that compile and collect garbage run next to this one at the beginning.
    const ofThread = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
    const start = ofThread();
    const seconds = () => scale * (ofThread() - start);
    performance.now = () => 1000 * seconds();
    const lines = [];
    const write = (text) => {
      lines.push({ at: seconds(), text: String(text) });
      return true;
    };
    const code = await run(args, { stdout: { write }, stderr: { write } });
    return { code, lines, ended: seconds() };
  },
  /** Invalid pictures, and pictures with forbidden references: the outcome of each as PNG. */
  async png() {
    const svg = (content, size = 'width="20" height="20"') =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${content}</svg>`;
    const file = join(mkdtempSync(join(tmpdir(), 'latentfield-png-')), 'red.svg');
    writeFileSync(file, svg('<rect width="20" height="20" fill="#f00"/>'));
    const pictures = {
      'cut off': svg('').slice(0, 70),
      'tags that do not match': svg('<g><path></g>'),
      'a size of 0': svg('', 'width="0" height="0"'),
      'a size that is none': svg('', 'width="1.2.3" height="2"'),
      'groups in groups': svg('<g>'.repeat(50_000) + '</g>'.repeat(50_000)),
      'a use of itself': svg('<g id="a"><use href="#a"/></g>'),
      'uses of uses': svg(
        `<g id="a0"><rect width="1" height="1"/></g>${Array.from({ length: 30 }, (_, k) => `<g id="a${k + 1}"><use href="#a${k}"/><use href="#a${k}"/></g>`).join('')}`,
      ),
      'a blur without end': svg(
        '<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter><rect width="20" height="20" filter="url(#f)"/>',
      ),
      'numbers that are none': svg(`<path d="M${'NaN '.repeat(1000)}"/><circle r="1e999"/>`),
      'an image that is none': svg('<image href="data:image/png;base64,AAAA" width="20" height="20"/>'),
      'an image of this machine': svg(`<image href="${file}" width="20" height="20"/>`),
      'large pixels': svg('', 'width="8192" height="8192"'),
    };
    const found = {};
    for (const [what, picture] of Object.entries(pictures)) {
      found[what] = await outcomeOf(async () => checksum(Array.from(await svgToPng(picture, { scale: 1 }))));
    }
    found['an image of this machine'].error ??= 'it was read';
    return found;
  },
  /** A table that is read: what came of it, with the seconds of the processor and the memory that it took. */
  async table(path) {
    const outcome = await outcomeOf(async () => (await readTable(path)).observations.rows);
    const { user, system } = process.cpuUsage();
    return {
      outcome,
      seconds: (user + system) / 1e6,
      megabytes: process.resourceUsage().maxRSS / 1024,
    };
  },
  /** Bytes after each tenth of so many fits, collected. */
  async leaks(fits) {
    const bytes = [];
    const names = Object.keys(savedModels);
    const part = Math.ceil(Number(fits) / 10);
    for (let k = 0; k < part * 10; k++) {
      const result = await fit(savedModels[names[k % names.length]](), { ...savedOptions, maxIterations: 2 });
      if (k % 3 === 0) await answersOf(loadFit(JSON.parse(JSON.stringify(result)), own));
      if (k % part !== part - 1) continue;
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 20));
      globalThis.gc();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      bytes.push({ heapUsed, arrayBuffers });
    }
    return bytes;
  },
};

const saving = (checkpoint) => ({ checkpoint, checkpointInterval: 0 });

/** Writes a file until nothing more fits, and cuts it by so many kilobytes. */
function fill(folder, kilobytes) {
  const path = join(folder, 'filler');
  const page = Buffer.alloc(4096);
  const file = openSync(path, 'w');
  let pages = 0;
  try {
    for (;;) if (writeSync(file, page) === page.length) pages++;
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
  ftruncateSync(file, Math.max(0, pages * 4096 - kilobytes * 1024));
  closeSync(file);
}

function isWholeJson(path) {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Exit codes and messages of a few commands with their files in a folder. */
async function commandsIn(folder, flags = []) {
  mkdirSync(folder, { recursive: true });
  const run = await commandLine();
  const ended = [];
  const said = async (args) => {
    let text = '';
    const write = (chunk) => {
      text += chunk;
      return true;
    };
    const streams = { stdout: { write: () => true }, stderr: { write } };
    ended.push([args[0], await run(args, streams), text]);
  };
  const table = join(folder, 'table.csv');
  if (!existsSync(table)) writeFileSync(table, ['a,b,c', ...Y.map((row) => row.join(','))].join('\n'));
  const out = join(folder, 'out');
  await said(['fit', table, '--model', 'gplvm', '--max-iterations', '5', '--out', out, ...flags]);
  await said(['project', out, table]);
  await said(['info', out]);
  return ended;
}

/** Outcome: a value, or an error with a flag for errors of the library. */
async function outcomeOf(work) {
  try {
    return { value: await work() };
  } catch (error) {
    return {
      error: String(error?.message ?? error),
      stack: String(error?.stack).slice(0, 600),
      isTyped: error instanceof LatentFieldError,
      system: error?.code,
    };
  }
}

const [name, ...args] = process.argv.slice(2);
process.stdout.write(`\n${JSON.stringify(await jobs[name](...args))}\n`);
