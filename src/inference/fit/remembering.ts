import { InvalidInputError } from '../../core/errors.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import { rememberedTable } from '../../core/rememberedTable.ts';
import type { Model } from '../../model/model.ts';

/**
 * Model whose fits remember a table.
 *
 * @throws InvalidInputError if it is not a table, or not the table of the model's observations
 */
export function remembering(model: Model, table: NamedTable | undefined): Model {
  if (table === undefined) return model;
  const remembered = rememberedTable(table);
  const { observations, views } = model.toJSON() as { observations?: unknown; views?: unknown };
  if (views !== undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' has several views, which no single table contains. Omit table.`,
    );
  }
  const { rows, columns } = table.observations;
  if (Array.isArray(observations) && observations.length > 0) {
    const [first] = observations as readonly (readonly unknown[])[];
    if (observations.length !== rows || first!.length !== columns) {
      throw new InvalidInputError(
        `The table is ${rows}×${columns}, but the observations of '${model.name}' are ${observations.length}×${first!.length}. Give the table that they come from.`,
      );
    }
  }
  return Object.freeze({ ...model, table: remembered });
}
