import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, runnerImport } from 'vite';
import { entries } from './entries.mjs';

/** Content security policy: nothing from other origins, no inline scripts or styles, no strings as code. */
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

/** Single-file page for sharing fits, as produced by the package build. */
const EXPLORER = fileURLToPath(new URL('../dist/explore/page.html', import.meta.url));

/** Table that tests also read; others are in playground/public. */
const WINE = fileURLToPath(new URL('../test/tables/wine.csv', import.meta.url));

/** Computes the initial fit of the page. */
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
        this.emitFile({ type: 'asset', fileName: 'tables/wine.csv', source: readFileSync(WINE) });
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
