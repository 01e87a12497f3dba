import { Socket } from 'node:net';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { dueChannel } from '#shared/application/webhooks/database/tables.ts';

type DueListenerOptions = {
  databaseUrl: string;
  /** An endpoint may have a due message. Returns whether more of it is wanted for now. */
  onDue(endpointId: string): boolean;
  /** Listening (again): earlier notifications may have been missed. */
  onConnected(): void;
  signal: AbortSignal;
};

const retryPauseMs = 250;
/** The pause after a flood of notifications, which skips what the server has queued meanwhile. */
const floodPauseMs = 1_000;

/**
 * Receives the notifications of `announceDue` until the signal, on its own connection, which is
 * reopened when it breaks.
 */
export async function listenForDue({
  databaseUrl,
  onDue,
  onConnected,
  signal,
}: DueListenerOptions): Promise<void> {
  while (!signal.aborted) {
    const socket = new Socket();
    let pauseMs = retryPauseMs;
    const client = new Client({
      stream: () => socket,
      connectionString: databaseUrl,
      application_name: 'webhooks-listen',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const broken = Promise.withResolvers<void>();
    const end = () => broken.resolve();
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ payload }) => {
      if (!payload || socket.destroyed || onDue(payload)) return;
      pauseMs = floodPauseMs;
      socket.destroy();
      end();
    });
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await client.query(`listen ${dueChannel}`);
      onConnected();
      await broken.promise;
    } catch {
      // The dispatcher's own queries report what is wrong with the database.
    } finally {
      signal.removeEventListener('abort', end);
      await client.end().catch(() => undefined);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
