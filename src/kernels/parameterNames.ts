import type { TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { Kernel } from './kernel.ts';

/** A kernel among others, with unique names of its parameters. */
export interface NamedPart {
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Its tensors under its own parameter names, out of those of the whole kernel. */
  readonly own: (p: TensorMap) => TensorMap;
}

/**
 * Gives sibling kernels unique names. Every parameter is called `<name>.<parameter>` after its leaf or scale. Of several leaves with the same name,
 * counted from left to right through all sums and products, the second is `<name>2`, the third `<name>3`: names depend on the order of the leaves
 * only, not on brackets.
 */
export function namedParts(kernels: readonly Kernel[], before: readonly string[] = []): NamedPart[] {
  const own = kernels.map(leafNames);
  const names = numbered([...before, ...own.flat()]).slice(before.length);
  let start = 0;
  return kernels.map((kernel, i) => {
    const segments = numbered(own[i]!);
    const renamed = new Map(segments.map((segment, k) => [segment, names[start + k]!]));
    start += segments.length;
    const keys = Object.keys(kernel.parameters).map((key): [string, string] => {
      const dot = key.indexOf('.');
      return [key, renamed.get(key.slice(0, dot))! + key.slice(dot)];
    });
    return {
      parameters: Object.fromEntries(keys.map(([key, name]) => [name, kernel.parameters[key]!])),
      own: (p) => Object.fromEntries(keys.map(([key, name]) => [key, p[name]!])),
    };
  });
}

/** Names of the leaves and scales of a kernel, from left to right. */
function leafNames(kernel: Kernel): string[] {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return [kernel.name];
    case 'scale':
      return ['scale', ...leafNames(form.child)];
    case 'select':
      return leafNames(form.child);
    default:
      return form.children.flatMap(leafNames);
  }
}

/** Numbers equal names from the second on, skipping names that are taken. */
function numbered(names: readonly string[]): string[] {
  const taken = new Set(names);
  const next = new Map<string, number>();
  return names.map((name) => {
    let number = next.get(name);
    next.set(name, number ?? 2);
    if (number === undefined) return name;
    while (taken.has(name + number)) number++;
    taken.add(name + number);
    next.set(name, number + 1);
    return name + number;
  });
}
