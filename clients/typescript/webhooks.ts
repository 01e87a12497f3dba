import {
  verifyWebhook,
  type ReceivedWebhook,
  type WebhookRefusal,
} from '../webhook-verifier/verify.ts';
import type { EndpointDisabled, Webhook } from './api.ts';

type Types = Webhook['type'];
/** The types for money returned after the end, which name no status. */
type ReturnEventType = 'payment.charged_back' | 'payout.returned';
type Split<Type> = Type extends ReturnEventType
  ? { type: Type extends 'payment.charged_back' ? 'payment' : 'payout' }
  : Type extends `${infer Kind}.${infer Status}`
    ? { type: Kind; status: Status }
    : never;

/**
 * An operation has ended or awaits confirmation, and `type` has its type and status; or money of an
 * operation was returned after its end.
 */
export type OperationEvent = {
  [Type in Types]: Omit<Webhook, 'type' | 'data'> & {
    type: Type;
    data: {
      shop_id: string;
      operation: Webhook['data']['operation'] & Split<Type>;
    } & (Type extends ReturnEventType
      ? { returned: NonNullable<Webhook['data']['returned']> }
      : unknown);
  };
}[Types];

/** What an operator sends to try an endpoint. */
export type PingEvent = Omit<Webhook, 'type' | 'data'> & {
  type: 'ping';
  data: { shop_id: string };
};

/** `EndpointDisabled`: another endpoint of the shop is disabled, or has failed for an hour. */
export type WebhookEvent = OperationEvent | EndpointDisabled | PingEvent;

export type ReadWebhook =
  | { valid: true; event: WebhookEvent }
  /** A type of a newer gateway: answer 2xx, and ignore it. */
  | { valid: true; event: undefined; unknownType: string }
  | { valid: false; code: WebhookRefusal | 'body_invalid' };

const knownTypes: Readonly<Record<WebhookEvent['type'], true>> = {
  'payment.awaiting_confirmation': true,
  'payment.completed': true,
  'payment.partially_completed': true,
  'payment.declined': true,
  'payment.expired': true,
  'payment.cancelled': true,
  'payment.charged_back': true,
  'payout.completed': true,
  'payout.partially_completed': true,
  'payout.declined': true,
  'payout.returned': true,
  'endpoint.disabled': true,
  ping: true,
};

/**
 * Verifies a webhook, then reads it. The same `event.id` may come again: ignore repeats.
 * @throws when `secret` is not `whsec_` and 24 bytes or more in base64
 */
export function readWebhook(
  webhook: ReceivedWebhook,
  secret: string,
  options: { nowMs?: number; toleranceMs?: number } = {},
): ReadWebhook {
  const verdict = verifyWebhook(webhook, secret, options);
  if (!verdict.valid) return verdict;
  const { body } = webhook;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const event = parse(text);
  if (typeof event?.type !== 'string') return { valid: false, code: 'body_invalid' };
  if (!Object.hasOwn(knownTypes, event.type))
    return { valid: true, event: undefined, unknownType: event.type };
  return { valid: true, event: event as WebhookEvent };
}

function parse(text: string): { type?: unknown } | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
