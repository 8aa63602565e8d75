// Packs the package, installs it with esbuild and webpack in an empty project, and has a page of it fit a model on its own thread and in a worker: through Vite's
// server, Vite's build, webpack and esbuild, each in Chromium. All must reach the same objective. A word as argument chooses some of them. Ends with the bytes that a page loads first from Vite
// and from esbuild: for `latentfield/map` they must agree within 5 %, for the whole library within
// 15 %: esbuild keeps the storage of models of TensorFlow.js, which declares side effects, and splits shared code into more files.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { build, createServer } from 'vite';
import { CHROMIUM_ARGUMENTS } from './chromiumArguments.mjs';

const executablePath = [
  process.env.LATENTFIELD_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path && existsSync(path));
if (executablePath === undefined) {
  console.error('Chromium is not installed, in which the bundles are to run: apt-get install chromium');
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'latentfield-bundlers-'));
process.on('exit', () => rmSync(project, { recursive: true, force: true }));
const run = (command, args, cwd) => {
  const { status, stdout } = spawnSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout;
};

const PROGRAM = `
import { fit, gplvm } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { latentPlot } from 'latentfield/plot';
import { fitInWorker } from 'latentfield/workers';

const { observations } = pipeFlow({ points: 30, seed: 1 });
const model = () => gplvm(observations, { latentDim: 2 });
const options = { maxIterations: 5, seed: 1 };
const file = document.documentElement.dataset.worker;
const own = file === undefined ? {} : { worker: () => new Worker(file, { type: 'module' }) };
const here = await fit(model(), options);
const there = await fitInWorker(model(), { ...options, ...own }).result;
const shared = file === undefined ? await fit(model(), { ...options, restarts: 1, workers: 2 }) : here;
const svg = await latentPlot({ latents: here.latents });
globalThis.found = { objectives: [here.objective, there.objective], shared: shared.objective >= here.objective, svg: svg.slice(0, 4) };
`;
const page = (script, attributes = '') =>
  `<!doctype html><html${attributes}><title>page</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script></html>`;

function prepare() {
  const tarball = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], root)
    .trim()
    .split('\n')
    .at(-1);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'bundled', private: true, type: 'module' }));
  run(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--silent',
      '--ignore-scripts',
      join(project, tarball),
      'esbuild@0.28',
      'webpack@5',
    ],
    project,
  );
  writeFileSync(join(project, 'main.js'), PROGRAM);
  writeFileSync(join(project, 'index.html'), page('./main.js'));
  // The server of Vite bundles packages without the files of their workers, so that the page has to pass their addresses.
  writeFileSync(join(project, 'served.html'), page('./served.js'));
  writeFileSync(
    join(project, 'served.js'),
    "import url from 'latentfield/worker.js?url';\ndocument.documentElement.dataset.worker = url;\nimport('./main.js');\n",
  );
}

/** A folder of files, served to this machine only. */
async function served(folder) {
  const types = { '.js': 'text/javascript', '.html': 'text/html' };
  const server = createHttpServer(async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const file = join(folder, path === '/' ? 'index.html' : path);
    const content = await readFile(file).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    });
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const quiet = {
  root: project,
  configFile: false,
  logLevel: 'error',
  base: './',
  build: { target: 'es2022', outDir: join(project, 'vite') },
};
const WAYS = {
  async 'Vite, server'() {
    const server = await createServer({ ...quiet, server: { host: '127.0.0.1', port: 0 } });
    await server.listen();
    return { url: `${server.resolvedUrls.local[0]}served.html`, close: () => server.close() };
  },
  async 'Vite, build'() {
    await build({ ...quiet, worker: { format: 'es' } });
    return served(quiet.build.outDir);
  },
  async webpack() {
    const webpack = createRequire(join(project, 'main.js'))('webpack');
    const folder = join(project, 'webpack');
    const output = { path: folder, filename: 'main.js', publicPath: 'auto' };
    const compiler = webpack({
      mode: 'production',
      optimization: { minimize: false },
      context: project,
      entry: './main.js',
      output,
      performance: false,
    });
    const stats = await new Promise((resolve, reject) => {
      compiler.run((error, made) => (error ? reject(error) : resolve(made)));
    });
    if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
    writeFileSync(join(folder, 'index.html'), page('./main.js'));
    return served(folder);
  },
  // It leaves the files of workers to the user: the shipped one is copied next to the bundle.
  async esbuild() {
    const esbuild = createRequire(join(project, 'main.js'))('esbuild');
    const outdir = join(project, 'esbuild');
    mkdirSync(outdir);
    const options = {
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      logLevel: 'error',
    };
    await esbuild.build({ entryPoints: [join(project, 'main.js')], outdir, external: ['node:*', 'koffi'], ...options });
    copyFileSync(join(project, 'node_modules/latentfield/dist/browser/worker.js'), join(outdir, 'worker.js'));
    writeFileSync(join(outdir, 'index.html'), page('./main.js', ' data-worker="worker.js"'));
    return served(outdir);
  },
};

