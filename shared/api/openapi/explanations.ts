import type { ProblemCode } from '#shared/platform/http/problems.ts';

/**
 * What a code means and what to do about it: shown in the reference and on the page that `type`
 * links to.
 */
export type Explanation = { meaning: string; action: string };

const correct = 'Correct the request; the same one will be refused again.';
const contact =
  'Retry once; if the error persists, contact the gateway’s operator with the `request_id`.';
const again = 'Retry the same request after the time in `Retry-After`, with increasing delays.';

/** Every code that an error of the gateway can have. */
export const problemExplanations: Readonly<Record<ProblemCode, Explanation>> = {
  invalid_json: {
    meaning:
      'The body is not JSON in UTF-8, or nests more than 64 levels deep. `detail` names the line and the column.',
    action: correct,
  },
  invalid_request: {
    meaning:
      'The request can’t be read or has invalid fields. `errors` lists every invalid field with a JSON pointer (RFC 6901) and its own code; it is absent if the whole request can’t be read. `detail` is the first of them as a sentence.',
    action: 'Correct every field in `errors`; the same request will be refused again.',
  },
  api_key_required: {
    meaning: 'The request has no `X-API-Key` header. This is checked before anything else.',
    action: 'Send the shop’s API key in the header `X-API-Key`, not in `Authorization`.',
  },
  api_key_invalid: {
    meaning: 'The API key is unknown, was revoked or has expired; the response does not say which.',
    action: 'Check that the key is complete and belongs to this environment, or request a new one.',
  },
  admin_token_required: {
    meaning: 'The admin API needs `Authorization: Bearer <token>`.',
    action: 'Send an admin token.',
  },
  admin_token_invalid: {
    meaning: 'The admin token is unknown or no longer valid.',
    action: 'Use a valid token.',
  },
  signature_invalid: {
    meaning: 'A provider’s callback is not signed with the secret that it shares with the gateway.',
    action: 'Check the secret on both sides. The report of the callback was not recorded.',
  },
  receipt_url_invalid: {
    meaning: 'The download link of a receipt has expired after 15 minutes, or was altered.',
    action: 'Read the operation’s state again: the response has a new link.',
  },
  forbidden: {
    meaning:
      'The API key is limited to other addresses or to other scopes, as `detail` says; or the admin token’s role does not allow this.',
    action: 'Use a key that is issued for this address and scope, or a token with a suitable role.',
  },
  second_member_required: {
    meaning:
      'The shop’s files of payouts need a second member: a file is confirmed in the portal, by another member than the one who uploaded it. An API key can upload a file, and confirms none.',
    action:
      'Ask an admin of the shop who did not upload the file to confirm it in the portal; read the batch until it runs.',
  },
  operation_not_found: {
    meaning:
      'The shop has no such operation. Another shop’s operation, and one that is still being created, get the same error as one that never existed.',
    action:
      'Check the identifier. While its create request is in progress, retry after the response to it.',
  },
  route_not_found: {
    meaning: 'The path does not exist.',
    action: 'Check the path and that the base URL does not end in `/v1`.',
  },
  not_found: {
    meaning:
      'The shop has no such webhook endpoint, or the object that an admin request names does not exist.',
    action: 'Check its id.',
  },
  method_not_allowed: {
    meaning: 'The path exists, but not with this method; `Allow` lists the allowed methods.',
    action: 'Use a method that `Allow` lists.',
  },
  client_operations_open: {
    meaning:
      'The erasure of a client’s personal data was requested while an operation of the client is open.',
    action: 'Repeat the request once all operations of the client have a terminal status.',
  },
  too_many_keys: {
    meaning: 'A shop can have at most 100 valid API keys, and 10,000 over its lifetime.',
    action: 'Revoke a key that is no longer used.',
  },
  too_many_endpoints: {
    meaning: 'A shop can have at most 10 webhook endpoints, and 1,000 over its lifetime.',
    action: 'Delete an endpoint that is no longer used.',
  },
  too_many_members: {
    meaning: 'A shop can have at most 100 members, and 1,000 over its lifetime.',
    action: 'Remove a member who no longer uses the portal.',
  },
  too_many_links: {
    meaning: 'A member of a shop can get at most 30 sign-in links in 24 hours.',
    action: 'Use the newest link, or retry later.',
  },
  routes_changed: {
    meaning: 'The shop’s routes have changed since they were read (`replaces`).',
    action: 'Read the routes again, and repeat the change.',
  },
  finding_changed: {
    meaning:
      'The amounts of the finding in a provider’s statement have changed since they were read.',
    action: 'Read the finding again, and close it with its current amounts.',
  },
  account_not_off: {
    meaning: 'Only an account that is switched off can be removed.',
    action: 'Switch the account off first, so that operations no longer use it.',
  },
  adjustment_conflict: {
    meaning: 'The `adjustment_id` was used before, with another body.',
    action: 'Use a new id for a new adjustment.',
  },
  idempotency_body_mismatch: {
    meaning:
      'The `merchant_operation_id` was used before, for another kind of operation or with another body. Two bodies are the same if they have the same JSON value: key order and white space do not matter; an empty field differs from an absent one.',
    action:
      'Repeat the first request exactly, or use a new `merchant_operation_id` for a new operation.',
  },
  cancel_payout_unsupported: {
    meaning: 'The identifier is that of a payout; only payments can be cancelled.',
    action: 'Wait for the payout to finish.',
  },
  cancel_not_allowed: {
    meaning: 'A receipt of the payment is under review, or money was already received for it.',
    action: 'Wait for the payment to finish.',
  },
  confirmation_not_expected: {
    meaning:
      'The operation expects no receipt, or another one is under review. Or: the file of payouts has errors.',
    action:
      'Read the operation’s state: a receipt is accepted only in `awaiting_confirmation`. Correct the rows of the file, and send it as a new one.',
  },
  review_not_allowed: {
    meaning: 'The operation is not under review, or its review does not allow this decision.',
    action: 'Read the operation again.',
  },
  close_not_allowed: {
    meaning:
      'The operation has a terminal status, is too recent, has a receipt under review, or its provider has accepted it and reports no terminal status that can be applied, and `force` was not sent.',
    action: 'Read the operation again.',
  },
  body_too_large: {
    meaning: 'A JSON body may have up to 64 KiB, a receipt up to 10 MiB.',
    action: 'Send a smaller body.',
  },
  content_type_unsupported: {
    meaning:
      'The `Content-Type` is missing or not accepted by the endpoint, or the body has a `Content-Encoding`.',
    action: 'Send `application/json` (a receipt: `multipart/form-data`), not compressed.',
  },
  provider_not_accepted: {
    meaning:
      'No provider accepted the operation: all refused, none is configured for it, one responded with an error, or the acceptance wait timed out; `detail` says which. The operation exists with status `declined`, and the response has its `operation_id`. The same request always gets the same response.',
    action: 'Use a new `merchant_operation_id` for a new attempt.',
  },
  insufficient_funds: {
    meaning:
      'The payout would take the shop’s balance below its overdraft limit in that currency. The operation exists with status `declined`; the same request always gets the same response.',
    action: 'Top up the balance, and use a new `merchant_operation_id` for a new attempt.',
  },
  rate_limited: {
    meaning:
      'The API key has exceeded its rate limit, or all keys of the shop together twice that limit; the `RateLimit-*` headers of every response show the remaining requests.',
    action: 'Wait for the seconds in `Retry-After`. The request was not executed.',
  },
  internal_error: {
    meaning: 'The gateway failed unexpectedly.',
    action: `${contact} A create or a cancel can safely be repeated: it is not done twice.`,
  },
  accounting_inconsistent: {
    meaning: 'The shop’s ledger is inconsistent; no balance is returned rather than a wrong one.',
    action: 'Contact the gateway’s operator with the `request_id`.',
  },
  accounting_unavailable: { meaning: 'The ledger can’t be read at the moment.', action: again },
  receipt_evidence_unavailable: {
    meaning:
      'The provider’s receipts are not available at the moment. The operation’s state is known: a read by `merchant_operation_id` returns it without receipts.',
    action: again,
  },
  cancel_undecided: {
    meaning: 'No decision was made in time: the payment may or may not be cancelled.',
    action: 'Send the same cancel again, or read the operation’s state.',
  },
  not_ready: {
    meaning:
      'The gateway can’t serve requests at the moment. After a create or a cancel the outcome is unknown; repeat the same request to get it.',
    action: again,
  },
};

