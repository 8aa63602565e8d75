import type { Density, DensityStart } from '../../model/language/density.ts';
import { real } from '../../model/parameter.ts';
import { type Process, processDensity } from '../processDensity.ts';
import { type BoundOptions, inputsStart } from './boundPosterior.ts';
import { boundProcess } from './boundProcess.ts';
import { inducingStart } from './inducingInputs.ts';
import { Q_MEAN } from './inducingVariables.ts';

/**
 * Density of a process through inducing inputs: its own bound if all rows are used, the inputs are points and the noise is Gaussian (Titsias 2009),
 * otherwise that of {@link boundProcess}.
 */
export function sparseDensity(process: Process, options: BoundOptions): Density {
  const bound = boundProcess(options).density;
  if (!options.collapses) return bound;
  const own = processDensity(process);
  const isOwn = (start: DensityStart) => !start.batched && start.given.every(({ variance }) => variance === undefined);
  const opened = new WeakSet<object>();
  return Object.freeze<Density>({
    ...bound,
    quadratic: own.quadratic!,
    parameters: (start) =>
      isOwn(start)
        ? { ...process.parameters, inducing: real(inducingStart(options.inducing, inputsStart(start))) }
        : bound.parameters(start),
    prepare: (start) => {
      if (isOwn(start)) return own.prepare!(start);
      const open = bound.prepare!(start) as object;
      opened.add(open);
      return open;
    },
    held: (start) => (isOwn(start) ? undefined : bound.held!(start)),
    logDensity: (p, rows, context) =>
      (opened.has(context.constants as object) ? bound : own).logDensity(p, rows, context),
    condition: (p, fitted, context) =>
      (Q_MEAN in p || fitted.givenVariances !== undefined ? bound : own).condition!(p, fitted, context),
  });
}
