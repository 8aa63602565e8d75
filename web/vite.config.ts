import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, runnerImport } from 'vite';
import { entries } from './entries.mjs';

/** Nothing from elsewhere, no inline script or style, no strings as code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The page of one file that fits are shared in, as the build of the package has made it. */
const EXPLORER = fileURLToPath(new URL('../dist/explore/page.html', import.meta.url));

/** Makes the fit that the page begins with. */
const EXAMPLE = fileURLToPath(new URL('playground/makeExample.ts', import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL('playground', import.meta.url)),
  // Relative, so that the page works from any folder of any server.
  base: './',
  resolve: { alias: entries },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  plugins: [
    {
      name: 'policy',
      apply: 'build',
      transformIndexHtml: () => [
        { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
      ],
    },
    {
      name: 'explorer',
      apply: 'build',
      async generateBundle() {
        this.emitFile({ type: 'asset', fileName: 'explorer.html', source: readFileSync(EXPLORER) });
        const { module } = await runnerImport<{ example: string }>(EXAMPLE, { resolve: { alias: entries } });
        this.emitFile({ type: 'asset', fileName: 'example.json', source: module.example });
      },
    },
  ],
  build: {
    outDir: fileURLToPath(new URL('dist/playground', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'kernels.html'].map((page) =>
        fileURLToPath(new URL(`playground/${page}`, import.meta.url)),
      ),
    },
    modulePreload: { polyfill: false },
    // Images in the style sheet would become data: anyway.
    chunkSizeWarningLimit: 2000,
  },
});
