import * as v from 'valibot';

/** A schema of valibot, with the members that are traversed here. */
interface AnySchema {
  '~run': (dataset: { value: unknown }, config: unknown) => unknown;
  entries?: Readonly<Record<string, unknown>>;
}

const prepared = new WeakSet<object>();

/**
 * `safeParse` by own keys only: neither a schema nor what it checks inherits members that a page has put on `Object.prototype`, and an option named
 * like a member of every object does not count as set. Schemas are prepared once, on first use.
 */
export function safeParseOwn<T extends v.GenericSchema>(schema: T, value: unknown): v.SafeParseResult<T> {
  prepare(schema);
  return v.safeParse(schema, value);
}

function prepare(part: unknown): void {
  if (typeof part !== 'object' || part === null || prepared.has(part)) return;
  prepared.add(part);
  if (Array.isArray(part)) {
    for (const entry of part) prepare(entry);
    return;
  }
  for (const name of ['wrapped', 'options', 'pipe', 'item', 'items', 'key', 'value', 'rest']) {
    if (Object.hasOwn(part, name)) prepare(Reflect.get(part, name));
  }
  if (!Object.hasOwn(part, 'entries')) return;
  const schema = part as AnySchema;
  for (const entry of Object.values(schema.entries!)) prepare(entry);
  schema.entries = own(schema.entries!);
  const run = schema['~run'];
  schema['~run'] = function (dataset, config) {
    const { value } = dataset;
    if (typeof value === 'object' && value !== null) dataset.value = own(value);
    return run.call(this, dataset, config);
  };
}

/** A copy of an object without inherited members, and without those that are undefined. */
function own<T extends object>(value: T): T {
  const copy = Object.create(null) as T;
  for (const key of Object.keys(value) as (keyof T)[]) if (value[key] !== undefined) copy[key] = value[key];
  return copy;
}
