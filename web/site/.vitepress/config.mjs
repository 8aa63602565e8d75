// The site: the documents of docs/, the landing page, and the reference, which scripts/buildSite.mjs gathers in generated/.
import { readFileSync } from 'node:fs';
import { katex } from '@mdit/plugin-katex';
import { defineConfig } from 'vitepress';
import { base } from '../base.mjs';
import { sidebar } from '../contents.mjs';
import { emptyHeads, liveExamples, runnableBlocks } from '../liveExamples.mjs';
import { search } from '../search.mjs';

// Previews of links need an absolute address of their picture: the address of the site, once package.json has one.
const { homepage } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const icon = readFileSync(new URL('../../playground/icon.svg', import.meta.url), 'utf8');
const preview = (content) => ['meta', { property: 'og:image', content }];

export default defineConfig({
  title: 'latentfield',
  description: 'Latent variable models with error bars, in Node and in the browser.',
  srcDir: 'generated',
  outDir: '../dist',
  base,
  metaChunk: true,
  lastUpdated: false,
  ignoreDeadLinks: [/playground\//],
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
    ['meta', { property: 'og:title', content: 'latentfield' }],
    ['meta', { property: 'og:description', content: 'Maps of your data, with error bars.' }],
    ...(homepage === undefined ? [] : [preview(new URL('preview.png', homepage.replace(/\/?$/, '/')).href)]),
  ],
  markdown: {
    // Braces belong to formulas here.
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      md.use(katex, { output: 'htmlAndMathml' });
      md.use(liveExamples).use(emptyHeads).use(runnableBlocks);
    },
  },
  themeConfig: {
    outline: [2, 3],
    externalLinkIcon: false,
    nav: [
      { text: 'A first map', link: '/first-map' },
      { text: 'Articles', link: '/articles/gplvm' },
      { text: 'Gallery', link: '/gallery' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
    ],
    sidebar,
    search: { provider: 'local', options: search },
  },
});
