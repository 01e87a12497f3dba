import { readCommandLine } from '#shared/platform/command-line.ts';
import { demoExports, printOfRunning } from './running.ts';

const usage = `usage: eval "$(npm run -s demo)"

Sets GATEWAY, ADMIN, PORTAL, PROVIDER, API_KEY, SHOP_ID and ADMIN_TOKEN in this shell to those of the gateway that
runs on DATA_DIR, and puts its Node.js first on PATH.
`;
readCommandLine(usage, {});
await printOfRunning(demoExports);
