import { newestVersion } from '../versions.ts';

/** An event of a decision, as the log returns it to be decoded. */
export const asStored = <Event extends { type: string }>(
  event: Event,
): Event & { metadata: { schema_version: number } } => ({
  ...event,
  metadata: { schema_version: newestVersion(event.type) },
});
