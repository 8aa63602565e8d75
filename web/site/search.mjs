// The search of the site: MiniSearch with synonyms. Its functions are sent to pages as text, so that none may refer to another.
import { askedOf } from './contents.mjs';

/** @type {import('vitepress').DefaultTheme.LocalSearchOptions} */
export const search = {
  detailedView: false,
  miniSearch: {
    options: {
      // Names with a hyphen or an underscore are one word, however they are written.
      tokenize: (text) =>
        text
          .replace(/\bt[- ]sne\b/gi, 'tsne')
          .replace(/\b(gp|bc|mcmc)[- ](lvm|gplvm)\b/gi, '$1$2')
          .replace(/\bscikit[- ]learn\b/gi, 'scikitlearn')
          .replace(/\bmin[_ ]dist\b/gi, 'mindist')
          .replace(/\bn[_ ](neighbors|components|jobs)\b/gi, '$1')
          .split(/[^\p{L}\p{N}]+/u)
          .filter((word) => word !== ''),
      processTerm: (term) => {
        const word = term
          .toLowerCase()
          .replace(/isation/, 'ization')
          .replace(/(?<=..)is(e|ed|ing)$/, 'iz$1')
          .replace(/our(s|ed|ing|hood|hoods)?$/, 'or$1')
          .replace(/(?<=[a-z]{3})(ies)$/, 'y')
          .replace(/(?<=[a-z]{2}[^su])s$/, '');
        const STOP =
          'a an and are as at be been but by can could do doe for from get give given had has have how i if in into is it its many me my no not number of on one or should so some take than that the their them then there these they thi those to use used using want was way what when where while who why will with without would you your after before between';
        if (word.length < 2 || STOP.split(' ').includes(word)) return null;
        const SAME = {
          sklearn: 'scikitlearn',
          nan: 'missing',
          null: 'missing',
          nas: 'missing',
          imputation: 'impute',
          imputing: 'impute',
          imputed: 'impute',
          uncertainty: 'interval',
          deviation: 'interval',
          confidence: 'interval',
          bar: 'interval',
          component: 'dimension',
          dimensionality: 'dimension',
          neighbor: 'neighbor',
          visualize: 'plot',
          visualization: 'plot',
          picture: 'plot',
          precomputed: 'distance',
          dissimilarity: 'distance',
          reproducibility: 'reproducible',
          deterministic: 'reproducible',
          transform: 'project',
          transforming: 'project',
          persisting: 'save',
          persist: 'save',
          serialize: 'save',
          serializing: 'save',
          saving: 'save',
          pickle: 'save',
          restore: 'load',
          loading: 'load',
          bgplvm: 'bayesiangplvm',
          euclidian: 'euclidean',
          interpretable: 'interpret',
          tuning: 'tune',
          unseen: 'new',
          slow: 'speed',
          fast: 'speed',
          faster: 'speed',
          time: 'speed',
          long: 'speed',
          large: 'thousand',
          big: 'thousand',
          huge: 'thousand',
          million: 'thousand',
        };
        if (/^[1-9]0{3,}$/.test(word)) return 'thousand';
        return Object.hasOwn(SAME, word) ? SAME[word] : word;
      },
    },
    searchOptions: {
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      prefix: (term) => term.length > 3,
      boost: { title: 4, text: 2, titles: 1 },
      // A page that explains comes before one that lists, unless the query is the name of the latter.
      boostDocument: (id, term) => {
        const name = /([^/]+?)(?:\.html)?(?:#.*)?$/.exec(id)?.[1] ?? '';
        if (/[a-z][A-Z]/.test(name) && name.toLowerCase() === term) return 2;
        return /\/(?:reference|reproductions)\/|changelog|every-error/.test(id) ? 0.2 : 1;
      },
    },
  },
  /** Searched content of a page: its text, and the search terms below its title. */
  _render: (source, env, md) => {
    const html = md.render(source, env);
    const asked = askedOf(env.relativePath);
    return asked === undefined ? html : html.replace('</h1>', `</h1><p>${asked}</p>`);
  },
};
