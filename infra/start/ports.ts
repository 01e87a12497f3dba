import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, isPortFree } from '../process/free-port.ts';
import { writePrivateJson } from './secrets.ts';

/** Ports that no user sets: each stack finds its own, and keeps them while they are free. */
const internal = {
  eventStore: undefined,
  postgres: undefined,
  nats: undefined,
  processor: 'PROCESSOR_PORT',
  projections: 'PROJECTIONS_PORT',
  webhooks: 'WEBHOOKS_PORT',
  gatewayMetrics: 'GATEWAY_METRICS_PORT',
  payMetrics: 'PAY_METRICS_PORT',
  demoWebhookReceiver: undefined,
} as const;

export type InternalPorts = Readonly<Record<keyof typeof internal, number>>;

/**
 * A port for each internal listener: the one that the environment names, else the one of the last start when
 * it is still free, else a free one. Remembered in `DATA_DIR/ports.json`.
 */
export async function choosePorts(dataDir: string, env: NodeJS.ProcessEnv): Promise<InternalPorts> {
  const file = join(dataDir, 'ports.json');
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, number>>)
    : {};
  const chosen: Record<string, number> = {};
  const taken = new Set<number>();
  for (const [name, variable] of Object.entries(internal)) {
    const named = variable === undefined ? undefined : Number(env[variable] || 0);
    const last = kept[name];
    const usable = last !== undefined && !taken.has(last) && (await isPortFree(last));
    const port = named || (usable ? last : await findFreePort(taken));
    chosen[name] = port;
    taken.add(port);
  }
  writePrivateJson(file, chosen);
  return chosen as InternalPorts;
}
