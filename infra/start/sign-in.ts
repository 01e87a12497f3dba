import { printOfRunning, signInUrl } from './running.ts';

printOfRunning(({ env }) => signInUrl(env));
