// Both workers as one script, for the page of one file: each answers only what it is asked.
import './page.worker.ts';
import './sampling.worker.ts';
