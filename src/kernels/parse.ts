import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkGiven } from '../core/options.ts';
import {
  bounded,
  fixed,
  type Parameter,
  type ParameterLike,
  type ParameterValue,
  positive,
  real,
} from '../model/parameter.ts';
import { add, multiply, scale, select } from './algebra.ts';
import { type KernelCatalog, kernelFactory } from './json.ts';
import type { Kernel } from './kernel.ts';

/**
 * Parses the text of a kernel as written by `describe` or by hand: kernel names with or without values, `+`, `*`, brackets, `scale(kernel,
 * variance)`, `select(kernel, [columns])`. Values come by name or in the order of the kernel's parameters; fixed ones are `fixed(1)`. `describe` and
 * `parseKernel` are inverses, parameter paths included.
 *
 * @param text - such as `rbf(lengthscale=[1,2]) + bias(0.1) + white(fixed(0.01))`
 * @param own - factories of custom kernels, by name
 * @returns the kernel
 * @throws InvalidInputError if the text cannot be parsed, with the position, or names an unknown kernel or parameter
 * @example
 * ```ts
 * parseKernel('rbf(lengthscale=2) * linear + bias');
 * ```
 */
export function parseKernel(text: string, own: KernelCatalog = {}): Kernel {
  checkGiven(text, 'parseKernel', 'a text', (given) => typeof given === 'string');
  const tokens = tokensOf(text);
  let next = 0;

  const peek = (): Token => tokens[next]!;
  const failed = (expected: string, { text: found, position } = peek()) =>
    unreadable(
      text,
      position,
      `${expected} was expected, but ${found === '' ? 'the text ends' : `'${found}' stands there`}`,
    );
  const at = (sign: string): boolean => peek().kind === 'sign' && peek().text === sign;
  const taken = (sign: string): boolean => {
    if (!at(sign)) return false;
    next++;
    return true;
  };
  const expect = (sign: string): void => {
    if (!taken(sign)) throw failed(`'${sign}'`);
  };
  /** Items between brackets, separated by commas. */
  const list = <T>(item: () => T, close: string): T[] => {
    const items: T[] = [];
    if (taken(close)) return items;
    do items.push(item());
    while (taken(','));
    expect(close);
    return items;
  };

  let kernels = 0;
  let level = 0;
  /** Reads the content of brackets and limits their nesting. */
  const within = <T>(read: () => T): T => {
    if (++level > MOST_LEVELS) throw failed(`no more than ${MOST_LEVELS} brackets in each other`);
    const found = read();
    level--;
    return found;
  };

  function sum(): Kernel {
    return within(() => summed());
  }

  function summed(): Kernel {
    const kernels = [product()];
    while (taken('+')) kernels.push(product());
    return add(...kernels);
  }

  function product(): Kernel {
    const kernels = [factor()];
    while (taken('*')) kernels.push(factor());
    return multiply(...kernels);
  }

  function factor(): Kernel {
    if (taken('(')) {
      const kernel = sum();
      expect(')');
      return kernel;
    }
    const { kind, text: name } = peek();
    if (kind !== 'identifier') throw failed('the name of a kernel');
    if (++kernels > MOST_KERNELS) throw failed(`no more than ${MOST_KERNELS} kernels`);
    next++;
    if (name === 'scale' || name === 'select') return wrapped(name);
    const factory = kernelFactory(name, own);
    return taken('(') ? factory(argumentsOf(name, list(argument, ')'))) : factory();
  }

  function wrapped(name: 'scale' | 'select'): Kernel {
    expect('(');
    const kernel = sum();
    const given = taken(',') ? argument().value : undefined;
    expect(')');
    return name === 'scale' ? scale(kernel, given as ParameterLike) : select(kernel, given as readonly number[]);
  }

  function argument(): Argument {
    const token = peek();
    const named = token.kind === 'identifier' && tokens[next + 1]?.text === '=' && tokens[next + 1]?.kind === 'sign';
    if (named) next += 2;
    return { name: named ? token.text : undefined, value: value(), token };
  }

  function value(): unknown {
    return within(() => plainValue());
  }

  function plainValue(): unknown {
    const token = peek();
    if (taken('[')) return list(value, ']');
    if (taken('-')) return -number();
    if (token.kind === 'number') return number();
    if (token.kind !== 'identifier' && token.kind !== 'text') throw failed('a value');
    next++;
    const kind = token.kind === 'identifier' ? kinds[token.text] : undefined;
    if (kind === undefined || !taken('(')) return token.kind === 'identifier' ? meaningOf(token.text) : token.text;
    return kind(list(value, ')').map(natural));
  }

  function number(): number {
    const token = peek();
    if (token.kind !== 'number') throw failed('a number');
    next++;
    return Number(token.text);
  }

  /** Assigns values without a name to the kernel's parameters, in order. */
  function argumentsOf(kernel: string, given: readonly Argument[]): Record<string, unknown> {
    const { form } = kernelFactory(kernel, own)();
    const order = form.type === 'leaf' ? Object.keys(form.standard) : [];
    const result: Record<string, unknown> = {};
    given.forEach(({ name, value, token }, i) => {
      const key = name ?? order[i];
      if (key === undefined) throw failed(`no more than ${order.length} values of kernel '${kernel}'`, token);
      if (Object.hasOwn(result, key)) throw failed(`one value of '${key}'`, token);
      result[key] = value;
    });
    return result;
  }

  const kernel = sum();
  if (peek().kind !== 'end') throw failed("'+', '*' or the end");
  return kernel;
}

