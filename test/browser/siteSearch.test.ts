// @module-tag long
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { search } from '../../web/site/search.mjs';

const site = new URL('../../web/dist/', import.meta.url);
const chunks = fileURLToPath(new URL('assets/chunks', site));
const why = existsSync(chunks) ? '' : ' (the site is not built: npm run site)';

/** What people have asked in forums, as they typed it; where; and the pages that answer it here. */
const QUESTIONS: readonly (readonly [question: string, thread: string, pages: readonly string[]])[] = [
  [
    "is there a 'transform' function, apply the same instance on an unseen point",
    'lmcinnes/umap/issues/55',
    ['new-rows', 'coming-from'],
  ],
  ['how to save and load a model with UMAP', 'lmcinnes/umap/issues/178', ['new-rows']],
  ['is there a way to save and restore a trained embedding', 'lmcinnes/umap/issues/152', ['new-rows']],
  ['serializing a trained model, pickle error', 'lmcinnes/umap/issues/273', ['new-rows']],
  [
    'reproducibility across machines random_state',
    'lmcinnes/umap/issues/525',
    ['concepts', 'fitting', 'project/reliability'],
  ],
  ['same parameters same data, how to get same 2D result', 'lmcinnes/umap/issues/357', ['fitting', 'articles/trust']],
  ['UMAP produces different results with same parameters', 'lmcinnes/umap/issues/466', ['articles/trust', 'fitting']],
  [
    'variations in unsupervised results caused by random state',
    'lmcinnes/umap/issues/972',
    ['articles/trust', 'fitting'],
  ],
  ['are euclidian distances interpretable in the embedding?', 'lmcinnes/umap/issues/92', ['articles/trust']],
  ['understanding n_neighbors', 'lmcinnes/umap/issues/94', ['models', 'articles/trust', 'coming-from']],
  ['inverse_transform does not exist?', 'lmcinnes/umap/issues/364', ['new-rows', 'coming-from']],
  ['weird behavior when using transform on new data', 'lmcinnes/umap/issues/358', ['new-rows']],
  ['UMAP with large >1M rows', 'lmcinnes/umap/issues/136', ['which-model', 'project/benchmarks', 'models']],
  ['allow UMAP to accept data with nan or inf values', 'lmcinnes/umap/pull/977', ['new-rows']],
  ["why doesn't UMAP map similar data to same region", 'lmcinnes/umap/issues/968', ['articles/trust', 'new-rows']],
  ['tsne has no transform function', 'scikit-learn/scikit-learn/issues/5361', ['new-rows', 'coming-from', 'models']],
  ['t-sne perplexity tuning', 'scikit-learn/scikit-learn/issues/8660', ['models', 'articles/trust']],
  ['Isomap using a precomputed neighborhood graph', 'scikit-learn/scikit-learn/issues/2792', ['models']],
  ['Isomap radius neighbors graph', 'scikit-learn/scikit-learn/issues/19744', ['models']],
  [
    'Isomap number of connected components of the neighbors graph > 1',
    'scikit-learn/scikit-learn/pull/21915',
    ['models', 'troubleshooting'],
  ],
  ['trustworthiness of an embedding', 'scikit-learn/scikit-learn/issues/18567', ['fitting', 'articles/trust']],
  ['KernelPCA inverse transform gamma', 'scikit-learn/scikit-learn/issues/26280', ['models', 'coming-from']],
  ['GPLVM: how to predict x_star given new y_star?', 'SheffieldML/GPy/issues/638', ['new-rows', 'coming-from']],
  [
    'when new data becomes available how would I find its representation GP-LVM',
    'SheffieldML/GPy/issues/395',
    ['new-rows', 'coming-from'],
  ],
  ['using GPy for data imputation missing values', 'SheffieldML/GPy/issues/120', ['new-rows']],
  [
    'GP-LVM with gaussian process prior on the latent space over time',
    'SheffieldML/GPy/issues/634',
    ['models', 'which-model', 'articles/gplvm'],
  ],
  [
    'Bayesian GPLVM using a specific latent input prior',
    'SheffieldML/GPy/issues/1100',
    ['models', 'first-model', 'coming-from'],
  ],
  [
    "can't constrain parameters, fix lengthscale",
    'SheffieldML/GPy/issues/485',
    ['coming-from', 'custom-components', 'fitting', 'coming-from'],
  ],
  ['how to save and load GPy models', 'SheffieldML/GPy/issues/815', ['new-rows', 'coming-from']],
  ['persisting bgplvm', 'SheffieldML/GPy/issues/428', ['new-rows']],
];
/** What newcomers ask who know no thread. */
const BEGINNINGS: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['how do I open my own csv file', 'first-map'],
  ['my data has text columns, what happens to them', 'readme', 'first-map'],
  ['do I need to normalize my data first', 'concepts'],
  ['can I run it in the browser without a server', 'pages-and-notebooks', 'first-map'],
  ['how long does it take for 10000 rows', 'which-model', 'project/benchmarks'],
  ['how do I color the points by class', 'pages-and-notebooks', 'first-map'],
  ['why is my map different every time I run it', 'articles/trust', 'fitting'],
  ['how to send somebody my map', 'first-map'],
  ['fit stopped before it converged, what to do', 'troubleshooting'],
  ['use the GPU', 'project/engines'],
  ['which model should I use', 'which-model'],
  ['is my data uploaded', 'pages-and-notebooks'],
  ['use in React', 'pages-and-notebooks'],
  ['what does the trustworthiness score mean', 'articles/trust', 'new-rows'],
  ['time series of motion capture', 'which-model', 'models'],
];
/** What the site promises to know by other names. */
const SYNONYMS: readonly (readonly [words: string, ...pages: string[]])[] = [
  ['missing values', 'new-rows'],
  ['error bars', 'new-rows'],
  ['t-SNE', 'models'],
  ['number of dimensions', 'which-model', 'articles/trust', 'models'],
];

