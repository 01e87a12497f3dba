import { readCommandLine } from '#shared/platform/command-line.ts';
import { createPortalLink } from './portal-link.ts';
import { printOfRunning } from './running.ts';

const usage = `usage: npm run -s sign-in:portal

Prints a link that signs in to the demo shop's portal of the gateway that runs on DATA_DIR. It works once, for an hour.
`;
readCommandLine(usage, {});
await printOfRunning(
  async ({ env }) =>
    (await createPortalLink(env)) ??
    'There is no demo shop: an operator issues the link (docs/merchants/portal.md)',
);
