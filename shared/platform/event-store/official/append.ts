import {
  jsonEvent,
  NO_STREAM,
  type EventStoreDBClient,
  type JSONType,
} from '@eventstore/db-client';
import type { RawAppend } from '../append.ts';

/** Appends as the official client does. */
export function createAppend(client: EventStoreDBClient): RawAppend {
  return async ({ stream, expectedRevision, events }) => {
    const content = events.map(({ id, type, data, metadata }) =>
      jsonEvent({ id, type, data: data as JSONType, metadata }),
    );
    const { nextExpectedRevision, position } = await client.appendToStream(stream, content, {
      expectedRevision: expectedRevision < 0 ? NO_STREAM : BigInt(expectedRevision),
    });
    return { revision: Number(nextExpectedRevision), position: position?.commit ?? 0n };
  };
}