describe.skipIf(why !== '')(`the search of the site${why}`, async () => {
  const index = why === '' ? await loaded() : undefined;

  /** The first pages that are found, each once. */
  function pagesFor(question: string, count = 3): string[] {
    const found = index!.search(question).map(({ id }) =>
      String(id)
        .slice(site.pathname.length)
        .replace(/(?:\.html)?(?:#.*)?$/, ''),
    );
    return [...new Set(found)].slice(0, count);
  }

  it('has each of thirty questions of forums answered among its first three pages', () => {
    expect(QUESTIONS.length).toBe(30);
    const missed = QUESTIONS.map(([question, , pages]) => ({ question, pages, found: pagesFor(question) })).filter(
      ({ pages, found }) => !found.some((page) => pages.includes(page)),
    );
    expect(missed).toEqual([]);
  });

  it.each(BEGINNINGS)('answers a newcomer who asks "%s"', (question, ...pages) => {
    expect(pagesFor(question)).toEqual(expect.arrayContaining([expect.toBeOneOf(pages)]));
  });

  it.each(SYNONYMS)('knows "%s" as %s', (words, ...pages) => {
    expect(pagesFor(words), words).toEqual(expect.arrayContaining([expect.toBeOneOf(pages)]));
  });

  it('finds an export by its name', () => {
    expect(pagesFor('nearestNeighborError')).toContain('reference/latentfield/functions/nearestNeighborError');
  });
});

/** The index that pages load, searched as they search it. */
async function loaded(): Promise<MiniSearch> {
  const name = readdirSync(chunks).find((file) => file.startsWith('@localSearchIndexroot'))!;
  const { default: json } = (await import(pathToFileURL(join(chunks, name)).href)) as { default: string };
  const { options, searchOptions } = search.miniSearch;
  return MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
    ...options,
  });
}
