import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Launch } from '#infra/process/start-process.ts';
import { nodeFlags } from '#infra/process/node-flags.ts';
import { ownSecrets } from '#infra/process/own-secrets.ts';
import { listsSocketUsers } from '#infra/event-store-node/http/same-user.ts';

type EventStoreLaunch = {
  readonly launch: Launch;
  readonly url: string;
  /** Whether it takes connections, which it does once its storage is open. */
  readonly isReady: () => Promise<boolean>;
};

const sameUser = listsSocketUsers() ? ['--same-user'] : [];
const main = fileURLToPath(new URL('../event-store-node/main.ts', import.meta.url));

/** The command that starts the event store node on a folder and a port of 127.0.0.1. */
export function prepareEventStore({
  folder,
  port,
}: {
  folder: string;
  port: number;
}): EventStoreLaunch {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    launch: {
      name: 'event-store',
      command: process.execPath,
      args: [...nodeFlags, main, '--port', String(port), '--dir', resolve(folder), ...sameUser],
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
