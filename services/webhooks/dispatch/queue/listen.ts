import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { dueChannel } from '#shared/application/webhooks/database/tables.ts';

type Listening = {
  databaseUrl: string;
  /** A shop has a due message. */
  onDue(shopId: string): void;
  /** Listening (again): earlier notifications may have been missed. */
  onConnected(): void;
  signal: AbortSignal;
};

const retryPauseMs = 250;

/**
 * Receives the notifications of `announceDue` until the signal, on its own connection, which is
 * reopened when it breaks.
 */
export async function listenForDue({
  databaseUrl,
  onDue,
  onConnected,
  signal,
}: Listening): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'webhooks-listen',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const broken = Promise.withResolvers<void>();
    const end = () => broken.resolve();
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ payload }) => payload && onDue(payload));
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
    await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
  }
}
