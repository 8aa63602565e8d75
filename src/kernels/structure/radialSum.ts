import type { RadialProfile } from '../../tensors/ops.ts';
import type { Kernel } from '../kernel.ts';
import { namedParts } from '../parameterNames.ts';

/** A kernel v·f(r²) + Σb + Σs·[i = j]: one radial covariance of all columns, constants and white noises, by the names of their parameters. */
export interface RadialSumNames {
  readonly profile: RadialProfile;
  readonly variance: string;
  readonly lengthscale: string;
  readonly constants: readonly string[];
  readonly whites: readonly string[];
}

/** The kernel as a radial covariance with offsets; undefined when it is another. */
export function radialSumOf(kernel: Kernel): RadialSumNames | undefined {
  const children = kernel.form.type === 'add' ? kernel.form.children : [kernel];
  let radial: Pick<RadialSumNames, 'profile' | 'variance' | 'lengthscale'> | undefined;
  const offsets = { constant: [] as string[], white: [] as string[] };
  for (const [i, part] of namedParts(children).entries()) {
    const { form, parameters } = children[i]!;
    const structure = form.type === 'leaf' ? form.capabilities.structure : undefined;
    const own = Object.keys(parameters);
    const named = (name: string) => Object.keys(part.parameters)[own.findIndex((key) => key.endsWith(`.${name}`))]!;
    if (structure?.type === 'constant' || structure?.type === 'white') {
      offsets[structure.type].push(named(structure.parameter));
    } else if (structure?.type === 'radial' && radial === undefined) {
      radial = { profile: structure.profile, variance: named('variance'), lengthscale: named('lengthscale') };
    } else return undefined;
  }
  return radial && { ...radial, constants: offsets.constant, whites: offsets.white };
}
