import { z } from 'zod';
import { batchSchema, checkedBatchSchema } from '../../bodies/payout-batches.ts';
import { payoutFileColumns, xlsxType } from '#shared/application/payout-batches/read-file.ts';
import { payoutBodies } from './examples.ts';
import { example, pathIdParameter, type EndpointText } from '../endpoint.ts';

const path = '/v1/payout-batches';
const id = pathIdParameter('batch_id', 'batch');
const checked = {
  batch_id: '5b1f6c1e-3a52-8d3e-9b1c-2f4a6c8e0d12',
  status: 'checked',
  rows: 2,
  total: { RUB: '150.00' },
  errors: [],
};
const rows = Object.values(payoutBodies).map(({ value }, index) => {
  const body: Readonly<Record<string, string>> = {
    ...value,
    merchant_operation_id: `payout-${index + 1}`,
  };
  return payoutFileColumns.map((name) => body[name] ?? '').join(',');
});
const file = `${[payoutFileColumns.join(','), ...rows].join('\n')}\n`;

export const payoutBatchEndpoints: readonly EndpointText[] = [
  {
    tag: 'Payouts',
    scope: 'payouts',
    method: 'post',
    path,
    id: 'checkPayoutBatch',
    summary: 'Check a file of payouts',
    description:
      'Checks a file, CSV or .xlsx, as a whole, and creates nothing. Each row is a request to create a payout, with the same rules; an empty cell is an absent field. At most 10,000 rows and 5 MiB. The same rows sent again, in any of these forms, are not paid twice: they are the same batch. Numbers and names are stored encrypted. A file costs a token for each row, from a bucket of the shop’s files that fills as that of a key: after a large one the next is 429 until its rows are paid. One file of a shop is checked at a time.',
    body: {
      contentType: 'text/csv',
      fileType: xlsxType,
      name: 'PayoutFile',
      schema: z.string().meta({
        description:
          'The columns `merchant_operation_id`, `client_id`, `method`, `amount`, `currency`, `number`, `name` and `bankname`, named in the first line. As spreadsheets write it: separated by commas, semicolons or tabs, in UTF-8, UTF-16 or windows-1251.',
      }),
      examples: example('A payout by each method', file),
    },
    answer: {
      status: 201,
      description: 'The batch, with the errors of its rows',
      name: 'CheckedPayoutBatch',
      schema: checkedBatchSchema,
      examples: example('Without errors', checked),
    },
    problems: ['invalid_request', 'body_too_large', 'content_type_unsupported'],
    fields: [
      ['field_required', '/amount'],
      ['field_invalid', '/amount'],
      ['field_unknown', '/sum'],
      ['scope_field_forbidden', '/shop_id'],
    ],
  },
  {
    tag: 'Payouts',
    scope: 'payouts',
    method: 'post',
    path: `${path}/{batch_id}/confirm`,
    id: 'confirmPayoutBatch',
    summary: 'Confirm a file of payouts',
    description:
      'From now on the payouts of the rows are created, each under its `merchant_operation_id`: one that exists is not created again. Confirmed again nothing changes. If a client of the shop was erased since the check, it is 412: send the file again. In a shop whose files of payouts need a second member, no key confirms one: it is confirmed in the portal, by another member than the one who uploaded it.',
    parameters: [id],
    answer: {
      status: 202,
      description: 'The batch runs',
      name: 'PayoutBatch',
      schema: batchSchema,
      examples: example('It runs', { ...checked, status: 'running', created: 0, failed: 0 }),
    },
    problems: ['second_member_required', 'not_found', 'confirmation_not_expected'],
  },
  {
    tag: 'Payouts',
    scope: 'read',
    method: 'get',
    path: `${path}/{batch_id}`,
    id: 'getPayoutBatch',
    summary: 'Read the progress of a file of payouts',
    description:
      '`created` and `failed` count the rows so far. `done`: each row has its result. What becomes of a payout afterwards is told by its operation and its webhooks.',
    parameters: [id],
    answer: {
      status: 200,
      description: 'The batch',
      name: 'PayoutBatch',
      schema: batchSchema,
      examples: example('Done', { ...checked, status: 'done', created: 1, failed: 1 }),
    },
    problems: ['not_found'],
  },
  {
    tag: 'Payouts',
    scope: 'read',
    method: 'get',
    path: `${path}/{batch_id}/result.csv`,
    id: 'getPayoutBatchResult',
    summary: 'Export the result of a file of payouts',
    description:
      'A row for each row of the file so far: `row`, which counts from 1 below the header, `merchant_operation_id`, `operation_id`, `status` (`created` or `failed`), the `code` of a failed one, as the create request is refused with, `personal_data_erased` or `internal_error`, and what became of the payout so far: its `operation_status` and `decline_reason`, as in GET /v1/operations; empty where there is no payout yet, and while the lists are unavailable.',
    parameters: [id],
    answer: { status: 200, description: 'The file', contentTypes: ['text/csv'] },
    problems: ['not_found'],
  },
];
