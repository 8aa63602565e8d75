// Makes dist/explore/page.html of the playground and dist/: one file with everything in it, which needs no network. A fit or a table can be put into it, as the
// playground does when a fit is shared, and `latentfield explore`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { entries as alias } from '../web/entries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const INSTEAD = {
  // The workers as text of the page, which contains the library once for both.
  'startWorker.ts': `import Inline from './allWorkers.ts?worker&inline'; export const startWorker = () => new Inline(); export const startSamplingWorker = startWorker;`,
  'example.ts': 'export const exampleOf = async () => undefined;',
};
const instead = () => ({
  name: 'one-file',
  enforce: 'pre',
  load(id) {
    const name = Object.keys(INSTEAD).find((file) => id.endsWith(`web/playground/${file}`));
    return name && INSTEAD[name];
  },
  transform(code, id) {
    // Listeners of messages, although package.json declares that modules have no side effects.
    if (id.endsWith('.worker.ts')) return { code, moduleSideEffects: true };
    // Workers of workers, which share restarts, have no file to start from.
    if (!id.endsWith('dist/inference/workers/pool.js')) return undefined;
    return code.replace(/new URL\('[^']*fitWorker\.js', import\.meta\.url\)/g, "'data:text/javascript,'");
  },
});
const output = { codeSplitting: false };
const { output: files } = await build({
  root: `${root}web/playground`,
  configFile: false,
  logLevel: 'error',
  resolve: { alias },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [instead()],
  worker: { format: 'iife', plugins: () => [instead()], rolldownOptions: { output } },
  build: {
    write: false,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: `${root}web/playground/main.tsx`, output },
  },
});
const script = files.find(({ isEntry }) => isEntry).code;
const style = files.find(({ fileName }) => fileName.endsWith('.css')).source;
const others = files.filter(({ isEntry, fileName }) => !isEntry && !fileName.endsWith('.css'));
if (others.length > 0) throw new Error(`The page is more than one file: ${others.map(({ fileName }) => fileName)}`);
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'";
const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(`${root}web/playground/icon.svg`, 'utf8'))}`;
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>latentfield explorer</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="held"></script>
<script type="module">${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
mkdirSync(`${root}dist/explore`, { recursive: true });
writeFileSync(`${root}dist/explore/page.html`, page);
