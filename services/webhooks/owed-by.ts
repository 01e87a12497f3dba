import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { endpointNotices } from './endpoint-notice.ts';
import { messagesOwed } from './message.ts';

/** Every webhook that a stream owes, an operation's or a shop's. @throws as `messagesOwed` does */
export const messagesOwedBy = (
  stream: string,
  events: readonly StoredEvent[],
): ReturnType<typeof messagesOwed> =>
  stream.startsWith('shop-')
    ? { operation: undefined, messages: endpointNotices(events) }
    : messagesOwed(events);
