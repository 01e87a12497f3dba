import { verifyWebhook, } from '../webhook-verifier/verify.js';
const knownTypes = {
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
export function readWebhook(webhook, secret, options = {}) {
    const verdict = verifyWebhook(webhook, secret, options);
    if (!verdict.valid)
        return verdict;
    const { body } = webhook;
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const event = parse(text);
    if (typeof event?.type !== 'string')
        return { valid: false, code: 'body_invalid' };
    if (!Object.hasOwn(knownTypes, event.type))
        return { valid: true, event: undefined, unknownType: event.type };
    return { valid: true, event: event };
}
function parse(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && value !== null ? value : undefined;
    }
    catch {
        return undefined;
    }
}
