import { hash } from 'node:crypto';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import {
  noOperation,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';
import { sealedFields } from '#shared/domain/operation/fields/request.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import { operations } from '#shared/application/operations/streams.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/**
 * A webhook as it is recorded for one endpoint; every attempt sends the same, with its sealed parts
 * opened.
 */
export type NewMessage = {
  messageId: string;
  /** The event's id, where that is not `messageId`. */
  eventId?: string | undefined;
  shopId: string;
  /** Undefined: the endpoint that has the shop's own id. */
  endpointId?: string | undefined;
  operationId: string | null;
  sequence: number;
  type: string;
  body: string;
  occurredAt: Date;
  /** The trace of the event, if it is sampled. */
  traceparent?: string | undefined;
};

/** Whether another webhook of the operation must follow: its end has not been sent yet. */
export const isIntermediate = (type: string): boolean => type === 'payment.awaiting_confirmation';

/** A webhook with the log position of its event. */
export type ExpectedMessage = {
  message: NewMessage;
  position: bigint;
  /** The endpoint that it reports on, and that does not get it. */
  except?: string;
};

/** Where a message goes. */
export const messageDestination = ({ endpointId, shopId }: NewMessage): string =>
  endpointId ?? shopId;

/** The message of the same event for an endpoint: every process gives it the same id. */
export function toEndpoint(message: NewMessage, endpointId: string): NewMessage {
  if (endpointId === message.shopId) return message;
  const { messageId: eventId } = message;
  const hex = hash('sha256', `${eventId} ${endpointId}`, 'hex');
  const messageId = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
  return { ...message, messageId, eventId, endpointId };
}

/**
 * Every expected webhook of an operation, in order, from its stream so far (R14.1), and the
 * operation as it is. Each webhook holds the operation as it was at its event: later events change
 * nothing in it.
 * @throws when the stream can't be understood by this version
 */
export function expectedMessages(events: readonly StoredEvent[]): {
  operation: Operation | undefined;
  messages: ExpectedMessage[];
} {
  const expected: ExpectedMessage[] = [];
  let state: OperationState = noOperation;
  let admittedAt = new Date(0);
  for (const event of events) {
    const before: number = state.phase === 'admitted' ? state.webhooks : 0;
    state = operations.evolve(state, operations.decode(event), event);
    if (event.type === 'OperationAdmitted') admittedAt = event.created;
    if (state.phase === 'admitted' && state.webhooks > before) {
      expected.push(messageAt(state, { event, admittedAt }));
    }
  }
  return { operation: state.phase === 'admitted' ? state : undefined, messages: expected };
}

/**
 * The webhooks of returns after the end (R14.20), from the terminal operation and its late stream
 * so far. Their sequence continues that of the operation's own webhooks.
 */
export function expectedReturnMessages(
  events: readonly StoredEvent[],
  late: readonly StoredEvent[],
): ExpectedMessage[] {
  const { operation, messages } = expectedMessages(events);
  if (!operation) return [];
  const returns = late.flatMap((event) => {
    const decoded = decodeLateEvent(event);
    return decoded.type === 'MoneyReturned' && decoded.data.total !== undefined
      ? [{ event, data: decoded.data, total: decoded.data.total }]
      : [];
  });
  const end = messages.at(-1);
  if (!end) return [];
  const { data: ended } = JSON.parse(end.message.body) as { data: object };
  const { shopId, operationId } = operation;
  return returns.map(({ event, data, total }, index) => {
    const { amount, completed_at: at } = data.leg;
    const returned = { amount, currency: data.currency, total, at };
    return toMessage(event, {
      shopId,
      operationId,
      type: `${operation.type}.${data.kind}`,
      sequence: operation.webhooks + index + 1,
      data: { ...ended, returned },
    });
  });
}

function messageAt(
  operation: Operation,
  { event, admittedAt }: { event: StoredEvent; admittedAt: Date },
): ExpectedMessage {
  const { shopId, operationId, webhooks: sequence } = operation;
  const snapshot = { ...snapshotState(operation), created_at: admittedAt.toISOString() };
  return toMessage(event, {
    shopId,
    operationId,
    type: `${operation.type}.${operation.status}`,
    sequence,
    data: {
      shop_id: shopId,
      // Sealed: it is opened in what is sent (openBody).
      operation: {
        ...operationObject('webhook', snapshot),
        ...sealedFields(operation.request),
      },
    },
  });
}

/** The webhook of an event. */
export function toMessage(
  event: StoredEvent,
  {
    data,
    ...message
  }: Pick<NewMessage, 'shopId' | 'operationId' | 'type' | 'sequence'> & { data: object },
): ExpectedMessage {
  const { id, position, created } = event;
  const { type, sequence } = message;
  const body = { id, type, timestamp: created.toISOString(), sequence, data };
  return {
    position,
    message: {
      ...message,
      messageId: id,
      body: JSON.stringify(body),
      occurredAt: created,
      traceparent: event.metadata.traceparent,
    },
  };
}
