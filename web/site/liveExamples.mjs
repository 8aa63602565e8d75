// In documents: a link playground:{…} opens the playground with these settings; alone in a heading or a paragraph, it gets a button that
// runs it in the page, and in an article it runs when it is scrolled to.
// Below the drawing of a kernel: its sliders. Below a block of TypeScript that runs in a page: a button that runs it.
import { base } from './base.mjs';
import { programsOf } from './runnable.mjs';

const PLAYGROUND = 'playground:';

/** Turns empty table heads into cells, since they are not headings. */
export function emptyHeads(md) {
  md.core.ruler.push('empty-heads', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[at + 1].content !== '') continue;
      token.tag = 'td';
      tokens[at + 2].tag = 'td';
    }
  });
}

export function liveExamples(md) {
  md.core.ruler.push('live-examples', (state) => {
    const { tokens } = state;
    for (let at = tokens.length - 1; at >= 0; at--) {
      const { type, children } = tokens[at];
      if (type !== 'inline') continue;
      const [first] = children;
      const links = children.filter(({ attrs }) => attrs?.some(([, value]) => value.startsWith(PLAYGROUND)));
      for (const link of links) {
        const hash = decodeURIComponent(link.attrGet('href').slice(PLAYGROUND.length));
        if (hash.startsWith('#')) {
          // One of the tables of the playground.
          link.attrSet('href', `${base}playground/index.html${hash}`);
          link.attrSet('target', '_self');
          continue;
        }
        const settings = JSON.parse(hash);
        link.attrSet('href', `${base}playground/index.html#${encodeURIComponent(JSON.stringify(settings))}`);
        link.attrSet('target', '_self');
        if (link !== first || children.at(-1).type !== 'link_close') continue;
        const shown = { ...settings, run: true, compact: true };
        const title = children.map(({ content }) => content).join('');
        const isArticle = state.env.relativePath?.startsWith('articles/') === true;
        insert(
          at + 2,
          `playground/index.html#${encodeURIComponent(JSON.stringify(shown))}`,
          title,
          'Run it here',
          isArticle,
        );
      }
      const kernel = first?.type === 'image' && /\/?kernels\/(\w+)\.svg$/.exec(first.attrGet('src'))?.[1];
      if (kernel) insert(at + 2, `playground/kernels.html#${kernel}`, `Sliders of ${kernel}`, 'Sliders here');
    }
    function insert(at, page, title, words, isSeen = false) {
      const token = new state.Token('html_block', '', 0);
      const text = md.utils.escapeHtml;
      token.content = `<LiveExample page="${text(page)}" name="${text(title)}" words="${text(words)}"${isSeen ? ' seen' : ''}></LiveExample>\n`;
      tokens.splice(at, 0, token);
    }
  });
}

/** Puts a button that runs it below each block of TypeScript that a page can run. */
export function runnableBlocks(md) {
  md.core.ruler.push('runnable-blocks', ({ tokens, env }) => {
    // Examples of the reference are not programs.
    if (env.relativePath?.startsWith('reference/')) return;
    const blocks = tokens.filter(({ type, info }) => type === 'fence' && info.trim() === 'ts');
    for (const [at, program] of programsOf(blocks.map(({ content }) => content)).entries())
      blocks[at].meta = { ...blocks[at].meta, program };
  });
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const html = fence(tokens, at, ...rest);
    const program = tokens[at].meta?.program;
    return program === undefined ? html : `${html}<RunCode code="${md.utils.escapeHtml(program)}"></RunCode>\n`;
  };
}
