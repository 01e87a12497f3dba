import { printOfRunning, signInUrl } from './running.ts';

await printOfRunning(({ env }) => signInUrl(env));
