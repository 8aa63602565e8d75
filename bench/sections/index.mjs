import { aborts } from './abort.mjs';
import { gplvmEvaluations, tpslvmEvaluations } from './evaluations.mjs';
import { maps } from './maps.mjs';
import { meuFits, mpmeFits } from './maxEntropy.mjs';
import { fitMemory } from './memory.mjs';
import { mpmeOfPapers } from './mpmeOfPapers.mjs';
import { nearestOfAll } from './neighbors.mjs';
import { optima } from './optimum.mjs';
import { pages } from './page.mjs';
import { projections } from './projections.mjs';
import { rawOperations } from './rawOperations.mjs';
import { sampling } from './sampling.mjs';
import { solverEvaluations } from './solverEvaluations.mjs';
import { spectralEmbeddings } from './spectral.mjs';
import { tables } from './tables.mjs';
import { thousands } from './thousands.mjs';
import { variationalEvaluations } from './variational.mjs';
import { wholeFits } from './wholeFits.mjs';

/** What `--only` names: each takes the context and returns rows. */
export const sections = {
  raw: rawOperations,
  gplvm: gplvmEvaluations,
  tpslvm: tpslvmEvaluations,
  variational: variationalEvaluations,
  fit: wholeFits,
  memory: fitMemory,
  mpme: mpmeFits,
  papers: mpmeOfPapers,
  project: projections,
  page: pages,
  meu: meuFits,
  abort: aborts,
  spectral: spectralEmbeddings,
  neighbors: nearestOfAll,
  maps,
  thousands,
  sampling,
  tables,
  optimum: optima,
  solvers: solverEvaluations,
};

/** Sections whose engines are measured in separate processes. */
export const sectionsOfEngines = [
  'raw',
  'gplvm',
  'tpslvm',
  'variational',
  'fit',
  'mpme',
  'papers',
  'abort',
  'neighbors',
];
