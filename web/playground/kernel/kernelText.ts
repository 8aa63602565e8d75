import { covariance, describe, Matrix, seededRandom } from 'latentfield';
import { kernelFromJSON, kernelToJSON, parseKernel } from 'latentfield/kernels';
import * as op from 'latentfield/ops';
import { withFloat64 } from 'latentfield/tensors';

/** Number of a kernel that a slider controls. */
export interface KernelNumber {
  /** Kernel and parameter, such as `rbf lengthscale`. */
  readonly label: string;
  /** Path in the kernel's JSON. */
  readonly place: readonly (string | number)[];
  readonly value: number;
  /** True if a fit changes it. */
  readonly free: boolean;
  readonly isWhole: boolean;
}

interface SavedParameter {
  readonly support: string;
  free: boolean;
  initial: number | number[];
}
/** Copy that may be modified. */
const jsonOf = (text: string): Json => JSON.parse(JSON.stringify(kernelToJSON(parseKernel(text))));

type Json = { [key: string]: Json } | Json[] | number | string | boolean;

/**
 * Numbers in a kernel's text, in order.
 *
 * @throws InvalidInputError if the text cannot be read
 */
export function numbersOf(text: string): KernelNumber[] {
  const found: KernelNumber[] = [];
  const times = new Map<string, number>();
  visit(jsonOf(text), [], (name, parameters, place) => {
    const count = (times.get(name) ?? 0) + 1;
    times.set(name, count);
    for (const [parameter, { initial, free, support }] of Object.entries(parameters)) {
      const label = `${name}${count > 1 ? count : ''} ${parameter}`;
      const at = [...place, parameter, 'initial'];
      const isWhole = support === 'real';
      if (typeof initial === 'number') found.push({ label, place: at, value: initial, free, isWhole });
      else
        initial.forEach((value, d) => {
          found.push({ label: `${label} ${d + 1}`, place: [...at, d], value, free, isWhole });
        });
    }
  });
  return found;
}

type Visitor = (name: string, parameters: Record<string, SavedParameter>, place: (string | number)[]) => void;

function visit(node: Json, place: (string | number)[], on: Visitor): void {
  if (typeof node !== 'object') return;
  if (Array.isArray(node)) {
    node.forEach((child, i) => {
      visit(child, [...place, i], on);
    });
  } else if ('kernel' in node) {
    on(node.kernel as string, node.parameters as never, [...place, 'parameters']);
  } else {
    if ('scale' in node) on('scale', { variance: node.variance as never }, place);
    for (const key of ['add', 'multiply', 'scale', 'select']) if (key in node) visit(node[key]!, [...place, key], on);
  }
}

/** Text with another value, or with a parameter fixed or freed. */
export function withNumber(
  text: string,
  { place }: KernelNumber,
  change: { readonly value?: number; readonly free?: boolean },
): string {
  const json = jsonOf(text);
  const reach = (path: readonly (string | number)[]) =>
    path.reduce<Json>((node, key) => (node as Record<string | number, Json>)[key]!, json) as Record<
      string | number,
      Json
    >;
  if (change.value !== undefined) reach(place.slice(0, -1))[place.at(-1)!] = change.value;
  if (change.free !== undefined) reach(place.slice(0, place.lastIndexOf('initial'))).free = change.free;
  return describe(kernelFromJSON(json));
}

const STEPS = 96;
const LINE = Array.from({ length: STEPS + 1 }, (_, i) => -3 + (6 * i) / STEPS);
const AGAINST = [-1.5, 0, 1];
const SAMPLES = 3;
/** Jitter on the diagonal, relative to the largest variance: without it the covariance of smooth functions has no Cholesky factor in double precision. */
const JITTER = 1e-8;

export interface DrawnKernel {
  readonly x: readonly number[];
  /** Covariance k(x, x′) for three x′. */
  readonly covariances: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Functions from a Gaussian process with this covariance, with the same random numbers for all kernels. */
  readonly samples: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/**
 * Kernel along its first dimension, from −3 to 3, with the others 0.
 *
 * @throws InvalidInputError if the text cannot be read; NumericalError if it is not a covariance in double precision
 */
export function drawnKernel(text: string): DrawnKernel {
  const kernel = parseKernel(text);
  const dimensions = columnsOf(jsonOf(text));
  const point = (x: number) => [x, ...new Array<number>(dimensions - 1).fill(0)];
  const K = covariance(kernel, LINE.map(point));
  const largest = LINE.reduce((most, _, i) => Math.max(most, K.at(i, i)), 0);
  const covariances = AGAINST.map((against) => {
    const values = Array.from(covariance(kernel, LINE.map(point), [point(against)]).column(0));
    // White noise is of a point with itself only.
    const own = covariance(kernel, [point(against)]).at(0, 0);
    return { name: `x′ = ${against}`.replace('-', '−'), values: values.map((v, i) => (LINE[i] === against ? own : v)) };
  });
  const { normal } = seededRandom(1);
  const z = LINE.map(() => Array.from({ length: SAMPLES }, normal));
  const drawn = withFloat64(() => {
    const raised = K.toArrays().map((row, i) => row.map((value, j) => (i === j ? value + JITTER * largest : value)));
    const L = op.cholesky(op.tensor(raised), { name: `The covariance of ${describe(kernel)}` });
    return Matrix.from(op.matMul(L, op.tensor(z)));
  });
  const samples = Array.from({ length: SAMPLES }, (_, k) => ({
    name: `sample ${k + 1}`,
    values: LINE.map((_, i) => drawn.at(i, k)),
  }));
  return { x: LINE, covariances, samples };
}

/** Number of dimensions that a kernel refers to, at least 1. */
function columnsOf(node: Json): number {
  if (typeof node !== 'object') return 1;
  if (Array.isArray(node)) return node.reduce<number>((most, child) => Math.max(most, columnsOf(child)), 1);
  if ('select' in node) return Math.max(...(node.columns as number[])) + 1;
  if ('initial' in node) return Array.isArray(node.initial) ? node.initial.length : 1;
  return Object.values(node).reduce<number>((most, child) => Math.max(most, columnsOf(child)), 1);
}
