import { InvalidInputError } from '../../core/errors.ts';
import type { Box, Evaluation, Iterate, Solver, SolverMemory, Steps } from './solver.ts';

/** What a growing run remembers beside what its inner solver does. */
interface GrowingMemory extends SolverMemory {
  /** The variables that may move, ascending. */
  free: Float64Array;
  rounds: number;
}

/** Rounds end when the free variables' gradient is this part of the largest one that is left out. */
const PART = 0.1;

/**
 * Minimises over few of many variables with bounds: those it starts with move, all others stay where they are, until the gradient of
 * some of these pulls more than that of those that move; then they join, and the next round begins. Every evaluation sees
 * the gradient of all, so what the driver tests is stationarity in every variable.
 *
 * For problems most of whose variables are at a bound in the end: the inner solver works on the few.
 *
 * @param inner - such as `lbfgsb()`
 * @param first - numbers of the variables that move at first; those that do not start at a bound do too
 * @returns a solver for `minimize` or `fit`
 * @throws InvalidInputError when `inner` cannot keep to bounds
 * @example
 * ```ts
 * minimize(objective, start, growing(lbfgsb(), [0, 5, 7]), { bounds: { lower: 0 } });
 * ```
 */
export function growing(inner: Solver, first: ArrayLike<number>): Solver {
  if (!inner.bounded)
    throw new InvalidInputError(`growing takes a solver that keeps to bounds, but ${inner.name} does not.`);
  return Object.freeze({
    name: 'growing',
    bounded: true,
    stochastic: false,
    begin(iterate: Iterate, box: Box, given: SolverMemory = {}) {
      const memory = given as GrowingMemory;
      if (memory.free === undefined) {
        memory.free = firstFree(iterate, box, first);
        memory.rounds = 1;
      }
      return {
        iterate,
        memory,
        steps: grow(inner, iterate, box, memory),
        note: () => {
          const { rounds, free } = memory;
          return `${free.length} of ${iterate.x.length} variables moved, in ${rounds} round${rounds === 1 ? '' : 's'}.`;
        },
      };
    },
  });
}

function firstFree({ x }: Iterate, { lower, upper }: Box, first: ArrayLike<number>): Float64Array {
  const chosen = new Set<number>(Array.from(first).filter((i) => i >= 0 && i < x.length));
  x.forEach((entry, i) => {
    if (entry > lower[i]! && entry < upper[i]!) chosen.add(i);
  });
  return Float64Array.from(chosen).sort();
}

function* grow(inner: Solver, iterate: Iterate, box: Box, memory: GrowingMemory): Steps {
  for (;;) {
    const { free } = memory;
    const reduced: Iterate = { x: part(iterate.x, free), gradient: part(iterate.gradient, free), value: iterate.value };
    const { free: _free, rounds: _rounds, ...innerMemory } = memory;
    const run = inner.begin(reduced, { lower: part(box.lower, free), upper: part(box.upper, free) }, innerMemory);
    const full = { x: iterate.x.slice(), gradient: iterate.gradient.slice() };
    let evaluation: Evaluation = reduced;
    let ended: string | undefined;
    let failed = false;
    while (ended === undefined) {
      const step = run.steps.next(evaluation);
      if (step.done) {
        ended = step.value.reason;
        failed = step.value.status === 'failed';
      } else if (step.value.kind === 'evaluate') {
        put(full.x, free, step.value.point);
        const result = yield { kind: 'evaluate', point: full.x };
        full.gradient.set(result.gradient);
        evaluation = { value: result.value, gradient: part(result.gradient, free) };
      } else {
        // The point accepted is nearly always the one evaluated last.
        if (!agrees(full.x, free, reduced.x)) {
          put(full.x, free, reduced.x);
          const result = yield { kind: 'evaluate', point: full.x };
          full.gradient.set(result.gradient);
        }
        iterate.x.set(full.x);
        iterate.gradient.set(full.gradient);
        iterate.value = reduced.value;
        Object.assign(memory, run.memory);
        const pull = pulls(iterate, box, free);
        yield { kind: 'iteration', comparable: step.value.comparable && pull.outside <= pull.inside };
        if (pull.inside <= PART * pull.outside) ended = 'the others pull more';
      }
    }
    const pull = pulls(iterate, box, free);
    const joining = pull.outside > 0 ? joined(iterate, box, free, PART * pull.outside) : free;
    if (joining.length === free.length) {
      return { status: failed ? 'failed' : 'converged', reason: ended };
    }
    for (const key of Object.keys(memory)) delete memory[key];
    memory.free = joining;
    memory.rounds = _rounds + 1;
  }
}

/** Largest entries of the projected gradient among the free variables and among the others. */
function pulls(
  { x, gradient }: Iterate,
  { lower, upper }: Box,
  free: Float64Array,
): { inside: number; outside: number } {
  let inside = 0;
  let outside = 0;
  for (let i = 0, a = 0; i < x.length; i++) {
    const pull = projected(x[i]!, gradient[i]!, lower[i]!, upper[i]!);
    if (free[a] === i) {
      inside = Math.max(inside, pull);
      a++;
    } else outside = Math.max(outside, pull);
  }
  return { inside, outside };
}

function projected(x: number, g: number, low: number, high: number): number {
  return Math.abs(g < 0 ? Math.max(x - high, g) : Math.min(x - low, g));
}

/** The free variables and those whose projected gradient is larger than `least`, at most as many as are free already. */
function joined({ x, gradient }: Iterate, { lower, upper }: Box, free: Float64Array, least: number): Float64Array {
  const isFree = new Uint8Array(x.length);
  for (const i of free) isFree[i] = 1;
  const others: { readonly i: number; readonly pull: number }[] = [];
  for (let i = 0; i < x.length; i++) {
    if (isFree[i] === 1) continue;
    const pull = projected(x[i]!, gradient[i]!, lower[i]!, upper[i]!);
    if (pull > least) others.push({ i, pull });
  }
  others.sort((a, b) => b.pull - a.pull || a.i - b.i);
  const added = others.slice(0, Math.max(free.length, 100)).map(({ i }) => i);
  return Float64Array.from([...free, ...added]).sort();
}

function part(x: Float64Array, chosen: Float64Array): Float64Array {
  const entries = new Float64Array(chosen.length);
  for (let a = 0; a < entries.length; a++) entries[a] = x[chosen[a]!]!;
  return entries;
}

function put(x: Float64Array, chosen: Float64Array, entries: Float64Array): void {
  for (let a = 0; a < chosen.length; a++) x[chosen[a]!] = entries[a]!;
}

function agrees(x: Float64Array, chosen: Float64Array, entries: Float64Array): boolean {
  for (let a = 0; a < chosen.length; a++) if (x[chosen[a]!] !== entries[a]) return false;
  return true;
}
