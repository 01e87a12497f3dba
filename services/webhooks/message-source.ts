import { operationOfLateStream } from '#shared/domain/late/events.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { endpointNotices } from './endpoint-notice.ts';
import { expectedMessages, expectedReturnMessages } from './message.ts';

/**
 * The source of the expected webhooks up to an event: an operation's events, with those of its late
 * stream if the event is one of them; or a shop's.
 */
type MessageSource = {
  of: 'operation' | 'shop';
  events: readonly StoredEvent[];
  late: readonly StoredEvent[];
};

/**
 * Undefined while it can't be read: a replica of the store may not have the newest events. Late
 * facts with a webhook belong to terminal operations.
 * @throws when the store does not answer
 */
export async function readMessageSource(
  store: EventStore,
  { stream, revision }: { stream: string; revision: number },
): Promise<MessageSource | undefined> {
  const events = await eventsUpTo(store, stream, revision);
  if (events.at(-1)?.revision !== revision) return undefined;
  if (stream.startsWith('shop-')) return { of: 'shop', events, late: [] };
  const operationId = operationOfLateStream(stream);
  if (operationId === undefined) return { of: 'operation', events, late: [] };
  const own = await store.read(operationStream(operationId));
  return own.some(({ type }) => isTerminalEventType(type))
    ? { of: 'operation', events: own, late: events }
    : undefined;
}

/** Every expected webhook. @throws when the streams can't be understood by this version */
export function buildExpectedMessages({
  of,
  events,
  late,
}: MessageSource): ReturnType<typeof expectedMessages> {
  if (of === 'shop') return { operation: undefined, messages: endpointNotices(events) };
  const { operation, messages } = expectedMessages(events);
  return { operation, messages: [...messages, ...expectedReturnMessages(events, late)] };
}

/** Usually they are in memory. @throws when they can't be read */
async function eventsUpTo(
  store: EventStore,
  stream: string,
  revision: number,
): Promise<readonly StoredEvent[]> {
  const recent = store.recent(stream);
  if (recent && recent.length > revision) return recent.slice(0, revision + 1);
  return store.read(stream, { maxCount: revision + 1 });
}
