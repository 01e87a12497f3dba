import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readPassword } from '../stores/password-file.ts';
import { accepts, type StoreLaunch } from '../stores/store-launch.ts';
import { findNatsServer, howToGetIt } from './find-server.ts';

type NatsOptions = {
  /** The folder with all its data; created if missing. */
  readonly folder: string;
  readonly port: number;
};

const user = 'gateway';

/** The URL of the server in that folder, whether it runs or not. */
export function natsUrl({ folder, port }: NatsOptions): string {
  return `nats://${user}:${readPassword(folder)}@127.0.0.1:${port}`;
}

/**
 * Prepares a nats-server with JetStream, on 127.0.0.1 alone and with a password, and says how to
 * start it.
 * @throws one line that says what to do, when there is no nats-server.
 */
export function prepareNats({ folder, port }: NatsOptions): StoreLaunch {
  const command = findNatsServer();
  if (command === undefined) throw new Error(`nats-server is missing: ${howToGetIt}`);
  const password = readPassword(folder);
  const config = join(resolve(folder), 'nats.conf');
  writeFileSync(config, configuration({ folder: resolve(folder), port, password }), {
    mode: 0o600,
  });
  return {
    launch: {
      name: 'nats',
      command,
      args: ['--config', config],
      cwd: '/',
      env: { PATH: process.env['PATH'] },
      stopSignal: 'SIGINT',
    },
    url: natsUrl({ folder, port }),
    // The server speaks first, and only once JetStream has been recovered.
    isReady: () => accepts(port, 'INFO '),
  };
}

// Only what nats-server 2.9, Debian's, understands. It writes to its files at once and syncs them
// every two minutes: a kill loses nothing, a power cut can lose what the reconciliation of webhooks
// then records from the log.
function configuration({ folder, port, password }: NatsOptions & { password: string }): string {
  return `listen: "127.0.0.1:${port}"
server_name: "gateway"
authorization { user: "${user}", password: "${password}", timeout: 5 }
jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))}, max_memory_store: 64MB, max_file_store: 10GB }
max_payload: 1MB
logtime: false
`;
}
