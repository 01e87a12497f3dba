import { readCommandLine } from '#shared/platform/command-line.ts';
import { fetchNatsServer } from './fetch-server.ts';
import { findNatsServer, howToGetIt } from './find-server.ts';

// Run after `npm ci`, so that a start downloads nothing. Quick and silent if there is a
// nats-server; it never fails the installation, because much works without NATS.
const usage = `usage: npm run fetch:nats

Fetches the distribution's nats-server into .cache, unless one is installed.
`;
readCommandLine(usage, {});
if (findNatsServer() === undefined) {
  try {
    await fetchNatsServer({ onProgress: (line) => process.stdout.write(`${line}\n`) });
    process.stdout.write('nats-server: fetched the package of this system into .cache\n');
  } catch (error) {
    process.stdout.write(
      `nats-server is missing and can't be fetched (${(error as Error).message}): npm start tries again, or ${howToGetIt}\n`,
    );
  }
}
