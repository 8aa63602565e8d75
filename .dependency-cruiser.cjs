// Imports point down only: core ← kernels ← priors ← models; inference → core, and a model may be fitted by it (gpScore,
// loadFit); io and plot stand on all of these; the command line uses the public entry points like any user.
const below = {
  core: ['core'],
  kernels: ['core', 'kernels'],
  priors: ['core', 'kernels', 'priors'],
  models: ['core', 'inference', 'kernels', 'priors', 'models'],
  inference: ['core', 'inference'],
  workers: ['core', 'inference', 'models', 'workers'],
  data: ['core', 'data'],
  testing: ['core', 'kernels', 'priors', 'models', 'inference', 'testing'],
  io: ['core', 'kernels', 'priors', 'models', 'inference', 'io'],
  plot: ['core', 'inference', 'plot'],
};
const layers = Object.entries(below).map(([folder, allowed]) => ({
  name: `${folder}-points-down`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
}));
module.exports = {
  forbidden: [
    ...layers,
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
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
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
