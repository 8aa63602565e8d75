import { InvalidInputError } from '../../core/errors.ts';
import { type FittedTable, type NamedTable, rememberedTable } from '../../core/namedTable.ts';
import type { AnyAbilities, PredictedLatents } from '../../model/abilities.ts';
import type { Model } from '../../model/model.ts';
import type { Prediction } from '../../model/posterior.ts';
import type { Abilities } from './fitAbilities.ts';

/**
 * The model whose fits remember a table.
 *
 * @throws InvalidInputError when it is not one, or not that of the model's observations
 */
export function remembering(model: Model, table: NamedTable | undefined): Model {
  if (table === undefined) return model;
  const remembered = rememberedTable(table);
  const { observations, views } = model.toJSON() as { observations?: unknown; views?: unknown };
  if (views !== undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' has several views, which no one table holds. Leave out table.`,
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

/** Abilities of a fit that name the columns of their predictions. */
export function namingColumns(abilities: Abilities, table: FittedTable | undefined): Abilities {
  if (table === undefined || 'translate' in abilities) return abilities;
  const { impute, predict, interpolate, forecast } = abilities as Partial<AnyAbilities>;
  const { columns } = table;
  const named = <P extends Prediction>(prediction: P): P => ({ ...prediction, columns });
  const naming: Partial<AnyAbilities> = {
    ...(impute && {
      impute: (Y, options) => {
        const filled = impute(Y, options);
        return filled instanceof Promise ? filled.then(named) : named(filled);
      },
    }),
    ...(predict && { predict: (X, options) => named(predict(X, options)) }),
    ...(interpolate && {
      interpolate: ((...given: Parameters<typeof interpolate>) => {
        const found: PredictedLatents | Promise<PredictedLatents> = interpolate(...given);
        return found instanceof Promise ? found.then(named) : named(found);
      }) as typeof interpolate,
    }),
    ...(forecast && { forecast: (steps) => named(forecast(steps)) }),
  };
  return { ...abilities, ...naming };
}
