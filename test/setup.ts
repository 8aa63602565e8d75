import { float64Backend } from '../src/tensors/float64/scope.ts';
import { writeGuard } from '../src/tensors/float64/writeGuard.ts';

// Numbers rounded to float32 on their way in, and views kept across an allocation, are errors in every test.
writeGuard.strict = true;
float64Backend().memory64.detachViews = true;
