// Gathers the docstrings of the named models and of their options, for the command line, the page and docs/models.md, in one generated
// module, in the order of the cards in docs/models.md. Does nothing when the module is newer than src/models and src/priors; --force makes it anyway.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'src/app/cli/modelOptions.ts');
/** Options that JSON cannot represent: parts of the library, substitutes for a table, and workers. */
const NOT_IN_JSON = ['posterior', 'approximation', 'graph', 'squaredDistances', 'shards', 'columns'];

const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const models = join(root, 'src/models');
const cards = join(root, 'docs/models.md');
const sources = ['models', 'priors'].flatMap((folder) =>
  readdirSync(join(root, 'src', folder), { recursive: true }).map((file) => join(root, 'src', folder, file)),
);
const isCurrent = [fileURLToPath(import.meta.url), ...sources].every((path) => modified(path) < modified(target));
if (!isCurrent || process.argv.includes('--force')) await make();

async function make() {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = ['builtIn.ts', 'builtInLabeled.ts'].map((file) => join(models, file));
  const program = ts.createProgram(files, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const plain = (parts) =>
    ts
      .displayPartsToString(parts)
      .replace(/\{@link (\w+)\}/g, '$1')
      .replace(/\s+/g, ' ')
      .trim();
  const described = files.flatMap((file, labeled) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).flatMap((exported) => {
      const symbol = checker.getAliasedSymbol(exported);
      const signatures = checker.getTypeOfSymbol(symbol).getCallSignatures();
      return signatures.length === 0 ? [] : [[symbol.name, ofModel(symbol.name, signatures, labeled === 1)]];
    }),
  );

  function ofModel(name, signatures, takesLabels) {
    const tags = signatures.flatMap((signature) => signature.getJsDocTags());
    const tag = (of) => tags.find((one) => one.name === of)?.text;
    const given = signatures.flatMap((signature) => {
      const type = checker.getTypeOfSymbol(signature.getParameters().at(-1));
      return checker.getNonNullableType(type).getApparentProperties();
    });
    const texts = given.map((option) => [option.name, plain(option.getDocumentationComment(checker))]);
    const undescribed = [
      ...(tag('summary') ? [] : ['@summary']),
      ...texts.flatMap(([option, text]) => (text ? [] : [option])),
    ];
    if (undescribed.length > 0) throw new Error(`The docstrings of ${name} lack ${undescribed.join(', ')}.`);
    const abilities = signatures.map((signature) => signature.getReturnType().getProperty('~abilities'));
    return {
      summary: plain(tag('summary')),
      ...(tag('remarks') && { ofMany: plain(tag('remarks')) }),
      takesLabels,
      needsDim: given.some((option) => option.name === 'latentDim' && (option.flags & ts.SymbolFlags.Optional) === 0),
      predicts: abilities.every(
        (of) => checker.getNonNullableType(checker.getTypeOfSymbol(of)).getProperty('predict') !== undefined,
      ),
      options: Object.fromEntries(
        texts.filter(([option]) => !NOT_IN_JSON.includes(option)).sort(([a]) => (a === 'latentDim' ? -1 : 0)),
      ),
    };
  }
  const order = Array.from(readFileSync(cards, 'utf8').matchAll(/<!-- options (\w+) -->/g), ([, name]) => name);
  const missing = described.filter(([name]) => !order.includes(name));
  if (missing.length > 0) throw new Error(`docs/models.md has no card of ${missing.map(([name]) => name).join(', ')}.`);
  described.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const draft = `${target}.${process.pid}`;
  writeFileSync(
    draft,
    `// Made by scripts/buildOptions.mjs from docstrings; not to be edited.
/** Description of a named model, from its docstrings. */
export interface DescribedModel {
  readonly summary: string;
  /** Cost of its matrices for many points, with advice. */
  readonly ofMany?: string;
  readonly takesLabels: boolean;
  /** True if the number of latent dimensions is required; other models have a default. */
  readonly needsDim: boolean;
  /** True if its fits predict observations at latent points. */
  readonly predicts: boolean;
  /** Descriptions of the options that JSON can represent. */
  readonly options: Readonly<Record<string, string>>;
}

/** The named models. */
export const modelOptions: Readonly<Record<string, DescribedModel>> = ${JSON.stringify(Object.fromEntries(described), undefined, 2)};
`,
  );
  renameSync(draft, target);
}
