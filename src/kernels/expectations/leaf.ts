import type { TensorMap } from '../../model/model.ts';
import type { Kernel } from '../kernel.ts';
import { rbfProfile } from '../rbfProfile.ts';
import type { ExpectationInputs, Expectations } from './expectations.ts';
import { constantExpectations, whiteExpectations } from './offsets.ts';
import { rbfExpectations } from './rbf.ts';

/** Those of a kernel that one definition made: as it says, or as its structure does. */
export function leafExpectations({ form }: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure, expectations } = form.capabilities;
  const own = form.own(p);
  if (expectations !== undefined) return expectations(own, inputs);
  switch (structure?.type) {
    case 'radial':
      return structure.profile === rbfProfile
        ? rbfExpectations({ variance: own.variance!, lengthscale: own.lengthscale! }, inputs)
        : undefined;
    case 'constant':
      return constantExpectations(own[structure.parameter]!, inputs);
    case 'white':
      return whiteExpectations(own[structure.parameter]!, inputs);
    default:
      return undefined;
  }
}
