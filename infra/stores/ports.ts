import { join } from 'node:path';
import { z } from 'zod';
import { findFreePort, reclaimPort } from '../process/free-port.ts';
import { readPrivateJson, writePrivateJson } from './private-json.ts';

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
  adminMetrics: 'ADMIN_METRICS_PORT',
  portalMetrics: 'PORTAL_METRICS_PORT',
  processorMetrics: 'PROCESSOR_METRICS_PORT',
  demoWebhookReceiver: undefined,
} as const;

/** The ports of the first instance; for others see `instancePort`. */
export type InternalPorts = Readonly<Record<keyof typeof internal, number>>;

const instanceName = (name: string, instance: number) =>
  instance === 1 ? name : `${name}-${instance}`;

/** The port of an instance, counted from 1. */
export function instancePort(
  ports: InternalPorts,
  name: keyof InternalPorts,
  instance: number,
): number {
  const port = (ports as Readonly<Record<string, number>>)[instanceName(name, instance)];
  if (port === undefined) throw new Error(`no port was chosen for ${instanceName(name, instance)}`);
  return port;
}

const portsSchema = z.record(z.string(), z.int());

/**
 * A port for each internal listener: the one that the environment names, else the one of the last
 * start when it is still free, unclaimed and not `reserved` for others, else a free one. Remembered
 * in `DATA_DIR/ports.json`. Instances after the first get free ones.
 */
export async function choosePorts(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  { instances = 1, reserved = [] }: { instances?: number; reserved?: readonly number[] } = {},
): Promise<InternalPorts> {
  const file = join(dataDir, 'ports.json');
  const saved = readPrivateJson(file, portsSchema) ?? {};
  const chosen: Record<string, number> = {};
  const used = new Set<number>(reserved);
  const wanted = Array.from({ length: instances }, (_, index) => index + 1).flatMap((instance) =>
    Object.entries(internal).flatMap(([name, variable]) =>
      instance === 1 || variable !== undefined
        ? [{ name: instanceName(name, instance), variable, instance }]
        : [],
    ),
  );
  for (const { name, variable, instance } of wanted) {
    const named = variable === undefined || instance > 1 ? undefined : Number(env[variable] || 0);
    const last = saved[name];
    const usable = last !== undefined && !used.has(last) && (await reclaimPort(last));
    const port = named || (usable ? last : await findFreePort(used));
    chosen[name] = port;
    used.add(port);
  }
  writePrivateJson(file, chosen);
  return chosen as InternalPorts;
}
