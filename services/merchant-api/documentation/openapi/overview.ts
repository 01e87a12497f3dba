/**
 * What holds for every endpoint: the first page of the reference, in Markdown of headings,
 * paragraphs and lists.
 */
export const overview = `
Payments and payouts for merchants. A payment collects money from a payer, a payout sends money out; the gateway routes each to a provider. Every request is bound to one shop by its API key.

## Authentication

Every request below \`/v1\` needs the header \`X-API-Key\`. Without a valid key everything below \`/v1\` is 401, whatever else is wrong with the request. \`merchant_id\` and \`shop_id\` are never sent.

## Idempotency

\`merchant_operation_id\` is the permanent key of an operation within the shop. The same key with the same body returns the operation as it is now and the header \`Idempotent-Replayed: true\`; with another body it is 412. After a timeout or a 5xx, send the same request again: nothing is done twice.

## Money

Amounts are decimal strings with two places, such as \`"100.00"\`. Read them as decimals, never as binary floating point.

## Errors

Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`detail\` and \`title\` are for people and may change. \`errors\` names every invalid field at once. \`request_id\` is what to quote to the operator; send your own in \`x-request-id\` (letters, digits, \`.\`, \`_\` and \`-\`, at most 64). \`retryable\` says whether the same request may succeed later. Beside what each endpoint lists, an unknown path is 404 \`route_not_found\`, a wrong method is 405 \`method_not_allowed\`, and a request that is no HTTP/1.1, has more than 16 KiB of headers or takes more than a minute to arrive is 400 \`invalid_request\`.

Unknown fields in a body are refused. In answers, ignore fields that you do not know: more may be added.

## Rate limits

Each API key has a bucket of requests that fills evenly: 200 at once and 100 a second, unless the shop has limits of its own. \`RateLimit-Limit\` is the bucket's size, \`RateLimit-Remaining\` what is left in it, \`RateLimit-Reset\` the seconds until it is full, and \`RateLimit-Policy\` its size with the seconds in which it fills from empty. Past it: 429 with \`Retry-After\`. All instances of the gateway share the count, a tenth of a second behind each other.

## Webhooks

An operation that reaches a terminal status, or awaits confirmation, is sent to the shop's webhook URL. Webhooks are the primary signal; each is delivered at least once, in order within an operation, signed as [Standard Webhooks](https://www.standardwebhooks.com) describes.
`.trim();
