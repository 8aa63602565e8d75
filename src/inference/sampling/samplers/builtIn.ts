// Every sampler that comes with the library, under the name by which a worker makes it again.

export { hmc, nuts } from './nuts.ts';
export { ellipticalSlice, slice } from './slice.ts';
