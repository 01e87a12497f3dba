import { LRUCache } from 'lru-cache';
import { lateStream } from '#shared/domain/late/events.ts';
import { inOlderForms } from '#shared/domain/operation/fields/webhook-forms.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import {
  replicaLagMs,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { EventSigner } from '#shared/platform/event-store/signature.ts';
import { canonicalJson, parsePlainJson } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { RecordedClaim } from '../claim.ts';
import {
  createReadSubscriptions,
  forEndpoints,
  type ReadSubscriptions,
} from '../ingest/subscriptions.ts';
import type { NewMessage } from '../message.ts';
import { hasMessageMac } from '../message-mac.ts';
import { buildExpectedMessages } from '../message-source.ts';

export type CheckOptions = {
  store: EventStore;
  logger: Logger;
  macKey?: EventSigner | undefined;
  /** Called for each message that does not follow from the log. */
  onForged?: (() => void) | undefined;
};

/** Whether recorded messages are what the log requires: the table alone proves nothing. */
type ContentCheck = {
  /** By its code, or because it is a ping, which says nothing. */
  isRecognised(claimed: RecordedClaim): boolean;
  /**
   * By the log; a message that does not follow from it is logged. Undefined: not known yet, or the
   * log can't be read, which is logged once until it can.
   */
  followsFromLog(claimed: RecordedClaim): Promise<boolean | undefined>;
};

const maxLogged = 10_000;
const pageSize = 1_000;

export function createContentCheck(options: CheckOptions): ContentCheck {
  const { store, logger, macKey, onForged } = options;
  const readSubscriptions = createReadSubscriptions(store);
  const keys = macKey ? [macKey, ...(macKey.earlier ?? [])] : [];
  /** Each is checked again every minute, and logged once. */
  const logged = new LRUCache<string, true>({ max: maxLogged });
  let isReadable = true;

  async function check(claimed: RecordedClaim): Promise<boolean | undefined> {
    const expected = await findExpected(claimed, { store, readSubscriptions });
    isReadable = true;
    if (expected && isSame(claimed, expected)) return true;
    return !expected && isYoung(claimed) ? undefined : false;
  }

  return {
    isRecognised: (claimed) =>
      isPing(claimed) ||
      keys.some((key) => claimed.mac !== null && hasMessageMac(key, claimed, claimed.mac)),
    followsFromLog: async (claimed) => {
      const follows = await check(claimed).catch((error: unknown) => {
        if (isReadable)
          logger.warn({ err: error }, 'recorded webhooks can not be checked by the log');
        isReadable = false;
        return undefined;
      });
      if (follows !== false) return follows;
      onForged?.();
      const { messageId, shopId, endpointId, operationId } = claimed;
      const about = { messageId, shopId, endpointId, operationId };
      if (!logged.has(messageId))
        logger.error(about, 'a recorded webhook does not follow from the log, and is not sent');
      logged.set(messageId, true);
      return false;
    },
  };
}

/**
 * A replica of the store may not have its event yet. Who writes to the table could only delay the
 * alarm by such a time.
 */
const isYoung = ({ occurredAtMs }: RecordedClaim): boolean =>
  Math.abs(Date.now() - occurredAtMs) < replicaLagMs;

const timePattern = /"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/;

/** It has nothing but its id, time and shop. The services that queue pings do not have the key. */
function isPing(claimed: RecordedClaim): boolean {
  const { messageId, webhookId = messageId, shopId, operationId, sequence, type, body } = claimed;
  if (type !== 'ping' || operationId !== null || webhookId !== messageId) return false;
  const timestamp = timePattern.exec(body)?.[1];
  const ping = { id: messageId, type, timestamp, sequence, data: { shop_id: shopId } };
  return sequence === 1 && timestamp !== undefined && body === JSON.stringify(ping);
}

/** A shop's stream may have more events than one read returns. */
async function readPages(store: EventStore, stream: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (;;) {
    const fromRevision = (events.at(-1)?.revision ?? -1) + 1;
    const page = await store.read(stream, { fromRevision, maxCount: pageSize });
    events.push(...page);
    if (page.length < pageSize) return events;
  }
}

/** The message that the log requires in place of a recorded one; undefined if it requires none. */
async function findExpected(
  { messageId, webhookId = messageId, shopId, operationId }: RecordedClaim,
  { store, readSubscriptions }: { store: EventStore; readSubscriptions: ReadSubscriptions },
): Promise<NewMessage | undefined> {
  const of = operationId === null ? 'shop' : 'operation';
  const events = await readPages(
    store,
    operationId === null ? shopStream(shopId) : operationStream(operationId),
  );
  // Late facts with a webhook belong to terminal operations: without the end they are not readable.
  const hasEnd = operationId !== null && events.some(({ type }) => isTerminalEventType(type));
  const late = hasEnd ? await readPages(store, lateStream(operationId)) : [];
  const { messages } = buildExpectedMessages({ of, events, late });
  const expected = messages.find(({ message }) => message.messageId === webhookId);
  if (!expected) return undefined;
  const subscriptions = await readSubscriptions(expected.message.shopId);
  return forEndpoints(expected, subscriptions).find((each) => each.messageId === messageId);
}

function isSame(claimed: RecordedClaim, expected: NewMessage): boolean {
  const { messageId, eventId = messageId, shopId, endpointId = shopId, operationId } = expected;
  const { webhookId = claimed.messageId } = claimed;
  return (
    webhookId === eventId &&
    claimed.shopId === shopId &&
    claimed.endpointId === endpointId &&
    claimed.operationId === operationId &&
    claimed.sequence === expected.sequence &&
    claimed.type === expected.type &&
    isSameBody(claimed.body, expected)
  );
}

/**
 * Earlier versions recorded the same members in another order, or without the fields of the
 * operation that were added since. At any time: an upgrade may come late, and who writes to the
 * table could only hide these fields.
 */
function isSameBody(body: string, { body: expected }: NewMessage): boolean {
  if (body === expected) return true;
  const parsed = parsePlainJson(body);
  if (parsed === undefined) return false;
  const recorded = canonicalJson(parsed);
  const message = JSON.parse(expected) as { data: object };
  if (recorded === canonicalJson(message)) return true;
  return inOlderForms(message).some((older) => recorded === canonicalJson(older.message));
}
