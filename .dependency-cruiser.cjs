// Imports point down only, from a folder to itself or to those listed for it. The command line uses the public entry points like
// any user.
const below = {
  core: [],
  numerics: ['core'],
  tensors: ['core', 'numerics'],
  model: ['core', 'numerics', 'tensors'],
  kernels: ['core', 'numerics', 'tensors', 'model'],
  inference: ['core', 'numerics', 'tensors', 'model'],
  latents: ['core', 'numerics', 'tensors', 'model', 'inference'],
  priors: ['core', 'numerics', 'tensors', 'model', 'kernels'],
  mapping: ['core', 'numerics', 'tensors', 'model', 'kernels', 'latents', 'priors'],
  fields: ['core', 'numerics', 'tensors', 'model', 'inference', 'priors', 'mapping'],
  models: ['core', 'numerics', 'tensors', 'model', 'kernels', 'inference', 'latents', 'priors', 'mapping', 'fields'],
  data: ['core'],
  plot: ['core', 'numerics', 'model', 'inference'],
  io: ['core', 'numerics', 'model', 'models'],
  workers: ['core', 'model', 'inference', 'models'],
  queue: [
    'core',
    'numerics',
    'tensors',
    'model',
    'kernels',
    'inference',
    'latents',
    'mapping',
    'models',
    'io',
    'workers',
  ],
  testing: [
    'core',
    'numerics',
    'tensors',
    'model',
    'kernels',
    'inference',
    'latents',
    'priors',
    'mapping',
    'fields',
    'models',
  ],
};
const layers = Object.entries(below).map(([folder, allowed]) => ({
  name: `${folder}-points-down`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
}));
module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'every-folder-has-its-place',
      comment: 'A new folder of src is listed above, with what it may import.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${[...Object.keys(below), 'cli'].join('|')})/` },
      to: {},
    },
    {
      name: 'command-line-uses-entry-points',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: '^src/(cli/|index\\.ts$|[a-z]+/index\\.ts$)' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
