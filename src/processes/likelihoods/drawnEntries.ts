import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';

/** Draws entry by entry, given functions, n×D, and scalar values or one per column. */
export function drawnEntries(
  f: Tensor2D,
  values: readonly Tensor[],
  draw: (f: number, ...values: number[]) => number,
): Tensor2D {
  const none = op.zerosLike(f);
  const all = [f, ...values.map((value) => op.add(value, none))].map(doublesOf);
  return op.tensor<Tensor2D>(
    Float64Array.from(all[0]!, (entry, i) => draw(entry, ...all.slice(1).map((own) => own[i]!))),
    f.shape,
  );
}
