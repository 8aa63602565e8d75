import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { isRowSource, isSampled, sampledRows } from '../core/rowMatrices.ts';

/**
 * Data of a model as plain JSON, including matrices, lists of doubles and numbers that are not finite. `dataFromPlain` restores them bit for bit.
 *
 * @throws InvalidInputError for a value without a JSON form, naming its path
 */
export function plainData(
  value: unknown,
  place = 'data',
  remedy = 'Define data: { toJSON, fromJSON } in its definition.',
): unknown {
  if (value === undefined && place === 'data') return null;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { '~number': textOf(value) };
  if (value instanceof Matrix) {
    return { '~matrix': Array.from(value.data, (entry) => plainData(entry)), rows: value.rows, columns: value.columns };
  }
  if (isRowSource(value)) {
    if (!isSampled(value)) {
      throw new InvalidInputError(
        `'${place}' of a model that is to be saved is read in blocks of rows. Its fits are saved: fit(model, { batchSize }).`,
      );
    }
    const { rows, sample, standardization, latents } = value;
    return plainData({ '~rows': rows, sample, standardization: { ...standardization }, latents });
  }
  for (const [name, Class] of Object.entries(LISTS)) {
    if (value instanceof Class) return { [name]: Array.from(value, (entry) => plainData(entry)) };
  }
  if (Array.isArray(value)) return value.map((entry, i) => plainData(entry, `${place}[${i}]`, remedy));
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return Object.fromEntries(entries.map(([key, entry]) => [key, plainData(entry, `${place}.${key}`, remedy)]));
  }
  throw new InvalidInputError(
    `'${place}' of a model to be saved is ${describe(value)}, which JSON cannot represent. ${remedy}`,
  );
}

/** Result of `plainData`. */
export function dataFromPlain(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(dataFromPlain);
  const given = json as Record<string, unknown>;
  if ('~number' in given) return number(given);
  const numbers = (list: unknown) => {
    if (!Array.isArray(list))
      throw new InvalidInputError(`Saved data should contain a list, but ${describe(list)} is there.`);
    return Float64Array.from(list, number);
  };
  if ('~matrix' in given) return new Matrix(numbers(given['~matrix']), given.rows as number, given.columns as number);
  for (const [name, Class] of Object.entries(LISTS)) if (name in given) return Class.from(numbers(given[name]));
  const made = Object.fromEntries(Object.entries(given).map(([key, entry]) => [key, dataFromPlain(entry)]));
  if (!('~rows' in made)) return made;
  const { '~rows': rows, ...sampled } = made;
  return sampledRows({ ...sampled, rows } as Parameters<typeof sampledRows>[0]);
}

function number(json: unknown): number {
  const text = typeof json === 'object' && json !== null ? (json as { '~number'?: unknown })['~number'] : json;
  if (typeof json === 'number') return json;
  if (['NaN', 'Infinity', '-Infinity', '-0'].includes(text as string)) return Number(text);
  throw new InvalidInputError(`Saved data should contain a number, but ${describe(text)} is there.`);
}

const LISTS = { '~float64': Float64Array, '~int32': Int32Array } as const;

const textOf = (value: number) => (Object.is(value, -0) ? '-0' : String(value));
