// Imports point down only: from a room to itself or to those listed for it. Rooms are folders of src, and of src/app. The command line uses
// the public entry points like any user. What is loaded late, which src/later.ts lists, is reached by dynamic imports from below.
const below = {
  core: [],
  engine: ['core'],
  scene: ['core'],
  model: ['core', 'engine'],
  kernels: ['core', 'engine', 'model'],
  inference: ['core', 'engine', 'model', 'scene'],
  latents: ['core', 'engine', 'model', 'inference'],
  priors: ['core', 'engine', 'model', 'kernels'],
  processes: ['core', 'engine', 'model', 'kernels', 'latents', 'priors'],
  fields: ['core', 'engine', 'model', 'inference', 'priors', 'processes'],
  models: ['core', 'engine', 'model', 'kernels', 'inference', 'latents', 'priors', 'processes', 'fields'],
  testing: ['core', 'engine', 'model', 'kernels', 'inference', 'latents', 'priors', 'processes', 'fields', 'models'],
  'app/data': ['core'],
  'app/plot': ['core', 'engine', 'model', 'inference', 'scene'],
  'app/io': ['core', 'engine', 'model', 'models'],
  'app/workers': ['core', 'model', 'inference', 'models'],
  'app/queue': [
    'core',
    'engine',
    'model',
    'kernels',
    'inference',
    'latents',
    'processes',
    'models',
    'app/io',
    'app/workers',
  ],
};
const layers = Object.entries(below).map(([room, allowed]) => ({
  name: `${room}-points-down`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(later\\.ts$|(${[room, ...allowed].join('|')})/)` },
}));
module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'every-folder-has-its-place',
      comment: 'A new folder of src is listed above, with what it may import.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${[...Object.keys(below), 'app/cli'].join('|')})/` },
      to: {},
    },
    {
      name: 'engine-below-its-tensors',
      comment: 'What computes on plain arrays knows nothing of TensorFlow.js.',
      severity: 'error',
      from: { path: '^src/engine/', pathNot: '^src/engine/tensors/' },
      to: { path: '^src/engine/tensors/' },
    },
    {
      name: 'command-line-uses-entry-points',
      severity: 'error',
      from: { path: '^src/app/cli/' },
      to: {
        path: '^src/',
        pathNot: '^src/(app/cli/|index\\.ts$|[a-z]+/index\\.ts$|app/[a-z]+/index\\.ts$|engine/tensors/index\\.ts$)',
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'late-parts-are-loaded-late',
      severity: 'error',
      from: {},
      to: { path: '^src/later\\.ts$', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: {},
      // Optional peers are declared twice, which is reported as not at all.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    },
    // koffi is optional: it is looked for where the native engine runs.
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^koffi$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default', 'types'] },
  },
};
