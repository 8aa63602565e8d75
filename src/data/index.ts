export { type PipeFlow, type PipeFlowOptions, pipeFlow } from './pipeFlow.ts';
