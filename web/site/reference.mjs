// For the reference: modules have the names of their import paths, exports are listed by purpose (their folder of src), and the file of a declaration is
// named in words, because the site has no sources to link to.
import { readFileSync } from 'node:fs';
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';
import { MarkdownPageEvent } from 'typedoc-plugin-markdown';
import { purposeOf } from './purposes.mjs';

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** Import path of each module by the name that TypeDoc gives to its file. */
const PATHS = new Map(
  Object.entries(exports).flatMap(([path, { types = '' }]) => {
    const file = /^\.\/dist\/(.+?)(?:\/index)?\.d\.ts$/.exec(types)?.[1];
    return file === undefined ? [] : [[file, path.replace('.', 'latentfield')]];
  }),
);

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module))
      module.name = PATHS.get(module.name) ?? module.name;
  });
  // After the sources of all are known, before they are put into categories.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => categorize(project), -1000);
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { sources = [] } of Object.values(project.reflections)) for (const source of sources) delete source.url;
  });
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const { name, kind, parent } = page.model;
    const contents = exampleFirst(page.contents);
    page.contents = parent?.kind === ReflectionKind.Module ? imported(contents, name, parent.name, kind) : contents;
  });
}

function categorize(project) {
  for (const reflection of project.getChildrenByKind(ReflectionKind.Module).flatMap(({ children }) => children ?? [])) {
    const purpose = purposeOf(reflection.sources?.[0]?.fullFileName ?? '');
    if (purpose === undefined) continue;
    // Comments of functions are on their signatures; the category of the first one counts.
    const described = reflection.signatures?.[0] ?? reflection;
    described.comment ??= new Comment();
    described.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: purpose }]));
  }
}

/** Page with its import below its title. */
function imported(markdown, name, path, kind) {
  const word = kind === ReflectionKind.Interface ? 'import type' : 'import';
  return markdown.replace(/^# .*$/m, (title) => `${title}\n\n\`${word} { ${name} } from '${path}'\``);
}

/** Page with its example, if it has one, below its title. */
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
