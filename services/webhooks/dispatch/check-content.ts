import { LRUCache } from 'lru-cache';
import { lateStream } from '#shared/domain/late/events.ts';
import { webhookForms } from '#shared/domain/operation/fields/derive.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
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
  macKey?: LogKey | undefined;
  /** Called for each message that does not follow from the log. */
  onForged?: (() => void) | undefined;
};

/** Whether recorded messages are what the log requires: the table alone proves nothing. */
type ContentCheck = {
  /** By its code, or because it is a ping, which says nothing. */
  isRecognised(claimed: RecordedClaim): boolean;
  /** By the log; a message that does not follow from it is logged. @throws if it can't be read */
  followsFromLog(claimed: RecordedClaim): Promise<boolean>;
};

const maxLogged = 10_000;

export function createContentCheck(options: CheckOptions): ContentCheck {
  const { store, logger, macKey, onForged } = options;
  const readSubscriptions = createReadSubscriptions(store);
  /** Each is checked again every minute, and logged once. */
  const logged = new LRUCache<string, true>({ max: maxLogged });
  return {
    isRecognised: (claimed) =>
      isPing(claimed) ||
      (macKey !== undefined && claimed.mac !== null && hasMessageMac(macKey, claimed, claimed.mac)),
    followsFromLog: async (claimed) => {
      const expected = await findExpected(claimed, { store, readSubscriptions });
      if (expected && isSame(claimed, expected)) return true;
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

const timePattern = /"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/;

/** It has nothing but its id, time and shop. The services that queue pings do not have the key. */
function isPing(claimed: RecordedClaim): boolean {
  const { messageId, webhookId = messageId, shopId, operationId, sequence, type, body } = claimed;
  if (type !== 'ping' || operationId !== null || webhookId !== messageId) return false;
  const timestamp = timePattern.exec(body)?.[1];
  const ping = { id: messageId, type, timestamp, sequence, data: { shop_id: shopId } };
  return sequence === 1 && timestamp !== undefined && body === JSON.stringify(ping);
}

/** The message that the log requires in place of a recorded one; undefined if it requires none. */
async function findExpected(
  { messageId, webhookId = messageId, shopId, operationId }: RecordedClaim,
  { store, readSubscriptions }: { store: EventStore; readSubscriptions: ReadSubscriptions },
): Promise<NewMessage | undefined> {
  const of = operationId === null ? 'shop' : 'operation';
  const events = await store.read(
    operationId === null ? shopStream(shopId) : operationStream(operationId),
  );
  const late = operationId === null ? [] : await store.read(lateStream(operationId));
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
    (claimed.body === expected.body || isOlderForm(claimed.body, expected))
  );
}

/** From then on rows have codes, with a day for an upgrade: no form is older than that. */
const codesSinceMs = Date.parse('2026-12-01T00:00:00.000Z') + 24 * 60 * 60_000;

/** A message of an earlier version may lack the fields of the operation that were added since. */
function isOlderForm(body: string, { body: expected, occurredAt }: NewMessage): boolean {
  if (occurredAt.getTime() >= codesSinceMs) return false;
  const message = JSON.parse(expected) as { data: { operation?: object } };
  const { operation } = message.data;
  if (!operation) return false;
  return [...new Set(webhookForms.values())].some((form) => {
    const had = Object.entries(operation).filter(([name]) => (webhookForms.get(name) ?? 0) < form);
    const data = { ...message.data, operation: Object.fromEntries(had) };
    return body === JSON.stringify({ ...message, data });
  });
}
