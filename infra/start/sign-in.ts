import { readCommandLine } from '#shared/platform/command-line.ts';
import { printOfRunning, signInUrl } from './running.ts';

const usage = `usage: npm run -s sign-in

Prints a link that signs in to the console of the gateway that runs on DATA_DIR. It works once, for 15 minutes.
`;
readCommandLine(usage, {});
await printOfRunning(({ env }) => signInUrl(env));
