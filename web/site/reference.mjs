// For the reference: what is exported is listed by what one wants to do with it (the folder of src that it stands in), and where a declaration stands is told in words, as the site
// has no sources to link to.
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';
import { MarkdownPageEvent } from 'typedoc-plugin-markdown';
import { purposeOf } from './purposes.mjs';

export function load(app) {
  // After the sources of all are known, before they are put into categories.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => categorize(project), -1000);
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { sources = [] } of Object.values(project.reflections)) for (const source of sources) delete source.url;
  });
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    page.contents = exampleFirst(page.contents);
  });
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

/** A page whose example, where it has one, stands below its title. */
export function exampleFirst(markdown) {
  const lines = markdown.split('\n');
  const headings = [];
  let isCode = false;
  for (const [at, line] of lines.entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (!isCode && /^#{1,6} /.test(line)) headings.push(at);
  }
  const levelOf = (at) => /^#+/.exec(lines[at])[0].length;
  const title = headings.find((at) => levelOf(at) === 1);
  const example = headings.find((at) => levelOf(at) === 2 && /^## Examples?$/.test(lines[at]));
  if (title === undefined || example === undefined) return markdown;
  const end = headings.find((at) => at > example && levelOf(at) <= 2) ?? lines.length;
  const shown = lines.slice(example, end);
  const rest = [...lines.slice(0, example), ...lines.slice(end)];
  return [...rest.slice(0, title + 1), '', ...shown, '', ...rest.slice(title + 1)].join('\n');
}
