import { float64Backend } from '../src/core/float64/scope.ts';
import { writeGuard } from '../src/core/float64/writeGuard.ts';

// Numbers rounded to float32 on their way in, and views kept across an allocation, are errors in every test.
writeGuard.strict = true;
float64Backend().memory64.detachViews = true;
