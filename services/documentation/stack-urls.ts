import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import type { Config } from '#shared/platform/config/load.ts';

/** The URLs of the stack that the documentation shows, and the key of its demo shop. */
export type StackUrls = {
  gateway: string;
  admin: string;
  sandbox: string;
  /** Whether the reference has forms that send requests. */
  canTry: boolean;
  /** The demo shop's key for a reader on this machine; `host` is what the browser calls it. */
  demoKey(host: string | undefined): string | undefined;
};

/** What `readStackUrls` needs. */
export const stackUrlsVariables = [
  'NODE_ENV',
  'DEMO',
  'ADMIN_PORT',
  'SANDBOX_PORT',
  'LISTEN_HOST',
  'DATA_DIR',
] as const;

/**
 * With DEMO=1 the ports of this stack; otherwise placeholders, which reveal nothing about the
 * machine.
 */
export function readStackUrls(config: Config<(typeof stackUrlsVariables)[number]>): StackUrls {
  const demo = config.DEMO && config.NODE_ENV !== 'production';
  if (!demo) return defaultStackUrls;
  const { ADMIN_PORT, SANDBOX_PORT, LISTEN_HOST, DATA_DIR } = config;
  return {
    gateway: gatewayUrl(),
    admin: `http://localhost:${ADMIN_PORT}`,
    sandbox: `http://localhost:${SANDBOX_PORT}`,
    canTry: true,
    // Under another name the request may come from another site.
    demoKey: (host = '') =>
      isLoopback(LISTEN_HOST) && isLoopback(host.replace(/:\d+$/, ''))
        ? readDemoKey(DATA_DIR)
        : undefined,
  };
}

/** The defaults of `npm start`. */
export const defaultStackUrls: StackUrls = {
  get gateway() {
    return gatewayUrl();
  },
  admin: 'http://localhost:8081',
  sandbox: 'http://localhost:8090',
  canTry: false,
  demoKey: () => undefined,
};

const isLoopback = (host: string) => ['127.0.0.1', 'localhost', '::1', '[::1]'].includes(host);

const demoSchema = z.object({ api_key: z.string().optional() });

/** Where `npm start` stores it; undefined if there is no demo shop. */
function readDemoKey(dataDir: string): string | undefined {
  try {
    const text = readFileSync(join(dataDir, 'demo.json'), 'utf8');
    return demoSchema.parse(JSON.parse(text)).api_key;
  } catch {
    return undefined;
  }
}
