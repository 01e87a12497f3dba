import { demoExports, printOfRunning } from './running.ts';

await printOfRunning(demoExports);
