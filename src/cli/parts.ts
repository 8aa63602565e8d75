import {
  add,
  builtInKernels,
  builtInPriors,
  fixed,
  InvalidInputError,
  type Kernel,
  multiply,
  type ParameterLike,
  type Prior,
} from '../index.ts';

type Factory<Part> = (overrides?: Record<string, ParameterLike>) => Part;

/**
 * A kernel as people write it in JSON: "rbf", { "kernel": "rbf", "parameters": { "lengthscale": 2 } }, and sums and
 * products of these: { "add": ["rbf", "bias"] }, { "multiply": [ … ] }. Parameters are read by
 * `parameterOf`.
 *
 * @throws InvalidInputError for anything else, and for a kernel that is not known
 */
export function kernelOf(given: unknown): Kernel {
  if (isObject(given)) {
    if (Array.isArray(given.add)) return add(...given.add.map(kernelOf));
    if (Array.isArray(given.multiply)) return multiply(...given.multiply.map(kernelOf));
  }
  return partOf('kernel', given, builtInKernels);
}

/** A prior as people write it in JSON: "standardNormal" or { "prior": "standardNormal", "parameters": { … } }. */
export const priorOf = (given: unknown): Prior => partOf('prior', given, builtInPriors);

function partOf<Part>(
  kind: 'kernel' | 'prior',
  given: unknown,
  factories: Readonly<Record<string, Factory<Part>>>,
): Part {
  const { name, parameters, ...others } = nameAndParameters(kind, given);
  const factory = typeof name === 'string' && Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (factory === undefined || !isObject(parameters) || Object.keys(others).length > 0) {
    const example = Object.keys(factories)[0]!;
    throw new InvalidInputError(
      `${JSON.stringify(given)} is not a ${kind}. Give a name, such as "${example}", or { "${kind}": "${example}", "parameters": { … } }. Known are ${Object.keys(factories).join(', ')}.`,
    );
  }
  return factory(Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, parameterOf(key, value)])));
}

function nameAndParameters(kind: 'kernel' | 'prior', given: unknown): Record<string, unknown> {
  if (!isObject(given)) return { name: given, parameters: {} };
  const { [kind]: name, parameters = {}, ...others } = given;
  return { name, parameters, ...others };
}

/**
 * A parameter as people write it in JSON: a number, a list of numbers, or { "fixed": number }.
 *
 * @throws InvalidInputError for anything else
 */
export function parameterOf(name: string, given: unknown): ParameterLike {
  if (isNumeric(given)) return given;
  if (isObject(given) && isNumeric(given.fixed) && Object.keys(given).length === 1) return fixed(given.fixed);
  throw new InvalidInputError(
    `Parameter '${name}' must be a number, a list of numbers, or { "fixed": number }, but ${JSON.stringify(given)} was given.`,
  );
}

const isNumeric = (given: unknown): given is number | number[] =>
  typeof given === 'number' || (Array.isArray(given) && given.every((entry) => typeof entry === 'number'));

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);
