import { connect, type NatsConnection } from 'nats';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { isOlderNats } from '#shared/platform/nats/least-version.ts';

/** The server is older than production requires. */
export class OldNats extends Error {}

const timeoutMs = 2_000;

/** @throws OldNats, or the client's error if the server can't be reached */
export async function connectNats({
  natsUrl,
  leastNats,
  name,
  reconnect,
  pauseMs,
}: {
  natsUrl: string;
  leastNats: string | undefined;
  name: string;
  reconnect: boolean;
  pauseMs: number;
}): Promise<NatsConnection> {
  const connection = await connect({
    ...natsConnectionOptions(natsUrl),
    name,
    reconnect,
    // Otherwise the client captures a stack trace for each publish, in case it fails.
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: pauseMs,
    timeout: timeoutMs,
  });
  const version = connection.info?.version ?? '';
  if (leastNats === undefined || !isOlderNats(version, leastNats)) return connection;
  await connection.close();
  throw new OldNats(
    `NATS ${leastNats} or newer: the server is ${version || 'of an unknown version'}`,
  );
}
