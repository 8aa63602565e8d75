import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, { default: string } | string>;
};

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

/** The built package under its own name, by its published entry points. */
const entries = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === 'string'
    ? []
    : [{ find: new RegExp(`^${entry.replace('.', 'latentfield')}$`), replacement: root + target.default.slice(2) }],
);

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
