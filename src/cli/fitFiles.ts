import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fit, InvalidInputError, loadFit, Matrix, NumericalError } from '../index.ts';
import { writeAtomically, writeTable } from '../io/index.ts';
import { latentPlot, type PrecisionGrid, precisionGrid } from '../plot/index.ts';
import { readJsonFile } from './jsonFile.ts';

/** Makes the folder, before a fit that would otherwise be for nothing. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new InvalidInputError(`The folder '${folder}' cannot be made: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/**
 * Writes latents.csv (N×q), fit.json (which `loadFit` reads), trace.csv and plot.svg into a folder.
 *
 * @returns the paths of the files, in that order
 */
export async function writeFit(folder: string, result: Fit, labels: readonly string[] | undefined): Promise<string[]> {
  const paths = ['latents.csv', 'fit.json', 'trace.csv', 'plot.svg'].map((name) => join(folder, name));
  const [latents, fit, trace, plot] = paths as [string, string, string, string];
  const dimensions = Array.from({ length: result.latents.columns }, (_, d) => `x${d + 1}`);
  await writeTable(latents, result.latents, dimensions);
  await writeAtomically(fit, `${JSON.stringify(result.toJSON())}\n`);
  await writeTable(trace, traceMatrix(result), ['iteration', 'evaluations', 'objective', 'gradientNorm']);
  const precision = background(result);
  const picture = await latentPlot({
    latents: result.latents,
    title: `${result.model}, objective ${result.objective.toPrecision(6)}`,
    ...(precision === undefined ? {} : { precision }),
    ...(labels === undefined ? {} : { labels }),
  });
  await writeAtomically(plot, picture);
  return paths;
}

/** The predictive precision over the latents; none where the model has no mapping from them, or predicts without error. */
function background({ predict, latents }: Fit): PrecisionGrid | undefined {
  if (predict === undefined) return undefined;
  try {
    return precisionGrid((X) => predict(X, { noise: true }), latents);
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof NumericalError) return undefined;
    throw error;
  }
}

const traceMatrix = ({ trace }: Fit): Matrix =>
  new Matrix(
    Float64Array.from(
      trace.flatMap(({ iteration, evaluations, objective, gradientNorm }) => [
        iteration,
        evaluations,
        objective,
        gradientNorm,
      ]),
    ),
    trace.length,
    4,
  );

/**
 * The fit that `writeFit` left in a folder.
 *
 * @throws InvalidInputError when there is none, or fit.json is not a saved fit
 */
export async function readFit(folder: string): Promise<Fit> {
  return loadFit(await readJsonFile(join(folder, 'fit.json'), 'saved fit'));
}
