import { expect, it } from 'vitest';
import { redactValue } from '#shared/platform/logging/redact-value.ts';
import type { FieldEntry } from './entry.ts';
import { sealedNames } from './request.ts';
import { operationFields } from './table.ts';

const answers = ['create', 'state', 'list', 'webhook'] as const;

/**
 * Who sees a field: merchants by the API, members and operators among the names and values of a
 * page, whose headings and money are chosen by hand, analysts by SQL.
 */
function readers({ notIn = [], page, column, sealed, cell }: FieldEntry): string {
  const missing = answers.filter((place) => notIn.includes(place));
  return [
    `merchant${missing.length > 0 ? ` but ${missing.join(', ')}` : ''}`,
    ...(page?.on.includes('portal') ? ['member'] : []),
    ...(page?.on.includes('console') ? ['operator'] : []),
    ...(column ? [sealed ? 'analyst encrypted' : 'analyst'] : []),
    ...(cell ? ['csv'] : []),
  ].join(' | ');
}

it('shows each field to those who need it, and requisites to no analyst (R5.1, R17.6)', () => {
  const matrix = Object.entries<FieldEntry>(operationFields).map(
    ([name, entry]) => `${name}: ${readers(entry)}`,
  );
  expect(matrix).toMatchInlineSnapshot(`
    [
      "operation_id: merchant | member | operator | analyst | csv",
      "type: merchant | analyst | csv",
      "status: merchant | analyst | csv",
      "method: merchant | member | operator | analyst | csv",
      "expected_amount: merchant | analyst | csv",
      "actual_amount: merchant | analyst | csv",
      "currency: merchant | analyst | csv",
      "fx_source: merchant | analyst | csv",
      "fx_rate: merchant | analyst | csv",
      "recorded_currency: merchant | analyst | csv",
      "recorded_amount: merchant | analyst | csv",
      "settlement_amount: merchant | analyst | csv",
      "settlement_currency: merchant | analyst | csv",
      "commission_amount: merchant | analyst | csv",
      "external_confirmation: merchant",
      "number: merchant but list, webhook | member",
      "name: merchant but list, webhook | member",
      "bankname: merchant but list | analyst | csv",
      "bankname_details: merchant but list | member | analyst | csv",
      "transfer_purpose: merchant but list | member",
      "expires_at: merchant | member | analyst | csv",
      "manual_check_reason: merchant | member | analyst | csv",
      "metadata: merchant | member | operator | analyst encrypted | csv",
      "decline_reason: merchant | analyst | csv",
      "merchant_operation_id: merchant but create | member | operator | analyst | csv",
      "client_id: merchant but create | member | operator | analyst | csv",
      "created_at: merchant but create | analyst | csv",
      "returned_amount: merchant but create, webhook | csv",
    ]
  `);
});

it('has every encrypted field redacted in logs (R17.9)', () => {
  for (const name of sealedNames)
    expect(redactValue({ [name]: 'a' })).toEqual({ [name]: '[redacted]' });
});
