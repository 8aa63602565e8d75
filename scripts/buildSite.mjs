// Builds the site into web/dist: the documents of docs/, every error sentence and the reference by VitePress, with its search, and the playground by vite. Static files, all links
// relative. Needs dist/.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { build } from 'vite';
import { entries } from '../web/entries.mjs';
import { anywhere } from '../web/site/base.mjs';
import { pages } from '../web/site/contents.mjs';
import { writeErrorPage } from '../web/site/errorSentences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = join(root, 'web/site/generated');
const dist = join(root, 'web/dist');
/** Documents at the root of the repository. */
const ROOT = ['README', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'GOVERNANCE', 'CODE_OF_CONDUCT'];

function run(...command) {
  const { status } = spawnSync('npx', ['--no-install', ...command], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

for (const folder of [dist, generated]) rmSync(folder, { recursive: true, force: true });
gatherDocuments();
writeErrorPage(join(generated, 'every-error-sentence.md'));
run('typedoc', '--options', 'web/site/typedoc.json', '--logLevel', 'Warn');
run('vitepress', 'build', 'web/site');
anywhere(dist);
run('vite', 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn');
await buildRunner();
writeFileSync(join(dist, 'reference/names.json'), JSON.stringify(namesOfReference()));
writeFileSync(join(dist, 'llms.txt'), contentsInText());
writeFileSync(join(dist, 'preview.png'), preview());
process.stdout.write('The site is in web/dist; `npx vite preview web --outDir dist` shows it.\n');

/** Copies docs/, the home page and the documents at the root of the repository, with links between them as they are on the site. */
function gatherDocuments() {
  const at = (name) => join(root, name);
  cpSync(at('docs'), generated, { recursive: true, filter: (path) => !path.startsWith(at('docs/api')) });
  cpSync(at('web/site/index.md'), join(generated, 'index.md'));
  for (const name of ROOT) {
    const text = readFileSync(at(`${name}.md`), 'utf8').replace(/\]\(docs\//g, '](./');
    writeFileSync(join(generated, `${name.toLowerCase()}.md`), text);
  }
  for (const name of readdirSync(generated, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue;
    const file = join(generated, name);
    const text = readFileSync(file, 'utf8');
    const linked = text.replace(
      new RegExp(`\\]\\(((?:\\.\\./|\\./)*)(${ROOT.join('|')})\\.md`, 'g'),
      (found, up, document) =>
        document === 'README' && up === '' && dirname(name) !== '.'
          ? found
          : `](${'../'.repeat(name.split('/').length - 1) || './'}${document.toLowerCase()}.md`,
    );
    // The site has no sources: a link to one is its words.
    writeFileSync(
      file,
      linked.replace(
        /\[([^\]]*)\]\((?:\.\.?\/)*(?:(?:test|src|examples|bench|containers)\/[^)]*|CITATION\.cff|LICENSE)\)/g,
        '$1',
      ),
    );
  }
}

/** The pages of each import path of the reference, by name. */
function namesOfReference() {
  const nameOf = (file) => file.split('/').at(-1);
  const found = {};
  for (const name of readdirSync(join(generated, 'reference'), { recursive: true, encoding: 'utf8' }).sort()) {
    const [, path, file] =
      /^(.+?)\/((?:functions|classes|interfaces|variables)\/[^/]+)\.md$/.exec(name.replaceAll('\\', '/')) ?? [];
    if (path !== undefined) found[path] = [...(found[path] ?? []), file];
  }
  for (const files of Object.values(found)) files.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return found;
}

/** Builds the worker that runs blocks of documents, with the library in files that it loads when it needs them. */
async function buildRunner() {
  await build({
    root: join(root, 'web/site'),
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    base: './',
    resolve: { alias: entries },
    worker: { format: 'es' },
    build: {
      outDir: join(dist, 'run'),
      target: 'es2022',
      modulePreload: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: join(root, 'web/site/run.worker.mjs'),
        output: { entryFileNames: 'run.js' },
        external: [/^node:/, 'koffi'],
      },
    },
  });
}

/** The pages, one a line with its first sentence, for programs that read: https://llmstxt.org. */
function contentsInText() {
  const lines = [
    '# latentfield',
    '',
    '> Latent variable models with error bars, in Node and in the browser (TypeScript).',
    '',
  ];
  let last = '';
  for (const { group, page, name } of pages) {
    if (group !== last) lines.push(...(last === '' ? [] : ['']), `## ${group}`, '');
    last = group;
    const text = readFileSync(join(generated, `${page}.md`), 'utf8');
    const first = text.split('\n\n').find((part) => /^[A-Z`]/.test(part)) ?? '';
    const sentence = /^[\s\S]*?[.:](?=\s|$)/.exec(first)?.[0].replace(/\s+/g, ' ') ?? name;
    lines.push(`- [${name}](${page}.html): ${sentence}`);
  }
  return `${lines.join('\n')}\n\n## Reference\n\n- [Every export](reference/index.html)\n`;
}

/** Preview of links to the site: pipe flow, 1200 pixels wide. */
function preview() {
  const picture = readFileSync(join(root, 'docs/pipe-flow.svg'), 'utf8');
  return new Resvg(picture, { fitTo: { mode: 'width', value: 1200 }, background: '#ffffff' }).render().asPng();
}
