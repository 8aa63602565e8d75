import { InvalidInputError } from '../core/errors.ts';

/** A piece of a kernel's text. */
export interface Token {
  readonly kind: 'number' | 'identifier' | 'text' | 'sign' | 'end';
  readonly text: string;
  /** Where it starts in the whole text, from 0. */
  readonly position: number;
}

const PATTERN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<identifier>[A-Za-z]\w*)|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<sign>[-+*=,()[\]]))/y;

/** The pieces of a kernel's text, with one of kind 'end' after the last. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  let position = 0;
  while (position < end) {
    PATTERN.lastIndex = position;
    const groups = PATTERN.exec(text)?.groups;
    if (groups === undefined)
      throw unreadable(text, position, `'${text.slice(position).trimStart()[0]}' has no meaning here`);
    const { number, identifier, single, double, sign } = groups;
    const content = number ?? identifier ?? single ?? double ?? sign!;
    const kind =
      number !== undefined ? 'number' : identifier !== undefined ? 'identifier' : sign !== undefined ? 'sign' : 'text';
    const quotes = kind === 'text' ? 2 : 0;
    tokens.push({ kind, text: content, position: PATTERN.lastIndex - content.length - quotes });
    position = PATTERN.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '', position: end }];
}

/** An error that shows where in the text something is wrong. */
export function unreadable(text: string, position: number, problem: string): InvalidInputError {
  return new InvalidInputError(
    `The kernel '${shown(text, position)}' cannot be read: at character ${position + 1}, ${problem}. ` +
      "Write kernels like 'rbf(variance=1, lengthscale=[1,2]) * linear + bias(fixed(0.1))'.",
  );
}

/** Longest text that is shown whole. */
const SHOWN = 160;

/** The text, or what is around the place. */
function shown(text: string, position: number): string {
  if (text.length <= SHOWN) return text;
  const from = Math.max(0, Math.min(position - SHOWN / 2, text.length - SHOWN));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN)}${from + SHOWN < text.length ? '…' : ''}`;
}
