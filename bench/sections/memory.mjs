import { measuredAlone } from '../alone.mjs';
import { observations } from '../observations.mjs';
import { compare } from '../rounds.mjs';

/** Peak memory of some iterations of a GPLVM's fit, in matrices of N×N doubles, each in a separate process. */
export async function fitMemory(context) {
  const [n] = context.sizes([2000], [300]);
  const Y = await observations(context, n);
  const contenders = ['wasm', ...(context.native === undefined ? [] : ['native'])].map((engine) => ({
    name: engine,
    measure: () => measuredAlone(context, `memory ${engine}`, Y),
  }));
  return compare({ ...context, rounds: 1 }, { section: 'memory', task: 'gplvm, 5 iterations', n }, contenders);
}
