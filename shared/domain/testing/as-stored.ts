import { newestVersion } from '../versions.ts';

/** An event that a decision made, as the log gives it back to be decoded. */
export const asStored = <Event extends { type: string }>(
  event: Event,
): Event & { metadata: { schema_version: number } } => ({
  ...event,
  metadata: { schema_version: newestVersion(event.type) },
});
