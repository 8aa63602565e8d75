import { InvalidInputError } from '../core/errors.ts';
import type { MatrixLike } from '../core/matrix.ts';
import { unknownName } from '../core/options.ts';
import type { AnyModel } from '../model/model.ts';
import type { Labels } from '../numerics/graph/index.ts';
import { alle } from './field/alle.ts';
import { drill } from './field/drill.ts';
import { meu } from './field/meu.ts';
import { mpme } from './field/mpme.ts';
import { bayesianGplvm } from './gp/bayesianGplvm.ts';
import { dgplvm } from './gp/dgplvm.ts';
import { gplrf } from './gp/gplrf.ts';
import { gplvm } from './gp/gplvm.ts';
import { llGplvm, rankGplvm, tsneGplvm } from './gp/neighbourhoodGplvm.ts';
import { tpslvm } from './gp/tpslvm.ts';
import { classicalMds } from './spectral/classicalMds.ts';
import { isomap } from './spectral/isomap.ts';
import { kernelPca } from './spectral/kernelPca.ts';
import { laplacianEigenmaps } from './spectral/laplacianEigenmaps.ts';
import { lle } from './spectral/lle.ts';
import { mvu } from './spectral/mvu.ts';
import { pca } from './spectral/pca.ts';
import { ppca } from './spectral/ppca.ts';

/** A model by its name. */
export interface NamedModel {
  /** Whether it is made from labels. */
  readonly takesLabels: boolean;
  /** Its factory, which checks its options itself, so that they may come as they are. */
  make(observations: MatrixLike, labels: Labels | undefined, options: object): AnyModel;
}

/** `never` stands for the options of any of them. */
const ofPoints = (factory: (observations: MatrixLike, options: never) => AnyModel): NamedModel =>
  Object.freeze<NamedModel>({
    takesLabels: false,
    make: (observations, _, options) => factory(observations, options as never),
  });

const ofLabelledPoints = (
  factory: (observations: MatrixLike, labels: Labels, options: never) => AnyModel,
): NamedModel =>
  Object.freeze<NamedModel>({
    takesLabels: true,
    make: (observations, labels, options) => {
      if (labels !== undefined) return factory(observations, labels, options as never);
      throw new InvalidInputError('This model takes labels, but none were given. Give one for each point.');
    },
  });

/** The models that come with the library, by the names under which the command line makes and files keep them. */
export const namedModels: Readonly<Record<string, NamedModel>> = Object.freeze({
  gplvm: ofPoints(gplvm),
  tpslvm: ofPoints(tpslvm),
  gplrf: ofLabelledPoints(gplrf),
  dgplvm: ofLabelledPoints(dgplvm),
  llGplvm: ofPoints(llGplvm),
  rankGplvm: ofPoints(rankGplvm),
  tsneGplvm: ofPoints(tsneGplvm),
  bayesianGplvm: ofPoints(bayesianGplvm),
  meu: ofPoints(meu),
  mpme: ofPoints(mpme),
  alle: ofPoints(alle),
  drill: ofPoints(drill),
  pca: ofPoints(pca),
  ppca: ofPoints(ppca),
  kernelPca: ofPoints(kernelPca),
  classicalMds: ofPoints(classicalMds),
  isomap: ofPoints(isomap),
  mvu: ofPoints(mvu),
  lle: ofPoints(lle),
  laplacianEigenmaps: ofPoints(laplacianEigenmaps),
});

/** @throws InvalidInputError for a name that is not known, with the nearest one that is */
export function namedModel(name: string): NamedModel {
  if (Object.hasOwn(namedModels, name)) return namedModels[name]!;
  throw unknownName('model', name, Object.keys(namedModels), 'The catalogue');
}
