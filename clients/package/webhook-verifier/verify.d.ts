export type ReceivedWebhook = {
    /** A request's header by its lower-case name. */
    header(name: string): string | undefined;
    /** The body exactly as received, best as bytes: parse it only after it is verified. */
    body: string | Uint8Array;
};
/** Why a webhook must not be trusted, and what to check. */
export type WebhookRefusal = 
/** It is not from the gateway, or a proxy dropped its headers. */
'headers_missing'
/** It was sent minutes ago, or your clock is off. */
 | 'timestamp_out_of_range'
/** It was signed with another secret than yours: an old one, or another shop's. */
 | 'wrong_secret'
/**
 * It was signed with your secret, but over another body, id or time: was it parsed and written
 * again?
 */
 | 'content_changed'
/** One of the two; the sender gave no hint of the secret. */
 | 'signature_mismatch';
export type WebhookVerdict = {
    valid: true;
    id: string;
} | {
    valid: false;
    code: WebhookRefusal;
};
/**
 * Verifies a webhook before it is trusted (https://www.standardwebhooks.com): its time must be
 * near, and one of its signatures must be made with the shop's secret.
 * @throws when `secret` is not `whsec_` and 24 bytes or more in base64: that is a mistake in the
 * set-up, not in the webhook
 */
export declare function verifyWebhook({ header, body }: ReceivedWebhook, secret: string, options?: {
    nowMs?: number;
    toleranceMs?: number;
}): WebhookVerdict;
/**
 * HMAC-SHA256 of `<id>.<timestamp>.<body>` under a secret. @throws if the secret is invalid; the
 * error does not reveal it
 */
export declare function webhookSignature({ id, timestampS, body }: {
    id: string;
    timestampS: number;
    body: string | Uint8Array;
}, secret: string): Uint8Array;
/** Identifies a secret without revealing it: eight hexadecimal digits of a hash. */
export declare function secretHint(secret: string): string;
/**
 * The key in a secret. Node skips characters that are not base64, and an empty key signs anything,
 * so a secret must encode back to itself. @throws if it is invalid; the error does not reveal it
 */
export declare function secretKey(secret: string): Uint8Array;
