import { serveFits } from './serveFits.ts';

serveFits();
