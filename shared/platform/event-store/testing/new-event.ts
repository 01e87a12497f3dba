import { newId } from '#shared/platform/ids.ts';
import type { NewEvent, StoredEvent } from '../types.ts';

export const testMetadata = {
  correlation_id: 'test',
  actor: 'service:test',
  schema_version: 1,
} as const;

/** An event whose content does not matter, but for what is given. */
export const newEvent = (given: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  type: 'Happened',
  data: {},
  metadata: testMetadata,
  ...given,
});

/** The same, as it is read from the log; its position is its revision. */
export const storedEvent = (given: Partial<StoredEvent> = {}): StoredEvent => ({
  ...newEvent(),
  stream: 's',
  revision: 0,
  position: BigInt(given.revision ?? 0),
  created: new Date(0),
  ...given,
});