prepare();
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
const objectives = new Set();
for (const [name, serve] of Object.entries(WAYS)) {
  if (!name.includes(process.argv[2] ?? '')) continue;
  const { url, close } = await serve();
  const problems = [];
  const tab = await browser.newPage();
  tab.on('pageerror', (error) => problems.push(error.message));
  await tab.goto(url);
  const found = await tab
    .waitForFunction('globalThis.found', null, { timeout: 90_000 })
    .then((handle) => handle.jsonValue())
    .catch((error) => ({ error: `${error.message} ${problems.join(' ')}` }));
  await tab.close();
  await close();
  if (found.error !== undefined || !found.shared || found.svg !== '<svg' || problems.length > 0) {
    throw new Error(`${name}: ${JSON.stringify({ found, problems })}`);
  }
  for (const objective of found.objectives) objectives.add(objective);
  console.log(`${name}: fits, also in a worker, and draws; objective ${found.objectives[0]}`);
}
await browser.close();
if (objectives.size > 1) throw new Error(`The objectives differ: ${[...objectives].join(', ')}`);

const LIGHT = {
  "fit and gplvm of 'latentfield'": "import { fit, gplvm } from 'latentfield'; globalThis.page = { fit, gplvm };",
  "map of 'latentfield/map'": "import { map } from 'latentfield/map'; globalThis.page = map;",
};
for (const [name, code] of Object.entries(LIGHT)) {
  writeFileSync(join(project, 'light.js'), code);
  const [byVite, byEsbuild] = [await weightByVite(), await weightByEsbuild()];
  const more = byEsbuild / byVite - 1;
  console.log(
    `${name}: ${(byVite / 1000).toFixed(1)} kB gzip by Vite, ${(byEsbuild / 1000).toFixed(1)} by esbuild (${(100 * more).toFixed(0)} % more)`,
  );
  const most = name.startsWith('map') ? 0.05 : 0.15;
  if (Math.abs(more) > most) throw new Error(`The page of ${name} differs by more than ${100 * most} %.`);
}

/** Kilobytes of an embed in one file, which contains what others load later, and their maximum. */
const DRAWS = "import { drawMap } from 'latentfield/draw-map'; globalThis.page = drawMap;";
const ONE_FILE = {
  map: [LIGHT["map of 'latentfield/map'"], 440],
  'drawMap of a fit from elsewhere': [DRAWS, 16],
  'drawMap of principal components': [
    `import { fit, pca } from 'latentfield'; globalThis.own = { fit, pca }; ${DRAWS}`,
    250,
  ],
  'drawMap of a GPLVM': [`import { fit, gplvm } from 'latentfield'; globalThis.own = { fit, gplvm }; ${DRAWS}`, 330],
};
for (const [name, [code, most]] of Object.entries(ONE_FILE)) {
  writeFileSync(join(project, 'light.js'), code);
  const size = (await weightByEsbuild(false)) / 1000;
  console.log(`${name}, in one file: ${size.toFixed(1)} kB gzip by esbuild, at most ${most}`);
  if (size > most) throw new Error(`The page of ${name} has more than ${most} kB.`);
}

/** Compressed bytes of a chunk and of those that it imports at once. */
function weightOf(entry, chunks, found = new Set()) {
  if (found.has(entry)) return 0;
  found.add(entry);
  const { code, imports } = chunks.get(entry);
  return imports.reduce((sum, name) => sum + weightOf(name, chunks, found), gzipSync(code).length);
}

async function weightByVite() {
  const { output } = await build({
    ...quiet,
    build: {
      ...{ write: false, target: 'es2022', modulePreload: false },
      rolldownOptions: { input: join(project, 'light.js'), external: [/^node:/, 'koffi'] },
    },
    worker: { format: 'es' },
  });
  const chunks = output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]);
  return weightOf(chunks.find(([, { isEntry }]) => isEntry)[0], new Map(chunks));
}

async function weightByEsbuild(splitting = true) {
  const esbuild = createRequire(join(project, 'main.js'))('esbuild');
  const { metafile, outputFiles } = await esbuild.build({
    ...{
      entryPoints: [join(project, 'light.js')],
      absWorkingDir: project,
      outdir: 'light',
      write: false,
      metafile: true,
    },
    ...{ bundle: true, splitting, minify: true, format: 'esm', platform: 'browser', target: 'es2022' },
    ...{ external: ['node:*', 'koffi'], logLevel: 'error' },
  });
  const chunks = Object.entries(metafile.outputs).map(([name, { imports }]) => [
    name,
    {
      code: outputFiles.find(({ path }) => path.endsWith(`/${name}`)).contents,
      imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
    },
  ]);
  return weightOf('light/light.js', new Map(chunks));
}
