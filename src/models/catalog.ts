import { InvalidInputError } from '../core/errors.ts';
import type { MatrixLike } from '../core/matrix.ts';
import type { Labels } from '../engine/graph/index.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import * as builtIn from './builtIn.ts';
import * as builtInLabeled from './builtInLabeled.ts';
import type { OwnParts } from './ownParts.ts';

/** A model by its name. */
export interface NamedModel {
  /** Whether it is made from labels. */
  readonly takesLabels: boolean;
  /** Its factory, which checks its options itself, so that they may come as they are. */
  make(observations: MatrixLike, labels: Labels | undefined, options: object): AnyModel;
  /** For what `defineModel` returned as it is: makes it again from what its `toJSON` wrote. */
  readonly restore?: (json: ModelJSON, own?: OwnParts) => AnyModel;
}

/** `never` stands for the options of any of them. */
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

/** The models that come with the library, by the names under which the command line makes and files keep them. */
export const namedModels: Readonly<Record<string, NamedModel>> = /* @__PURE__ */ Object.freeze(
  Object.fromEntries([
    .../* @__PURE__ */ named<OfPoints>(builtIn, ofPoints),
    .../* @__PURE__ */ named<OfLabeledPoints>(builtInLabeled, ofLabeledPoints),
  ]),
);
