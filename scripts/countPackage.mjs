// Weight of the package: kB of pages, files and MB of the package and of an installation, and its loading time, compared with its heavier form.
//
//   npm run count:package [-- --write]      (--write puts the table into docs/project/package.md)
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Measured once on the package when it depended on the whole of TensorFlow.js. */
const BEFORE = {
  ...{ 'page with `fit, gplvm`, kB gzip': '420', 'page with `Matrix`, kB gzip': '287' },
  ...{ 'an installation, MB': '329', 'packages with install scripts': 'a warning', 'files in the package': '1510' },
};

/** Processor time, since other programs may use the machine too. */
const LOAD = "await import('latentfield'); const { user, system } = process.cpuUsage(); console.log(user + system);\n";

const run = (command, args, cwd = root) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const filesOf = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];
const bytes = (files, measured = (file) => statSync(file).size) => files.reduce((sum, file) => sum + measured(file), 0);
const compressed = (file) => gzipSync(readFileSync(file)).length;
const kilobytes = (size) => (size / 1e3).toFixed(1);
const megabytes = (size) => (size / 1e6).toFixed(1);

/** A file and those that it and they import at once. */
function loadedFirst(folder, name, found = new Set()) {
  const file = join(folder, name);
  if (found.has(file)) return [];
  found.add(file);
  for (const [, next] of readFileSync(file, 'utf8').matchAll(/(?:from|import) *"\.\/([^"]+)"/g))
    loadedFirst(folder, next, found);
  return [...found];
}

const table = new Map();
for (const [, name, size] of run('node', ['scripts/checkSizes.mjs']).matchAll(/^(\w+) +([\d.]+) kB/gm)) {
  table.set(`page with \`${['gplvm', 'mpme'].includes(name) ? `fit, ${name}` : name}\`, kB gzip`, size);
}
table.set(
  '`latentfield/browser` and what it loads first, kB gzip',
  kilobytes(bytes(loadedFirst(join(root, 'dist/browser'), 'latentfield.js'), compressed)),
);
table.set(
  'one file for workers, `latentfield/worker.js`, kB gzip',
  kilobytes(compressed(join(root, 'dist/browser/worker.js'))),
);

const project = mkdtempSync(join(tmpdir(), 'latentfield-count-'));
try {
  const [packed] = JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project]));
  table.set('files in the package', String(packed.entryCount));
  table.set('the package, MB', megabytes(packed.size));
  table.set('the package unpacked, MB', megabytes(packed.unpackedSize));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', join(project, packed.filename)], project);
  const installed = filesOf(join(project, 'node_modules'));
  const manifests = installed.filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  const scripted = manifests.filter((file) => {
    const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8'));
    return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
  });
  table.set('an installation, MB', megabytes(bytes(installed)));
  table.set('files of an installation', String(installed.length));
  table.set('packages of an installation', String(manifests.length));
  table.set('packages with install scripts', String(scripted.length));
  writeFileSync(join(project, 'load.mjs'), LOAD);
  const seconds = Array.from({ length: 5 }, () => Number(run('node', ['load.mjs'], project))).sort((a, b) => a - b);
  table.set("`import 'latentfield'` in Node, seconds of the processor, median of 5", (seconds[2] / 1e6).toFixed(2));
} finally {
  rmSync(project, { recursive: true });
}
const site = filesOf(join(root, 'web/dist'));
if (site.length > 0) {
  table.set('the site, MB', megabytes(bytes(site)));
  table.set('pages of the site', String(site.filter((file) => file.endsWith('.html')).length));
  const playground = join(root, 'web/dist/playground');
  const page = readFileSync(join(playground, 'index.html'), 'utf8');
  const loaded = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file]) => join(playground, file));
  table.set('what the playground loads first, kB gzip', kilobytes(bytes(loaded, compressed)));
  table.set(
    'the same with its example, kB gzip',
    kilobytes(bytes([...loaded, join(playground, 'example.json')], compressed)),
  );
}

const lines = [...table].map(([what, now]) => `| ${what} | ${BEFORE[what] ?? '–'} | ${now} |`);
const text = ['| | before | now |', '| --- | --- | --- |', ...lines].join('\n');
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) {
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).trim();
  writeFileSync(
    join(root, 'docs/project/package.md'),
    `# What the package weighs

Printed by \`npm run count:package -- --write\`, after \`npm run site\`, at ${commit}. Before: the package that depended on the whole of TensorFlow.js; – where nobody measured. Pages are what
a page's script loads first for these imports, bundled and minified; \`npm run check:sizes\` keeps them within their budgets. A kB is 1000 bytes.

${text}
`,
  );
}
