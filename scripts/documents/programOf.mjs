/** Number of the line of a position in a text, from 1. */
export const lineOf = (text, index) => text.slice(0, index).split('\n').length;

/** Printed after each block of a document's program, so that the output of each is known. */
export const END_OF_BLOCK = '\u0004';

/**
 * The ts blocks of a document, one after another, as one program: its code, the position of each line in the document, and the output that the document
 * shows below a block, as a `text` block. Repeated imports are merged. Empty for a document without blocks.
 */
export function programOf(file, text) {
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm)];
  if (blocks.length === 0) return [];
  const code = [];
  const places = [];
  const imported = new Set();
  for (const { 1: block, index } of blocks) {
    block.split('\n').forEach((line, i) => {
      const names = /^import \{ (.*) \} from ('.*');$/.exec(line);
      const fresh = names?.[1].split(', ').filter((name) => !imported.has(name));
      for (const name of fresh ?? []) imported.add(name);
      const isAgain = names === null && line.startsWith('import ') && code.includes(line);
      if (names !== null) code.push(fresh.length > 0 ? `import { ${fresh.join(', ')} } from ${names[2]};` : '');
      else code.push(isAgain ? '' : line.replace(/^export (const|function)/, '$1'));
      places.push(`${file}:${lineOf(text, index) + 1 + i}`);
    });
    // The last line of a block is empty.
    code[code.length - 1] = `console.log('${END_OF_BLOCK}');`;
  }
  const outputs = blocks.map(({ 2: output, index }) => ({ output, place: `${file}:${lineOf(text, index)}` }));
  return [
    { name: `${file.replace(/\W/g, '_')}.ts`, code: `export {};${code.join('\n')}`, places, outputs, runs: true },
  ];
}
