import type { Restarts, StartKind } from '../../model/model.ts';

/** How one start of a fit is found. */
export interface Origin {
  readonly init: StartKind;
  /** Width of the random move from there; 0 for none. */
  readonly width: number;
}

/** The origins of all starts, the model's own first. */
export function originsOf(restarts: number | Restarts): Origin[] {
  const { count, inits = ['model'], width = 1 } = typeof restarts === 'number' ? { count: restarts } : restarts;
  const origins: Origin[] = [{ init: 'model', width: 0 }];
  for (let k = 0; k < count; k++) {
    const init = inits[k % inits.length]!;
    const isAsItIs = init !== 'model' && init !== 'random' && k < inits.length && inits.indexOf(init) === k;
    origins.push({ init, width: isAsItIs ? 0 : width });
  }
  return origins;
}
