import { InvalidInputError } from '../core/errors.ts';
import type { MatrixLike } from '../core/matrix.ts';
import type { Labels } from '../engine/graph/index.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import * as builtIn from './builtIn.ts';
import * as builtInLabeled from './builtInLabeled.ts';
import type { OwnParts } from './ownParts.ts';

/** Named model. */
export interface NamedModel {
  /** True if the model requires labels. */
  readonly takesLabels: boolean;
  /** Factory of the model, which validates its options, so that unchecked options may be passed. */
  make(observations: MatrixLike, labels: Labels | undefined, options: object): AnyModel;
  /** Restores a model that `defineModel` returned from its `toJSON`. */
  readonly restore?: (json: ModelJSON, own?: OwnParts) => AnyModel;
}

/** Factory of a model of points; `never` stands for the options of any of them. */
type OfPoints = (observations: never, options: never) => AnyModel;
type OfLabeledPoints = (observations: MatrixLike, labels: Labels, options: never) => AnyModel;

const ofPoints = (factory: OfPoints & Pick<NamedModel, 'restore'>): NamedModel =>
  Object.freeze<NamedModel>({
    takesLabels: false,
    make: (observations, _, options) => factory(observations as never, options as never),
    ...(factory.restore && { restore: factory.restore }),
  });

const ofLabeledPoints = (factory: OfLabeledPoints): NamedModel =>
  Object.freeze<NamedModel>({
    takesLabels: true,
    make: (observations, labels, options) => {
      if (labels !== undefined) return factory(observations, labels, options as never);
      throw new InvalidInputError('This model takes labels, but none were given. Give one for each point.');
    },
  });

const named = <F>(factories: Readonly<Record<string, F>>, kind: (factory: F) => NamedModel) =>
  Object.entries(factories).map(([name, factory]) => [name, kind(factory)] as const);

/** Built-in models, by the names used on the command line and in files. */
export const namedModels: Readonly<Record<string, NamedModel>> = /* @__PURE__ */ Object.freeze(
  Object.fromEntries([
    .../* @__PURE__ */ named<OfPoints>(builtIn, ofPoints),
    .../* @__PURE__ */ named<OfLabeledPoints>(builtInLabeled, ofLabeledPoints),
  ]),
);
