import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { dueChannel } from '#shared/application/webhooks/database/tables.ts';

export type Listening = {
  databaseUrl: string;
  /** A shop has something due. */
  onDue(shopId: string): void;
  /** Listening (again): whatever was told before may have been missed. */
  onConnected(): void;
  signal: AbortSignal;
};

const retryPauseMs = 250;

/** Hears what `announceDue` tells, until the signal, on a connection of its own that is made again when it breaks. */
export async function listenForDue({ databaseUrl, onDue, onConnected, signal }: Listening): Promise<void> {
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
      // The dispatcher's own queries say what is wrong with the database.
    } finally {
      signal.removeEventListener('abort', end);
      await client.end().catch(() => undefined);
    }
    await delay(retryPauseMs, undefined, { signal }).catch(() => undefined);
  }
}
