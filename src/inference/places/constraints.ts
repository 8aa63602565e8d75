import { Matrix } from '../../core/matrix.ts';
import { columnsByName, joinedColumns } from '../../core/rowMatrices.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import type { DensityOfRows } from './search.ts';

/** Model of rows in the unconstrained variables of its latent variables. */
export interface UnconstrainedRows {
  readonly model: RowModel;
  /** True if a latent variable has a constraint. */
  readonly isConstrained: boolean;
  /** Concatenated latent variables from their unconstrained variables. */
  natural(U: Matrix): Matrix;
  /** Density of the unconstrained variables: the density of rows times the Jacobian of the transforms. */
  withVolume(density: DensityOfRows): DensityOfRows;
}

/** Row model in unconstrained variables u, x = T(u), for searches; the model itself if no variable is constrained. */
export function unconstrainedRows(model: RowModel): UnconstrainedRows {
  const { latents, transforms, values, drawLatents } = model;
  if (latents.every(({ name }) => transforms[name] === undefined)) {
    return { model, isConstrained: false, natural: (U) => U, withVolume: (density) => density };
  }
  const widths = latents.map(({ name, columns }) => ({ name, columns: transforms[name]?.width ?? columns }));
  const changed = (rows: RowsByName, by: 'toNatural' | 'toUnconstrained'): RowsByName =>
    Object.fromEntries(
      Object.entries(rows).map(([name, own]) => {
        const transform = transforms[name];
        if (transform === undefined) return [name, own];
        const data = transform[by](own.data);
        return [name, new Matrix(data, own.rows, data.length / own.rows)];
      }),
    );
  const beside = (rows: RowsByName) => joinedColumns(latents.map(({ name }) => rows[name]!));
  const natural = (U: Matrix) => beside(changed(columnsByName(U, widths), 'toNatural'));
  const unconstrained = (X: Matrix) => beside(changed(columnsByName(X, latents), 'toUnconstrained'));
  const pulledBack = (gradient: Matrix, X: Matrix, U: Matrix) => {
    const [slopes, at, from] = [columnsByName(gradient, latents), columnsByName(X, latents), columnsByName(U, widths)];
    const parts = latents.map(({ name }) => {
      const transform = transforms[name];
      if (transform === undefined) return slopes[name]!;
      const data = transform.pullBack(slopes[name]!.data, at[name]!.data, from[name]!.data);
      return new Matrix(data, U.rows, transform.width);
    });
    return joinedColumns(parts);
  };
  return {
    isConstrained: true,
    natural,
    model: {
      ...model,
      latents: widths,
      values: { ...values, ...changed(values, 'toUnconstrained') },
      ...(model.predict && {
        predict: (rows, noise, variances) => model.predict!(changed(rows, 'toNatural'), noise, variances),
      }),
      ...(drawLatents && { drawLatents: (count, random) => unconstrained(model.drawLatents!(count, random)) }),
      ...(model.density && {
        density: (U, given, ...how) => {
          const X = natural(U);
          const { density, posterior, gradient } = model.density!(X, given, ...how);
          return { density, posterior, gradient: pulledBack(gradient, X, U) };
        },
      }),
    },
    withVolume:
      (density) =>
      (U, rows, ...how) => {
        const at = density(U, rows, ...how);
        const from = columnsByName(U, widths);
        const posterior = at.posterior.map((sum, i) =>
          latents.reduce((total, { name }) => {
            const change = transforms[name]?.logJacobian(Float64Array.from(from[name]!.row(i)));
            return total + (change?.value ?? 0);
          }, sum),
        );
        return { ...at, posterior };
      },
  };
}