const MOST_LEVELS = 100;
const MOST_KERNELS = 50_000;

interface Argument {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly token: Token;
}

/** Readers of parameters with an explicit kind, from the values in brackets. */
const kinds: Readonly<Record<string, ((values: readonly ParameterValue[]) => Parameter) | undefined>> = {
  fixed: ([value, ...others]) => fixed(only(value, others)),
  positive: ([value, ...others]) => positive(only(value, others)),
  real: ([value, ...others]) => real(only(value, others)),
  bounded: ([lower, upper, value, ...others]) => bounded(lower as number, upper as number, only(value, others)),
};

function only(value: ParameterValue | undefined, others: readonly ParameterValue[]): ParameterValue {
  if (value !== undefined && others.length === 0) return value;
  throw new InvalidInputError(
    'A parameter is fixed(value), positive(value), real(value) or bounded(lower, upper, value).',
  );
}

/** The text of an unquoted identifier, or the boolean it names. */
const meaningOf = (text: string): string | boolean => (text === 'true' || text === 'false' ? text === 'true' : text);

/** A matrix from rows of numbers. */
function natural(value: unknown): ParameterValue {
  return Array.isArray(value) && Array.isArray(value[0]) ? Matrix.from(value) : (value as ParameterValue);
}

/** A token of a kernel's text. */
interface Token {
  readonly kind: 'number' | 'identifier' | 'text' | 'sign' | 'end';
  readonly text: string;
  /** Index of its first character, from 0. */
  readonly position: number;
}

const PATTERN =
  /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?<identifier>[A-Za-z]\w*)|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<sign>[-+*=,()[\]]))/y;

/** The tokens of a kernel's text, followed by one of kind 'end'. */
function tokensOf(text: string): Token[] {
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

/** Error that shows the position of a problem in the text. */
function unreadable(text: string, position: number, problem: string): InvalidInputError {
  return new InvalidInputError(
    `The kernel '${shown(text, position)}' cannot be read: at character ${position + 1}, ${problem}. ` +
      "Write kernels like 'rbf(variance=1, lengthscale=[1,2]) * linear + bias(fixed(0.1))'.",
  );
}

/** Longest text that is shown in full. */
const SHOWN = 160;

/** The text, or the part of it around a position. */
function shown(text: string, position: number): string {
  if (text.length <= SHOWN) return text;
  const from = Math.max(0, Math.min(position - SHOWN / 2, text.length - SHOWN));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN)}${from + SHOWN < text.length ? '…' : ''}`;
}
