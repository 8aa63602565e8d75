import { InvalidInputError } from 'latentfield/core';
import * as models from 'latentfield/models';

type Factory = (rows: unknown, ...rest: readonly unknown[]) => Parameters<typeof import('latentfield').fit>[0];

/** Models that require labels after the rows. */
const WITH_LABELS = new Set(['gplrf', 'dgplvm', 'lda', 'kernelLda', 'slpp']);

/** Model of the library by name. */
export function makeModel(
  name: string,
  rows: readonly (readonly number[])[],
  labels: readonly (string | number)[] | undefined,
  options: Readonly<Record<string, unknown>>,
) {
  const factory = (models as unknown as Readonly<Record<string, Factory | undefined>>)[name];
  if (typeof factory !== 'function')
    throw new InvalidInputError(
      `There is no model '${name}'. Take one of the library, such as 'gplvm', 'isomap', 'tsne' or 'umap'.`,
    );
  if (!WITH_LABELS.has(name)) return factory(rows, options);
  const kinds = [...new Set(labels)];
  return factory(
    rows,
    labels?.map((label) => kinds.indexOf(label)),
    options,
  );
}
