import { runGateway } from './run.ts';

if (import.meta.main) await runGateway();
