// For the site: documents are called by their headings, what is exported is listed by what one wants to do with it (the folder of src that it stands in), and every page
// links to the playground.
import { readdirSync } from 'node:fs';
import { Comment, CommentTag, Converter, JSX, PageEvent, ReflectionKind } from 'typedoc';
import { purposeOf } from './purposes.mjs';

const KERNELS = readdirSync(new URL('../../docs/kernels', import.meta.url)).map((file) => file.replace('.svg', ''));

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
    // Below the drawing of a kernel: the page that draws it with sliders.
    page.contents = page.contents.replace(
      new RegExp(`<p><img src="[^"]*/(${KERNELS.join('|')})\\.svg"[^>]*></p>`, 'g'),
      (drawing, name) => `${drawing}<p><a href="${up}playground/kernels.html#${name}">Sliders of ${name}</a></p>`,
    );
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
