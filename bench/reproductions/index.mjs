import { coverage } from './coverage.mjs';
import { defaultStrengths } from './defaultStrengths.mjs';
import { defaults } from './defaults.mjs';
import { distances } from './distances.mjs';
import { drillGlasso } from './drill.mjs';
import { duplicates } from './duplicates.mjs';
import { embeddingScores } from './embeddingScores.mjs';
import { fieldDensities } from './fieldDensities.mjs';
import { fieldInBound } from './fieldInBound.mjs';
import { forecasts } from './forecasts.mjs';
import { gplrfDimensionality, gplrfFigure1, gplrfFigure3, gplrfFigure4 } from './gplrfFigures.mjs';
import { gplrfTable1 } from './gplrfTable1.mjs';
import { gplvmMocap, gplvmOil } from './gplvm.mjs';
import { hiddenCells } from './hiddenCells.mjs';
import { hiddenMarkers } from './hiddenMarkers.mjs';
import { gplvmImputation } from './imputation.mjs';
import { jointField } from './jointField.mjs';
import { defaultGamma, labeledDefaults } from './labeledDefaults.mjs';
import { manifoldAgreement, manifoldsFound } from './manifolds.mjs';
import { drillStudy, meuFigure7, meuFigures } from './maxEntropyUnfolding.mjs';
import { mixedTables } from './mixedTables.mjs';
import { mpmeFigure4, mpmeTeapots } from './mpmeClustering.mjs';
import { mpmeClusters } from './mpmeClusters.mjs';
import { mpmeFigures } from './mpmeFigures.mjs';
import { mpmeRivals } from './mpmeRivals.mjs';
import { mpmeTable2 } from './mpmeTable2.mjs';
import { newPoints } from './newPoints.mjs';
import { oilSplits } from './oilSplits.mjs';
import { rankUniformity } from './rankUniformity.mjs';
import { sampledMaps } from './sampledMaps.mjs';
import { tpslvmFigures, tpslvmTable1, tpslvmTable2 } from './tpslvm.mjs';
import { tpslvmTeapots } from './tpslvmTeapots.mjs';
import { bayesianHeldOut, bayesianOil, bernoulliDigits, poissonCircle } from './variational.mjs';
import { walk } from './walk.mjs';

/** Every reproduction, by paper. */
export const reproductions = [
  coverage,
  hiddenCells,
  defaultStrengths,
  defaults,
  duplicates,
  rankUniformity,
  labeledDefaults,
  defaultGamma,
  gplvmOil,
  gplvmMocap,
  gplvmImputation,
  bayesianOil,
  bayesianHeldOut,
  oilSplits,
  fieldInBound,
  manifoldsFound,
  manifoldAgreement,
  walk,
  hiddenMarkers,
  forecasts,
  mixedTables,
  distances,
  poissonCircle,
  bernoulliDigits,
  sampledMaps,
  gplrfTable1,
  gplrfFigure1,
  gplrfDimensionality,
  gplrfFigure3,
  gplrfFigure4,
  tpslvmTable1,
  tpslvmTable2,
  tpslvmFigures,
  tpslvmTeapots,
  meuFigures,
  meuFigure7,
  drillStudy,
  drillGlasso,
  embeddingScores,
  newPoints,
  jointField,
  fieldDensities,
  mpmeFigures,
  mpmeFigure4,
  mpmeTable2,
  mpmeClusters,
  mpmeRivals,
  mpmeTeapots,
];
