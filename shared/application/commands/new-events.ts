import { newestVersion } from '#shared/domain/versions.ts';
import type { EventMetadata, StoredReport, NewEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Origin } from './origin.ts';

/** The metadata of an event of this type. */
export function toMetadata(origin: Origin, type: string): EventMetadata {
  return {
    correlation_id: origin.correlationId,
    ...(origin.causationId !== undefined && { causation_id: origin.causationId }),
    ...(origin.requestId !== undefined && { request_id: origin.requestId }),
    ...(origin.traceparent !== undefined && { traceparent: origin.traceparent }),
    actor: origin.actor,
    ...(origin.keyId !== undefined && { key_id: origin.keyId }),
    ...(origin.tokenId !== undefined && { token_id: origin.tokenId }),
    ...(origin.linkIssuers?.length && { link_issuers: origin.linkIssuers }),
    schema_version: newestVersion(type),
  };
}

/**
 * The events of a decision, ready to append: each with a new id, and with the callback that caused
 * them.
 */
export function toNewEvent(
  { type, data }: { type: string; data: object },
  origin: Origin,
  report?: StoredReport,
): NewEvent {
  const metadata = toMetadata(origin, type);
  if (report) metadata.report = report;
  return { id: newId(), type, data, metadata };
}

export const toNewEvents = (
  events: readonly { type: string; data: object }[],
  origin: Origin,
): NewEvent[] => events.map((event) => toNewEvent(event, origin));
