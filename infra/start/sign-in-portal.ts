import { portalLinkOf } from './portal-link.ts';
import { printOfRunning } from './running.ts';

await printOfRunning(
  async ({ env }) =>
    (await portalLinkOf(env)) ??
    'There is no demo shop: an operator issues the link (docs/merchants/portal.md)',
);
