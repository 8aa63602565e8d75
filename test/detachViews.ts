import { float64Backend } from '../src/engine/tensors/float64/scope.ts';

// Views kept across an allocation are errors. To notice them costs time in a large memory: not with real data.
float64Backend().memory64.detachViews = true;
