// For the site: documents are called by their headings, what is exported is listed by what one wants to do with it (the folder of src that it stands in), and every page
// links to the playground.
import { Comment, CommentTag, Converter, JSX, PageEvent, ReflectionKind } from 'typedoc';

/** The first folder that a source file's path begins with says the purpose. */
const PURPOSES = [
  ['src/models/gpScore', 'Score, compare and select'],
  ['src/models/compareModels', 'Score, compare and select'],
  ['src/models/', 'Choose a model'],
  ['src/inference/scores', 'Score, compare and select'],
  ['src/inference/selection', 'Score, compare and select'],
  ['src/inference/minimize', 'Minimize functions, choose solvers'],
  ['src/inference/solvers', 'Minimize functions, choose solvers'],
  ['src/inference/', 'Fit it, and go on'],
  ['src/model/fit', 'Fit it, and go on'],
  ['src/model/abilities', 'Fit it, and go on'],
  ['src/model/evaluate', 'Fit it, and go on'],
  ['src/model/', 'Define models and parameters'],
  ['src/kernels/', 'Describe a covariance'],
  ['src/latents/', 'Say what latents are, and put priors on them'],
  ['src/priors/', 'Say what latents are, and put priors on them'],
  ['src/mapping/', 'Mappings and likelihoods'],
  ['src/fields/', 'Fields over points'],
  ['src/numerics/', 'Graphs, neighbours, engines and threads'],
  ['src/core/', 'Matrices, random numbers, errors'],
];

const purposeOf = (file) => PURPOSES.find(([start]) => file.includes(start))?.[1];

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const heading = /^\s*# (.*)\n/.exec(document.content[0]?.text ?? '');
    if (heading !== null) document.name = heading[1];
  });
  // After the sources of all are known, before they are put into categories.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => categorize(project), -1000);
  // The site has no sources to link to: where a declaration stands is told in words.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { sources = [] } of Object.values(project.reflections)) for (const source of sources) delete source.url;
  });
  app.renderer.hooks.on('head.end', () => JSX.createElement('link', { rel: 'icon', href: 'data:,' }));
  // Settings in a link of a document, playground:{…}, become a link to the page with these settings.
  app.renderer.on(PageEvent.END, (page) => {
    const up = '../'.repeat(page.url.split('/').length - 1);
    page.contents = page.contents.replace(/href="playground:([^"]*)"/g, (_, text) => {
      const settings = decodeURIComponent(text.replaceAll('&quot;', '"'));
      return `href="${up}playground/index.html#${encodeURIComponent(JSON.stringify(JSON.parse(settings)))}"`;
    });
  });
  app.renderer.hooks.on('sidebar.begin', ({ relativeURL }) =>
    JSX.createElement(
      'p',
      { class: 'tsd-playground' },
      JSX.createElement(
        'a',
        { href: relativeURL('playground/index.html') },
        'Playground: fit your own table in the page',
      ),
    ),
  );
}

function categorize(project) {
  const main = project.getChildrenByKind(ReflectionKind.Module).find(({ name }) => name === 'index') ?? project;
  for (const reflection of main.children ?? []) {
    const purpose = purposeOf(reflection.sources?.[0]?.fullFileName ?? '');
    if (purpose === undefined) continue;
    // Of functions the signatures have the comments, and the category of the first is that of all.
    const described = reflection.signatures?.[0] ?? reflection;
    described.comment ??= new Comment();
    described.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: purpose }]));
  }
}
