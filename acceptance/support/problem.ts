import { expect } from 'vitest';
import { checklist } from './operation.ts';
import type { Answer, Json } from './answer.ts';

const requestErrors =
  'field_required field_invalid field_unknown scope_field_forbidden amount_invalid method_unknown ' +
  'currency_unknown currency_method_mismatch number_required number_invalid bankname_required ' +
  'bankname_unknown client_ip_invalid identifier_required identifier_ambiguous operation_id_invalid ' +
  'reason_too_long confirmation_type_unknown receipt_required';

/** Every code by its status (R2.1). */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_json invalid_request',
  401: 'admin_token_required admin_token_invalid api_key_required api_key_invalid',
  403: 'receipt_url_invalid forbidden second_member_required',
  404: 'operation_not_found route_not_found not_found',
  405: 'method_not_allowed',
  409:
    'adjustment_conflict client_operations_open too_many_keys too_many_members too_many_links ' +
    'too_many_endpoints account_not_off',
  412:
    'idempotency_body_mismatch cancel_payout_unsupported cancel_not_allowed confirmation_not_expected ' +
    'review_not_allowed close_not_allowed routes_changed finding_changed',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  422: 'provider_not_accepted insufficient_funds',
  429: 'rate_limited',
  500: 'internal_error accounting_inconsistent',
  503: 'accounting_unavailable receipt_evidence_unavailable cancel_undecided not_ready',
};

export const documentedProblemCodes: readonly string[] = Object.values(codes).flatMap((each) =>
  each.split(' '),
);

const leaks =
  /sandbox|node:|node_modules|\.ts:\d|select |insert into|<html|<!doctype|grpc|postgres|ECONN/i;

/**
 * Every way in which an error breaks R2.1; none for a good one. An operator may know the provider.
 */
export function problemFaults(
  { status, headers, body, text }: Answer,
  { path, gateway }: { path: string; gateway: string },
): string[] {
  const { faults, must } = checklist();
  must(/^application\/problem\+json\b/.test(headers.get('content-type') ?? ''), 'content-type');
  if (body === null || typeof body !== 'object') return [...faults, 'no object'];
  must(body.type === `${gateway}/docs/errors/${String(body.code).replaceAll('_', '-')}`, 'type');
  must(typeof body.title === 'string' && body.title !== '', 'title');
  must(body.status === status, 'status');
  must(
    (codes[status] ?? '').split(' ').includes(body.code),
    `code ${body.code} of status ${status}`,
  );
  must(typeof body.detail === 'string' && body.detail !== '', 'detail');
  must(body.message === body.detail, 'message is detail');
  must(body.instance === path || path.includes('%'), 'instance');
  must(body.request_id === headers.get('x-request-id') && Boolean(body.request_id), 'request_id');
  must(typeof body.retryable === 'boolean', 'retryable');
  if (status === 503) must(body.retryable === true, 'retryable at 503');
  if (status === 503 || status === 429)
    must(/^\d+$/.test(headers.get('retry-after') ?? ''), 'retry-after');
  if (body.errors !== undefined) {
    must(Array.isArray(body.errors) && body.errors.length > 0, 'errors');
    for (const error of body.errors ?? []) {
      must(typeof error.pointer === 'string', 'errors[].pointer');
      must(requestErrors.split(' ').includes(error.code), `errors[].code ${error.code}`);
      must(typeof error.detail === 'string' && error.detail !== '', 'errors[].detail');
    }
  }
  must(path.startsWith('/admin/') || !leaks.test(text.replaceAll(path, '')), 'leak');
  return faults;
}

/** The body of an answer with this status. */
export async function expectStatus(answer: Promise<Answer>, status: number): Promise<Json> {
  const { status: is, text, body } = await answer;
  expect(is, text).toBe(status);
  return body;
}

/** The field errors of a refused request, as `pointer code`. */
export async function errorsOf(answer: Promise<Answer>): Promise<string[]> {
  const body = await expectStatus(answer, 400);
  expect(body.code).toBe('invalid_request');
  return body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).toSorted();
}
