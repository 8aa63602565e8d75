import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import { differenceStep } from '../../engine/centralDifferences.ts';
import type { Chart } from '../../model/language/map.ts';
import { expectedMetric } from '../../model/language/metric.ts';
import type { AnyPosterior, Mapping } from '../../model/posterior.ts';
import { type PullBack, pointsAround, pullBackOf, slopesFrom } from '../../model/pullBack.ts';

/** Latent points with the metric that a mapping from them to observations pulls back. */
export interface Surface {
  /** Points that were fitted, N×q. */
  readonly latents: Matrix;
  /** The chart that they are coordinates of, if any. */
  readonly chart: Chart | undefined;
  /** The expected metric at points X (n×q). */
  metric(X: Matrix): PullBack;
}

/** Points whose metrics are computed together. */
const TOGETHER = 16;

type Mapped = Pick<AnyPosterior, 'latents' | 'fitted' | 'variables' | 'mapping' | 'views'>;

/**
 * The surface of a posterior.
 *
 * @param view - one of several observed variables; all together without it
 * @throws InvalidInputError for a model without a mapping, or a view that it has not
 */
export function surfaceOf(posterior: Mapped, view: string | undefined, caller: string): Surface {
  const { fitted, variables, mapping, views, latents } = posterior;
  if (fitted !== undefined && (variables ?? mapping) !== undefined) {
    const names = fitted.observed.map(({ name }) => name);
    if (view !== undefined && !names.includes(view)) throw unknownName('view', view, names, caller);
    // A model that has no single root says so when its metric is asked for.
    const root = fitted.roots[0] ?? fitted.model.graph.shown.name;
    return {
      latents: fitted.values[root]!,
      chart: fitted.charts[root],
      metric: inSlices((X) => expectedMetric(fitted, X, view)),
    };
  }
  const names = Object.keys(views ?? {});
  if (view !== undefined && !names.includes(view)) throw unknownName('view', view, names, caller);
  const chosen = view === undefined ? mapping : views![view];
  if (chosen === undefined) {
    throw new InvalidInputError(
      `${caller} takes a fit of a model with a mapping from latents to observations, such as gplvm, but this one has none.`,
    );
  }
  return { latents, chart: undefined, metric: inSlices(metricOf(chosen, latents)) };
}

/** The metric of a mapping's mean. */
function metricOf(mapping: Mapping, latents: Matrix): (X: Matrix) => PullBack {
  const step = differenceStep(latents.data, latents.columns);
  const ones = new Float64Array(mapping.observedColumns).fill(1);
  return (X) => {
    const { mean } = mapping.predict(pointsAround(X, step), false);
    return pullBackOf(slopesFrom(mean, step), undefined, ones, X.columns);
  };
}

function inSlices(metric: (X: Matrix) => PullBack): (X: Matrix) => PullBack {
  return (X) => {
    const { rows, columns: q } = X;
    const mean = Matrix.zeros(rows, q * q);
    const spread = Matrix.zeros(rows, q * q);
    let isWhole = true;
    for (let from = 0; from < rows; from += TOGETHER) {
      const to = Math.min(rows, from + TOGETHER);
      const part = metric(new Matrix(X.data.slice(from * q, to * q), to - from, q));
      mean.data.set(part.mean.data, from * q * q);
      if (part.spread === undefined) isWhole = false;
      else spread.data.set(part.spread.data, from * q * q);
    }
    return { mean, spread: isWhole ? spread : undefined };
  };
}
