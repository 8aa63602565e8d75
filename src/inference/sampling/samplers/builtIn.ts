// Every sampler that comes with the library, under the name by which a worker makes it again.

export { ellipticalSlice, slice } from './slice.ts';
export { hmc, nuts } from './trajectories.ts';
