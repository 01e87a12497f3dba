/**
 * What holds for every endpoint: the first page of the reference, in Markdown of headings,
 * paragraphs and lists.
 */
export const overview = `
Payments and payouts for merchants. A payment collects money from a payer, a payout sends money out; the gateway routes each to a provider. Every request is bound to one shop by its API key.

## Authentication

Every request below \`/v1\` needs the header \`X-API-Key\`. Without a valid key every request below \`/v1\` is 401, whatever else is wrong with it. Never send \`merchant_id\` or \`shop_id\`: the key determines both.

A key may be limited: until a time (then 401), to addresses (else 403 \`forbidden\`), and to the scopes \`payments\` (create, confirm and cancel payments), \`payouts\` (create payouts) and \`read\` (every GET, and the state of an operation). A key without scopes may do everything.

## Idempotency

\`merchant_operation_id\` is the permanent key of an operation within the shop. The same key with the same body returns the current state of the operation, with the header \`Idempotent-Replayed: true\`; with another body it is 412. After a timeout or a 5xx, retry the same request: nothing is done twice.

## Money

Amounts are decimal strings with two places, such as \`"100.00"\`. Parse them as decimals, never as binary floating point.

## Errors

Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`; \`detail\` and \`title\` are for people and may change. \`errors\` lists all invalid fields at once. Quote the \`request_id\` when you contact the operator; you can send your own in \`x-request-id\` (letters, digits, \`.\`, \`_\` and \`-\`, at most 64). \`retryable\` says whether the same request may succeed later. In addition to the errors listed for each endpoint, an unknown path is 404 \`route_not_found\`, a wrong method is 405 \`method_not_allowed\`, and a request that is not valid HTTP/1.1, has more than 16 KiB of headers or takes more than a minute to arrive is 400 \`invalid_request\`.

Unknown fields in a body are refused. In responses, ignore unknown fields: new ones may be added.

## Versions

The version is in the path: \`/v1\`. Within it we only add: endpoints, optional fields of requests, fields of responses and webhooks, types of webhooks, codes of errors. What exists keeps its name, type and meaning; statuses and \`decline_reason\` are closed lists. A change that could break a program would be \`/v2\`, beside \`/v1\`.

## Rate limits

Each API key has a token bucket: 100 requests a second with bursts of 200, unless other limits are set for the shop. \`RateLimit-Limit\` is the size of the bucket, \`RateLimit-Remaining\` the number of requests left, \`RateLimit-Reset\` the seconds until the bucket is full, and \`RateLimit-Policy\` its size with the seconds in which an empty bucket fills. Requests beyond the limit get a 429 with \`Retry-After\`, which includes up to 2 random seconds, or more if it is long. All instances of the gateway share the count, with a delay of a tenth of a second.

## Webhooks

An operation that reaches a terminal status, or awaits confirmation, is sent to the shop's webhook endpoints, at most ten, each with its own URL, types and secret. Webhooks are the primary signal. Each is delivered at least once, in order within an operation, and signed according to [Standard Webhooks](https://www.standardwebhooks.com).
`.trim();
