// The threaded build: the same kernels on a shared memory.
export * from './index';
export { serveTeam, useTeam } from './team';
