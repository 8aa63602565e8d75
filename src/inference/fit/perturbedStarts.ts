import { exp, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import type { StartKind } from '../../model/model.ts';
import { softplus } from '../../model/transform.ts';
import type { Variable, VariableLayout } from '../../model/variables.ts';
import type { FitProblem } from './fitProblem.ts';
import type { Origin } from './restarts.ts';
import { MOST_ITERATIONS, type RunEvent, type RunSettings, type RunSolution, type Start } from './run.ts';

/**
 * Starts from origins.
 *
 * @param goesOn - true for a start that resumes from its state, so that its origin is not needed
 */
export function startsFrom(
  problem: FitProblem,
  origins: readonly Origin[],
  seed: number,
  goesOn: (number: number) => boolean,
): Promise<Float64Array[]> {
  const startOf = startsOf(problem);
  return perturbedStarts(
    problem.layout,
    async (origin, drawn, number) => (goesOn(number) ? problem.start : startOf(origin, drawn)),
    origins,
    seed,
  );
}

/** Computes origins of each kind, once for kinds that do not depend on the start's random draws. */
function startsOf({
  model,
  start,
  compute,
  variablesAt,
}: FitProblem): (origin: Origin, seed: number) => Promise<Float64Array> {
  const found = new Map<Origin['init'], Float64Array>([['model', start]]);
  return async ({ init }, seed) => {
    const at = found.get(init) ?? variablesAt(compute(await model.startAt!(init as Exclude<StartKind, 'model'>, seed)));
    if (init !== 'random') found.set(init, at);
    return at;
  };
}

/** Factor of the standard deviation of each column of a real matrix, and of the root mean square of a real number or list. */
const REAL_PART = 0.5;

/**
 * Randomly perturbed starts, drawn from the seed. With width 1, each column of a real matrix (the latents) moves by half its standard
 * deviation times a standard normal, a real number or list by half its root mean square (by half a standard normal if that is 0), the logarithm of a
 * positive parameter or the logit of a bounded one by a standard normal, and a box parameter, within its bounds, by its scale times a standard
 * normal. All moves are in the solver's variables.
 *
 * The first n starts do not depend on the number of starts.
 *
 * @param startOf - unperturbed start of an origin, by its number; it does not affect the number of random draws of the move
 */
export async function perturbedStarts(
  layout: VariableLayout,
  startOf: (origin: Origin, seed: number, number: number) => Promise<Float64Array>,
  origins: readonly Origin[],
  seed: number,
): Promise<Float64Array[]> {
  // A separate stream: the model may have drawn its start from the seed's, and would otherwise be moved along itself.
  const random = seededRandom(seededRandom(seed).integer(2 ** 53));
  const starts: Float64Array[] = [];
  for (const [number, origin] of origins.entries()) {
    const from = await startOf(origin, origin.init === 'random' ? random.integer(2 ** 53) : seed, number);
    const moved = from.slice();
    starts.push(moved);
    if (origin.width === 0) continue;
    for (const variable of layout.variables) if (variable.start >= 0) perturb(moved, variable, origin.width, random);
  }
  return starts;
}

function perturb(
  x: Float64Array,
  { start, size, width: count, shape, parameter, transform }: Variable,
  width: number,
  random: Random,
): void {
  if (parameter.transform === softplus) {
    const natural = transform.toNatural(x.subarray(start, start + size));
    x.set(transform.toUnconstrained(natural.map((entry) => entry * exp(width * random.normal()))), start);
    return;
  }
  const columns = shape.length === 2 ? shape[1]! : 1;
  const entries = x.subarray(start, start + count);
  const widths = Array.from({ length: columns }, (_, j) => {
    if (parameter.support !== 'real') return 1;
    const column = entries.filter((_entry, i) => i % columns === j);
    return REAL_PART * (spread(column, shape.length === 2) || 1);
  });
  const { support, scale, lower, upper } = parameter;
  for (let i = 0; i < count; i++) {
    const moved = entries[i]! + width * widths[i % columns]! * (scale?.[i] ?? 1) * random.normal();
    entries[i] = support === 'box' ? Math.max(lower, Math.min(upper, moved)) : moved;
  }
}

/** Standard deviation, or root mean square. */
function spread(entries: Float64Array, centered: boolean): number {
  const mean = centered ? entries.reduce((sum, entry) => sum + entry, 0) / entries.length : 0;
  return Math.sqrt(entries.reduce((sum, entry) => sum + square(entry - mean), 0) / entries.length);
}

/** Runs the solver from some starts, in this thread or in workers. */
export type Runs = (starts: readonly Start[], settings: RunSettings) => AsyncGenerator<RunEvent, void, void>;

/**
 * Runs every start for some iterations, and then only the best of them (the first if tied) to its end. A start that resumes from a state beyond the
 * trial stays there, so that a resumed fit makes the same choice.
 */
export async function* shortlisted(
  { inBatches }: Pick<FitProblem, 'inBatches'>,
  run: Runs,
  starts: readonly Start[],
  settings: RunSettings,
  trialIterations: number,
): AsyncGenerator<RunEvent, void, void> {
  if (inBatches !== undefined) {
    throw new InvalidInputError(
      'Starts of a fit in batches cannot be compared on the way: each iteration sees another batch. Leave trialIterations out of restarts, or batchSize.',
    );
  }
  const tried: { readonly start: Start; readonly solution: RunSolution }[] = [];
  for await (const event of run(starts, {
    ...settings,
    pauseAt: Math.min(trialIterations, settings.maxIterations ?? MOST_ITERATIONS),
  })) {
    if (event.kind !== 'end') {
      yield event;
      continue;
    }
    const { solution } = event;
    tried.push({ start: starts.find(({ number }) => number === event.start)!, solution });
    yield { kind: 'state', start: event.start, state: solution.state };
  }
  // Workers end in any order.
  tried.sort((a, b) => a.start.number - b.start.number);
  const best = tried.reduce((kept, own) => (own.solution.value < kept.solution.value ? own : kept));
  for (const { start, solution } of tried) {
    if (start !== best.start) yield { kind: 'end', start: start.number, solution };
  }
  const compared = (solution: RunSolution): RunSolution => ({
    ...solution,
    message: `${solution.message} The starts were compared after ${trialIterations} iterations.`,
  });
  if (best.solution.status !== 'maxIterations') {
    yield { kind: 'end', start: best.start.number, solution: compared(best.solution) };
    return;
  }
  for await (const event of run([{ ...best.start, state: best.solution.state }], settings)) {
    yield event.kind === 'end' ? { ...event, solution: compared(event.solution) } : event;
  }
}
