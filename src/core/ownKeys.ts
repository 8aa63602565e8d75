import * as v from 'valibot';

/** A schema of valibot, as far as its members are walked here. */
interface AnySchema {
  '~run': (dataset: { value: unknown }, config: unknown) => unknown;
  entries?: Readonly<Record<string, unknown>>;
}

const prepared = new WeakSet<object>();

/**
 * `safeParse` by own keys only: neither a schema nor what it checks has members that a page has put on `Object.prototype`, and an option that is called
 * like a member of every object is not taken for given. Schemas are prepared once, on first use.
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

/** The own members of an object, and no others. */
const own = <T extends object>(value: T): T => Object.assign(Object.create(null), value) as T;
