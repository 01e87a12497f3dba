import { EventStoreDBClient } from '@eventstore/db-client';
import { ConfigError } from '#shared/platform/config/load.ts';

/**
 * The client for an EVENT_STORE_URL; it connects when it is first used.
 * @throws ConfigError without the text, which may hold a password
 */
export function parseConnectionString(text: string): EventStoreDBClient {
  try {
    // The client has only the older name of the protocol.
    return EventStoreDBClient.connectionString(text.replace(/^(kurrentdb|kdb)(?=[:+])/, 'esdb'));
  } catch {
    throw new ConfigError([
      'EVENT_STORE_URL: must be esdb://[user:password@]host[:port], several hosts separated by commas, and ?option=value for options of the client',
    ]);
  }
}
