import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Launch } from '../process/start-process.ts';
import { nodeFlags } from '../process/node-flags.ts';
import { ownSecrets } from '../process/own-secrets.ts';
import { passwordFile, readPassword } from '../stores/password-file.ts';
import { userName } from './services/users.ts';

type EventStoreLaunch = {
  readonly launch: Launch;
  readonly url: string;
  /** Whether it takes connections, which it does once its storage is open. */
  readonly isReady: () => Promise<boolean>;
};

const main = fileURLToPath(new URL('main.ts', import.meta.url));

type Place = { folder: string; port: number };

/** The address of the node of that folder, whether it runs or not. */
export const eventStoreUrl = ({ folder, port }: Place): string =>
  `esdb://${userName}:${readPassword(folder)}@127.0.0.1:${port}?tls=false`;

/** The command that starts the event store node on a folder and a port of 127.0.0.1. */
export function prepareEventStore(place: Place): EventStoreLaunch {
  const { launch, ...open } = prepareOpenEventStore(place);
  const url = eventStoreUrl(place);
  const args = [...launch.args, '--password-file', passwordFile(resolve(place.folder))];
  return { ...open, url, launch: { ...launch, args } };
}

/** The same for a node that serves anyone who reaches its port. */
export function prepareOpenEventStore({ folder, port }: Place): EventStoreLaunch {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    launch: {
      name: 'event-store',
      command: process.execPath,
      args: [...nodeFlags, main, '--port', String(port), '--dir', resolve(folder)],
      env: ownSecrets(process.env, []),
      stopSignal: 'SIGTERM',
    },
    url: `esdb://127.0.0.1:${port}?tls=false`,
    isReady: () => accepts(port),
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
