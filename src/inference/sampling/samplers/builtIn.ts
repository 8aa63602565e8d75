// Every sampler that comes with the library, under the name by which a worker makes it again.
export { ellipticalSlice } from './ellipticalSlice.ts';
export { hmc } from './hmc.ts';
export { nuts } from './nuts.ts';
export { slice } from './slice.ts';