/** The codes of single fields, `errors[].code`. */
export const fieldExplanations = {
  field_required: 'The field is missing.',
  field_invalid:
    'The field is null, empty, of another type, longer than 512 characters, or holds U+0000 or a lone surrogate; it is no value of its list, or a URL that webhooks are not sent to.',
  field_unknown: 'The field is unknown. Unknown fields are refused so that typos are noticed.',
  scope_field_forbidden:
    '`merchant_id` and `shop_id` are fixed by the API key and must not be sent.',
  amount_invalid:
    'The amount is not a string such as `"100.00"`: more than zero, exactly two decimals, at most 15 digits before the point, no sign, no leading zeros.',
  method_unknown: 'The method is not one that `GET /v1/methods` lists.',
  currency_unknown: 'The currency is not one that `GET /v1/methods` lists.',
  currency_method_mismatch: 'The method does not support this currency.',
  number_required: 'A payout needs the recipient’s number.',
  number_invalid:
    'A card number has 12 to 19 digits, with optional spaces and hyphens; a phone number has 10 to 15 digits with an optional leading `+` and nothing else.',
  bankname_required: 'A payout by phone number needs the recipient’s bank.',
  bankname_unknown: 'The bank is not one that `GET /v1/methods` lists for the method.',
  client_ip_invalid: 'The address is neither IPv4 nor IPv6.',
  identifier_required: 'Neither `operation_id` nor `merchant_operation_id` was sent.',
  identifier_ambiguous: 'Both `operation_id` and `merchant_operation_id` were sent.',
  operation_id_invalid: 'The `operation_id` is not a UUID.',
  reason_too_long: 'The reason has more than 2048 bytes in UTF-8.',
  confirmation_type_unknown: 'The only type of confirmation is `receipt`.',
  receipt_required: 'The file is missing or empty.',
} as const;

export type FieldCode = keyof typeof fieldExplanations;
