// All samplers of the library, by the name that a worker rebuilds them from.

export { ellipticalSlice, slice } from './slice.ts';
export { hmc, nuts } from './trajectories.ts';
