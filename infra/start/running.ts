import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signInPath } from '#services/back-office/console/session/links.ts';
import { readDemo } from './demo-file.ts';
import { findRunningStack, type StackFile } from '#infra/stores/stack-file.ts';

/** The details of a running stack, for the banner, `npm run sign-in` and `npm run demo`. */

/** A link into the console that works once. */
export const signInUrl = (env: Readonly<Record<string, string>>): string =>
  `http://localhost:${env['ADMIN_PORT']}${signInPath(env['ADMIN_TOKEN'] ?? '', Date.now())}`;

/**
 * The Node that `npm ci` installed, because the machine's may be too old to run the TypeScript
 * examples.
 */
const nodeFolder = fileURLToPath(new URL('../../node_modules/node/bin', import.meta.url));

/** The URLs, the demo shop's keys, and the path of Node, as shell variables. */
export function demoExports({ env }: Pick<StackFile, 'env'>): string {
  const { api_key: key, shop_id: shop } = readDemo(env['DATA_DIR'] ?? '');
  const at = (port: string) => `http://localhost:${env[port]}`;
  const values = {
    GATEWAY: at('GATEWAY_PORT'),
    ADMIN: at('ADMIN_PORT'),
    PORTAL: at('PORTAL_PORT'),
    PROVIDER: at('SANDBOX_PORT'),
    API_KEY: key,
    SHOP_ID: shop,
    ADMIN_TOKEN: env['ADMIN_TOKEN'],
  };
  const exports = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `export ${name}='${value}'`);
  return [...exports, `export PATH='${nodeFolder}':"$PATH"`].join('\n');
}

/** Prints the text about the stack that runs on DATA_DIR; exits with 1 if none does. */
export async function printOfRunning(
  describe: (stack: StackFile) => string | Promise<string>,
): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] || '.data');
  const stack = findRunningStack(dataDir);
  if (stack?.ready) process.stdout.write(`${await describe(stack)}\n`);
  else {
    process.stderr.write(`No gateway runs on ${dataDir}: start one with npm start\n`);
    process.exitCode = 1;
  }
}
