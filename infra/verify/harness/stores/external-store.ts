import { mkdirSync } from 'node:fs';
import type { Launch } from '#infra/process/start-process.ts';
import { prepareEventStore } from '#infra/stores/launch-event-store.ts';

/**
 * A command that starts an event store for each test that needs its own log, instead of the node.
 * `{port}` and `{folder}` stand for a free port and an empty folder, as in `eventstored --insecure
 * --node-port={port} --db={folder}`.
 */
const variable = 'EVENT_STORE_COMMAND';

type Place = { folder: string; port: number };
type PreparedStore = ReturnType<typeof prepareEventStore>;

export const usesExternalServer = (): boolean => Boolean(process.env[variable]);

/** The server of EVENT_STORE_COMMAND on that port, undefined where the variable is not set. */
export function prepareExternalServer(
  { folder, port }: Place,
  env: NodeJS.ProcessEnv = process.env,
): PreparedStore | undefined {
  const command = env[variable];
  if (!command) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const line = command.replaceAll('{port}', String(port)).replaceAll('{folder}', folder);
  const launch: Launch = {
    name: 'event-store',
    command: '/bin/sh',
    args: ['-c', `exec ${line}`],
    env: process.env,
    stopSignal: 'SIGTERM',
  };
  return { launch, url: `esdb://127.0.0.1:${port}?tls=false`, isReady: () => isLive(port) };
}

/** The server of EVENT_STORE_COMMAND, else the node. */
export function prepareTestEventStore(place: Place, env?: NodeJS.ProcessEnv): PreparedStore {
  return prepareExternalServer(place, env) ?? prepareEventStore(place);
}

async function isLive(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/live`)).status === 204;
  } catch {
    return false;
  }
}
