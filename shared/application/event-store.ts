import { logStreams } from '#shared/domain/log/streams.ts';
import {
  createEventStoreClient,
  type ConnectOptions,
  type ObservableEventStore,
} from '#shared/platform/event-store/client.ts';

/** The gateway's log, in the event store behind a connection string (EVENT_STORE_URL). */
export const connectEventStore = (
  connectionString: string,
  options?: ConnectOptions,
): ObservableEventStore => createEventStoreClient(connectionString, logStreams, options);
