import { newId } from '#shared/platform/ids.ts';
import type { NewEvent } from '../types.ts';

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
