import * as v from 'valibot';
import { Matrix } from '../core/matrix.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { STATISTICS } from '../inference/sampling/chain.ts';
import { createDraws, type Draws, type DrawsRecord } from '../inference/sampling/draws.ts';
import type { ModelJSON } from '../model/model.ts';
import { dataFromPlain } from '../model/plainData.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import { checkOwnParts, type OwnParts } from './ownParts.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const doubles = v.instance(Float64Array);
const savedSchema = v.object({
  format: v.literal('latentfield-draws'),
  version: v.literal(1),
  model: v.looseObject({ model: v.string() }),
  record: v.record(v.string(), v.unknown()),
});
const recordSchema = v.pipe(
  v.object({
    sampler: v.string(),
    seed: v.number(),
    warmup: count,
    chains: v.pipe(count, v.minValue(1)),
    draws: v.pipe(count, v.minValue(1)),
    variables: v.array(v.object({ path: v.string(), shape: v.array(count) })),
    values: v.record(v.string(), doubles),
    held: v.record(v.string(), v.union([v.number(), v.array(v.number()), v.instance(Matrix)])),
    statistics: v.object(Object.fromEntries(STATISTICS.map((name) => [name, doubles]))),
    evaluations: count,
    warmupDivergences: count,
    jittered: count,
    added: v.array(v.string()),
    seconds: v.number(),
  }),
  v.check(({ chains, draws, variables, values, statistics }) => {
    const all = chains * draws;
    const sizes = variables.map(({ path, shape }) => [
      values[path]?.length,
      shape.reduce((product, n) => product * n, all),
    ]);
    return (
      sizes.every(([found, wanted]) => found === wanted) && Object.values(statistics).every((own) => own.length === all)
    );
  }),
);

/**
 * Makes draws again from what `draws.toJSON()` wrote: the same numbers, diagnostics and predictions, bit for bit.
 *
 * @param json - the object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of parts that do not come with the library, by name, as `loadFit` takes them
 * @throws InvalidInputError when it is not saved draws, or damaged, with the place; or names a part that is not known
 * @example
 * ```ts
 * const again = loadDraws(JSON.parse(JSON.stringify(draws)));
 * again.summary()['mapping.noise']?.mean;
 * ```
 */
export function loadDraws(json: unknown, own: OwnParts = {}): Draws {
  checkOwnParts(own, 'loadDraws');
  const saved = checkSaved(savedSchema, json, '');
  const model = readingAt('model', () => modelFromJSON(saved.model as ModelJSON, own, true));
  const record = readingAt('record', () => dataFromPlain(saved.record));
  return createDraws(model, checkSaved(recordSchema, record, 'record') as unknown as DrawsRecord);
}
