import { demoExports, printOfRunning } from './running.ts';

printOfRunning(demoExports);
