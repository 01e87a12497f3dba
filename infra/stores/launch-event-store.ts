import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#infra/process/node-flags.ts';
import { ownSecrets } from '#infra/process/own-secrets.ts';
import { listsSocketUsers } from '#infra/event-store-node/http/same-user.ts';
import { accepts, type StoreLaunch } from './store-launch.ts';

const sameUser = listsSocketUsers() ? ['--same-user'] : [];
const main = fileURLToPath(new URL('../event-store-node/main.ts', import.meta.url));

type Place = { readonly folder: string; readonly port: number };

/** The arguments of the event store node on a folder, which is created, and a port of 127.0.0.1. */
export function eventStoreArguments({ folder, port }: Place): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return ['--port', String(port), '--dir', resolve(folder), ...sameUser];
}

/** The command that starts the event store node in a process of its own. */
export function prepareEventStore(place: Place): StoreLaunch {
  const { port } = place;
  return {
    launch: {
      name: 'event-store',
      command: process.execPath,
      args: [...nodeFlags, main, ...eventStoreArguments(place)],
      env: ownSecrets(process.env, []),
      stopSignal: 'SIGTERM',
    },
    url: `esdb://127.0.0.1:${port}?tls=false`,
    // It listens once its storage is open.
    isReady: () => accepts(port),
  };
}
