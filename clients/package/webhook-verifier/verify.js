import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
const defaultToleranceMs = 5 * 60_000;
const secretPrefix = 'whsec_';
/** The minimum that Standard Webhooks requires. */
const minKeyBytes = 24;
/**
 * Verifies a webhook before it is trusted (https://www.standardwebhooks.com): its time must be
 * near, and one of its signatures must be made with the shop's secret.
 * @throws when `secret` is not `whsec_` and 24 bytes or more in base64: that is a mistake in the
 * set-up, not in the webhook
 */
export function verifyWebhook({ header, body }, secret, options = {}) {
    const id = header('webhook-id');
    const timestamp = header('webhook-timestamp');
    const signatures = header('webhook-signature');
    if (!id || !timestamp || !signatures)
        return { valid: false, code: 'headers_missing' };
    const { nowMs = Date.now(), toleranceMs = defaultToleranceMs } = options;
    const timestampS = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
    if (!(Math.abs(timestampS * 1000 - nowMs) <= toleranceMs)) {
        return { valid: false, code: 'timestamp_out_of_range' };
    }
    const expected = webhookSignature({ id, timestampS, body }, secret);
    const matches = signatures
        .split(' ', 10)
        .filter((part) => part.startsWith('v1,'))
        .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
        .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
    if (matches)
        return { valid: true, id };
    // Only for the error text: a forged webhook may have a forged hint as well.
    const hints = header('webhook-secret-hint')?.split(' ', 10);
    if (!hints)
        return { valid: false, code: 'signature_mismatch' };
    return {
        valid: false,
        code: hints.includes(secretHint(secret)) ? 'content_changed' : 'wrong_secret',
    };
}
/**
 * HMAC-SHA256 of `<id>.<timestamp>.<body>` under a secret. @throws if the secret is invalid; the
 * error does not reveal it
 */
export function webhookSignature({ id, timestampS, body }, secret) {
    return createHmac('sha256', secretKey(secret))
        .update(`${id}.${timestampS}.`, 'utf8')
        .update(body)
        .digest();
}
/** Identifies a secret without revealing it: eight hexadecimal digits of a hash. */
export function secretHint(secret) {
    return createHash('sha256').update(secretKey(secret)).digest('hex').slice(0, 8);
}
/**
 * The key in a secret. Node skips characters that are not base64, and an empty key signs anything,
 * so a secret must encode back to itself. @throws if it is invalid; the error does not reveal it
 */
export function secretKey(secret) {
    const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
    const key = Buffer.from(text, 'base64');
    if (key.length < minKeyBytes || key.toString('base64') !== text)
        throw new Error(`a webhook secret must be whsec_ and at least ${minKeyBytes} bytes in base64`);
    return key;
}
