import { newestVersion } from '#shared/domain/versions.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

const firstMs = Date.parse('2026-01-31T12:00:00.000Z');

/** Events as read from the log: one stream from revision 0, a second and 100 positions apart. */
export function storedEvents(
  stream: string,
  events: readonly { type: string; data: unknown }[],
): StoredEvent[] {
  return events.map(({ type, data }, revision) => ({
    id: `${stream}/${revision}`,
    type,
    data,
    metadata: {
      correlation_id: 'test',
      actor: 'service:test',
      schema_version: newestVersion(type),
    },
    stream,
    revision,
    position: BigInt(revision + 1) * 100n,
    created: new Date(firstMs + revision * 1000),
  }));
}
