// All error messages of the library, read from its sources, as a page of the site, with an ellipsis for each inserted value.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { purposeOf } from './purposes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ERROR = /^(?:InvalidInput|Numerical|Optimization|Conformance|LatentField)Error$/;

/** @returns sentences by purpose, each with the class that throws it */
export function errorSentences() {
  const found = new Map();
  for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = join('src', name).replaceAll('\\', '/');
    const source = ts.createSourceFile(name, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && ERROR.test(node.expression.text)) {
        for (const sentence of wordings(node.arguments?.[0])) {
          // Messages that are only inserted values are listed elsewhere.
          if (!/\p{L}{3}.*\s/u.test(sentence)) continue;
          const purpose = purposeOf(file) ?? 'Elsewhere';
          if (!found.has(purpose)) found.set(purpose, new Map());
          found.get(purpose).set(sentence, node.expression.text);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Possible values of an expression: one wording per branch. */
function wordings(node) {
  if (node === undefined) return [];
  if (ts.isParenthesizedExpression(node)) return wordings(node.expression);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.templateSpans.reduce((text, { literal }) => `${text}…${literal.text}`, node.head.text)];
  }
  if (ts.isConditionalExpression(node)) return [...wordings(node.whenTrue), ...wordings(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return wordings(node.left).flatMap((left) => wordings(node.right).map((right) => left + right));
  }
  return ['…'];
}

const escaped = (text) =>
  text
    .replace(/[\\`*_{}[\]#|@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Writes the page, and returns the number of its sentences. */
export function writeErrorPage(path) {
  const found = errorSentences();
  const count = [...found.values()].reduce((sum, sentences) => sum + sentences.size, 0);
  const sections = [...found]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([purpose, sentences]) =>
        `## ${purpose}\n\n${[...sentences]
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([sentence, name]) => `- ${escaped(sentence)} (\`${name}\`)`)
          .join('\n')}\n`,
    );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `# Every error sentence

The ${count} error messages of the library, by topic; … stands for an inserted value. [Troubleshooting](troubleshooting.md) explains the classes, how a fit may end, and symptoms
without an error. The search of this site finds a message by its words.

${sections.join('\n')}`,
  );
  return count;
}
