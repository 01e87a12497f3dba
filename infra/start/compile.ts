import { fileURLToPath } from 'node:url';
import { demoReceiver, services } from './services.ts';

/** The programs of `npm start`: each of them does nothing when another imports it. */
const programs = [
  'infra/start/main.ts',
  'infra/start/services-in-one-process.ts',
  'infra/event-store-node/main.ts',
  ...[...services, demoReceiver].map(({ main }) => main),
];

// Run after `npm ci`: to import a program puts what it compiles to into Node's compile cache.
// Without, each process of the first start would load the compiler by itself, which takes a second
// and 15 MB that it keeps. Never fails the installation: a start that finds nothing compiles.
try {
  for (const program of programs)
    await import(fileURLToPath(new URL(`../../${program}`, import.meta.url)));
} catch (error) {
  process.stdout.write(
    `The programs are compiled at the first start: ${(error as Error).message}\n`,
  );
}
process.exit(0);
