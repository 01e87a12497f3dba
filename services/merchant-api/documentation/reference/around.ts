import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import type { Config } from '#shared/platform/config/load.ts';

/** Where the reader's requests go, and what they may be tried with. */
export type Around = {
  gateway: string;
  admin: string;
  sandbox: string;
  /** The reference has forms that send requests. */
  canTry: boolean;
  /** The demo shop's key for a reader on this machine; `host` is what the browser calls it. */
  demoKey(host: string | undefined): string | undefined;
};

/** What `aroundOf` needs. */
export const aroundVariables = [
  'NODE_ENV',
  'DEMO',
  'ADMIN_PORT',
  'SANDBOX_PORT',
  'LISTEN_HOST',
  'DATA_DIR',
] as const;

/**
 * With DEMO=1 the ports of this stack; elsewhere placeholders, so that nothing about this machine
 * leaks.
 */
export function aroundOf(config: Config<(typeof aroundVariables)[number]>): Around {
  const demo = config.DEMO && config.NODE_ENV !== 'production';
  if (!demo) return around;
  const { ADMIN_PORT, SANDBOX_PORT, LISTEN_HOST, DATA_DIR } = config;
  return {
    gateway: gatewayUrl(),
    admin: `http://localhost:${ADMIN_PORT}`,
    sandbox: `http://localhost:${SANDBOX_PORT}`,
    canTry: true,
    // By another name it may be a page of another site that leads here.
    demoKey: (host = '') =>
      isLoopback(LISTEN_HOST) && isLoopback(host.replace(/:\d+$/, ''))
        ? readDemoKey(DATA_DIR)
        : undefined,
  };
}

/** The defaults of `npm start`. */
export const around: Around = {
  get gateway() {
    return gatewayUrl();
  },
  admin: 'http://localhost:8081',
  sandbox: 'http://localhost:8090',
  canTry: false,
  demoKey: () => undefined,
};

const isLoopback = (host: string) => ['127.0.0.1', 'localhost', '::1', '[::1]'].includes(host);

/** Where `npm start` stores it; undefined if there is no demo shop. */
function readDemoKey(dataDir: string): string | undefined {
  try {
    const { api_key: key } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
      api_key?: string;
    };
    return key;
  } catch {
    return undefined;
  }
}
