import { run } from './run.ts';

if (import.meta.main) await run();
