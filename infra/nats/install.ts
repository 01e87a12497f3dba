import { readCommandLine } from '#shared/platform/command-line.ts';
import { fetchNatsServer } from './fetch-server.ts';
import { findNatsServer, howToGetIt } from './find-server.ts';

// Run after `npm ci`, so that nothing is downloaded when the gateway starts. Quick and silent where
// there is a nats-server; never fails the installation, which is good for everything that needs no
// NATS.
const usage = `usage: npm run fetch:nats

Fetches the distribution's nats-server into .cache, where the machine has none.
`;
readCommandLine(usage, {});
if (findNatsServer() === undefined) {
  try {
    await fetchNatsServer();
    process.stdout.write('nats-server: fetched the package of this system into .cache\n');
  } catch (error) {
    process.stdout.write(
      `nats-server is missing and can't be fetched (${(error as Error).message}): ${howToGetIt}\n`,
    );
  }
}
