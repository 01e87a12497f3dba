import { fileURLToPath } from 'node:url';
import { demoReceiver, services } from './services.ts';

/** The programs of `npm start`; importing one does not run it. */
const programs = [
  'infra/start/main.ts',
  'infra/start/services-in-one-process.ts',
  'infra/event-store-node/main.ts',
  ...[...services, demoReceiver].map(({ main }) => main),
];

// Run after `npm ci`: importing a program puts its compiled code into Node's compile cache.
// Otherwise each process of the first start would load the compiler, which takes a second and 15
// MB. It never fails the installation.
try {
  for (const program of programs)
    await import(fileURLToPath(new URL(`../../${program}`, import.meta.url)));
} catch (error) {
  process.stdout.write(
    `The programs are compiled at the first start: ${(error as Error).message}\n`,
  );
}
process.exit(0);
