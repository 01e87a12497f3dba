import { newestVersion } from '#shared/domain/versions.ts';
import type { StoredReport } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { commands, whatIsDone } from '../authority/commands.ts';
import { writers } from '../authority/writers.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

export type NewLogEvent = {
  /** By default a new one. */
  id?: string;
  causationId?: string;
  stream: string;
  type: string;
  data: unknown;
  atMs?: number;
  actor?: string;
  keyId?: string;
  tokenId?: string;
  linkIssuers?: readonly string[];
  schemaVersion?: number;
  report?: StoredReport;
};

/** Each shop's API key, by its id. */
export const keyOf = (shopId: string) => `key-of-${shopId}`;

/**
 * Commands and their direct consequences are attributed to the first admin, merchants' events to
 * the merchant of `shopId`, and all others to a service, unless an actor is passed.
 */
export function usualCaller({ type, data }: Pick<NewLogEvent, 'type' | 'data'>, shopId?: string) {
  const what = whatIsDone({ type, data });
  const allowed = writers.get(what);
  // Merchants begin operations, except for rows of a payout file.
  const begins = what === 'OperationAdmitted' || what === 'OperationCancelledBeforeCreate';
  if (allowed?.includes('service') && !begins) return { actor: 'service:test' };
  if (!allowed || commands.has(what)) return { actor: 'operator:admin', token_id: 'first' };
  if (allowed.includes('payer')) return { actor: 'payer:payment-page' };
  const { shop_id: theirs = shopId ?? '' } = data as { shop_id?: string };
  return { actor: `merchant:${theirs}`, key_id: keyOf(theirs) };
}

const firstMs = Date.parse('2026-01-31T12:00:00.000Z');

/**
 * A log in memory as a store returns it: revisions and positions in order, an event without a time
 * of its own 10 ms after the one before it.
 */
export function createLog() {
  const events: RawEvent[] = [];
  const revisions = new Map<string, number>();
  const shops = new Map<string, string>();
  let nextMs = firstMs;
  const metadata = (given: NewLogEvent) => {
    const { stream, type, data, actor, keyId, tokenId, linkIssuers, schemaVersion, report } = given;
    if (type === 'OperationAdmitted') shops.set(stream, (data as { shop_id: string }).shop_id);
    const who =
      actor === undefined
        ? usualCaller({ type, data }, shops.get(stream))
        : { actor, key_id: keyId, token_id: tokenId, link_issuers: linkIssuers };
    return Buffer.from(
      JSON.stringify({
        correlation_id: 'test',
        ...who,
        causation_id: given.causationId,
        report,
        schema_version: schemaVersion ?? newestVersion(type),
      }),
    );
  };
  return {
    events,
    nowMs: () => nextMs,
    append: (given: NewLogEvent): RawEvent => {
      const { stream, type, data, atMs } = given;
      const createdMs = atMs ?? nextMs;
      nextMs = Math.max(nextMs, createdMs) + 10;
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const event: RawEvent = {
        position: (events.length + 1) * 100,
        stream,
        revision,
        id: given.id ?? newId(),
        type,
        contentType: 'application/json',
        createdTicks: `${createdMs}0000`,
        data: Buffer.from(JSON.stringify(data)),
        metadata: metadata(given),
      };
      events.push(event);
      return event;
    },
  };
}

export type TestLog = ReturnType<typeof createLog>;
