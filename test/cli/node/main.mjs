// The command line as a program: node main.mjs ARGUMENT…
import '../../inference/node/register.mjs';

await import('../../../src/cli/main.ts');
