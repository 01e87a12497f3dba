import { type ReceivedWebhook, type WebhookRefusal } from '../webhook-verifier/verify.js';
import type { EndpointDisabled, Webhook } from './api.js';
type Types = Webhook['type'];
/** The types for money returned after the end, which name no status. */
type Returned = 'payment.charged_back' | 'payout.returned';
type Split<Type> = Type extends Returned ? {
    type: Type extends 'payment.charged_back' ? 'payment' : 'payout';
} : Type extends `${infer Kind}.${infer Status}` ? {
    type: Kind;
    status: Status;
} : never;
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
        } & (Type extends Returned ? {
            returned: NonNullable<Webhook['data']['returned']>;
        } : unknown);
    };
}[Types];
/** What an operator sends to try an endpoint. */
export type PingEvent = Omit<Webhook, 'type' | 'data'> & {
    type: 'ping';
    data: {
        shop_id: string;
    };
};
/** `EndpointDisabled`: another endpoint of the shop is disabled, or has failed for an hour. */
export type WebhookEvent = OperationEvent | EndpointDisabled | PingEvent;
export type ReadWebhook = {
    valid: true;
    event: WebhookEvent;
}
/** A type of a newer gateway: answer 2xx, and ignore it. */
 | {
    valid: true;
    event: undefined;
    unknownType: string;
} | {
    valid: false;
    code: WebhookRefusal | 'body_invalid';
};
/**
 * Verifies a webhook, then reads it. The same `event.id` may come again: ignore repeats.
 * @throws when `secret` is not `whsec_` and 24 bytes or more in base64
 */
export declare function readWebhook(webhook: ReceivedWebhook, secret: string, options?: {
    nowMs?: number;
    toleranceMs?: number;
}): ReadWebhook;
export {};
