import { expect } from 'vitest';
import { appendAtHead, type EventStore } from '#shared/platform/event-store/index.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { directoryStream } from '../stream.ts';

/** As the admin API does; it applies on every instance once the lease has expired. */
export async function writeToDirectory(
  store: EventStore,
  type: string,
  data: object,
): Promise<void> {
  const written = await appendAtHead(store, directoryStream, [newEvent({ type, data })]);
  expect(written).toEqual({ outcome: 'done' });
}
