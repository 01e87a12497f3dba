import { join } from 'node:path';
import { natsUrl } from '../nats/launch.ts';
import { postgresUrl } from '../postgres/launch.ts';
import { findFreePort } from '../process/free-port.ts';
import { choosePorts, type InternalPorts } from '../stores/ports.ts';
import { loadSecrets, type StackSecrets } from './secrets.ts';
import { startsSandbox, userPorts, type Settings } from './settings.ts';
import { writeStoresFile } from '#infra/stores/stores-file.ts';

/** The decisions of a start, made before it starts anything. */
export type StackPlan = {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly ports: InternalPorts;
  readonly secrets: StackSecrets;
  /** How many processes there are of each service. */
  readonly instances: number;
  /** The environment of every child; a service that is started by hand with it joins the stack. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Chooses ports and secrets, and from them the environment of all processes. DATA_DIR must be
 * locked.
 */
export async function makePlan(
  settings: Settings,
  dataDir: string,
  own: NodeJS.ProcessEnv,
  { instances = 1 }: { instances?: number } = {},
): Promise<StackPlan> {
  const secrets = loadSecrets(dataDir, own);
  const chosen: Record<string, number> = {};
  // 0 asks for any free port.
  for (const name of userPorts) chosen[name] = settings[name] || (await findFreePort());
  const ports = await choosePorts(dataDir, own, { instances, reserved: Object.values(chosen) });
  const sandboxUrl = `http://${reachable(settings.SANDBOX_LISTEN_HOST)}:${chosen['SANDBOX_PORT']}`;
  const bankUrl = settings.BANK_URL ?? (startsSandbox(settings) ? `${sandboxUrl}/bank` : undefined);
  writeStoresFile(dataDir, {
    eventStoreUrl: settings.EVENT_STORE_URL,
    databaseUrl: settings.DATABASE_URL,
  });
  const derived: Record<string, string | number> = {
    ...secrets.values,
    ...chosen,
    DATA_DIR: dataDir,
    PROCESSOR_PORT: ports.processor,
    PROJECTIONS_PORT: ports.projections,
    WEBHOOKS_PORT: ports.webhooks,
    GATEWAY_METRICS_PORT: ports.gatewayMetrics,
    PAY_METRICS_PORT: ports.payMetrics,
    ADMIN_METRICS_PORT: ports.adminMetrics,
    PORTAL_METRICS_PORT: ports.portalMetrics,
    PROCESSOR_METRICS_PORT: ports.processorMetrics,
    SHARE_PORTS: instances > 1 ? 1 : 0,
    DEMO_WEBHOOK_PORT: ports.demoWebhookReceiver,
    EVENT_STORE_URL: settings.EVENT_STORE_URL ?? `esdb://127.0.0.1:${ports.eventStore}?tls=false`,
    DATABASE_URL:
      settings.DATABASE_URL ??
      postgresUrl({ folder: join(dataDir, 'postgres'), port: ports.postgres }),
    NATS_URL: settings.NATS_URL ?? natsUrl({ folder: join(dataDir, 'nats'), port: ports.nats }),
    PAY_BASE_URL: settings.PAY_BASE_URL ?? `http://localhost:${chosen['PAY_PORT']}`,
    PORTAL_BASE_URL: settings.PORTAL_BASE_URL ?? `http://localhost:${chosen['PORTAL_PORT']}`,
    GATEWAY_BASE_URL: settings.GATEWAY_BASE_URL ?? `http://localhost:${chosen['GATEWAY_PORT']}`,
    SANDBOX_URL: settings.SANDBOX_URL ?? sandboxUrl,
    ...(bankUrl !== undefined && { BANK_URL: bankUrl }),
    SANDBOX_CALLBACK_URL:
      settings.SANDBOX_CALLBACK_URL ?? `http://127.0.0.1:${ports.processor}/callbacks/sandbox`,
    WEBHOOK_ALLOW_PRIVATE: allowPrivate(settings, own),
  };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...own, ...derived })) {
    if (value !== undefined) env[name] = String(value);
  }
  return { settings, dataDir, ports, secrets, instances, env };
}

/**
 * Outside production, endpoints may be on this machine: those of the sandbox, the demo, and people
 * who try the gateway.
 */
function allowPrivate(settings: Settings, own: NodeJS.ProcessEnv): string {
  return own['WEBHOOK_ALLOW_PRIVATE'] || (settings.NODE_ENV === 'production' ? '0' : '1');
}

/** An address at which this machine reaches what listens on `host`. */
export function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::'
    ? '127.0.0.1'
    : host.includes(':')
      ? `[${host}]`
      : host;
}
