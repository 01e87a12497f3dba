import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import { currencies } from '#shared/domain/currencies.ts';
import {
  filter,
  identifierSchema,
  timeSchema,
  type EndpointText,
  type Parameter,
} from '../endpoint.ts';

const period = (what: string, from: string, to: string): Parameter[] => [
  filter(
    from,
    `Only ${what} at or after this time (RFC 3339; encode \`+\` as \`%2B\`).`,
    timeSchema,
  ),
  filter(to, `Only ${what} before this time.`, timeSchema),
];

type File = Pick<EndpointText, 'path' | 'id' | 'tag' | 'summary' | 'description' | 'parameters'> & {
  field: string;
};

const format =
  'CSV (RFC 4180) in UTF-8, of any size, streamed. Find columns by name: new ones may be added. Amounts are exact decimals, times RFC 3339 in UTC. Where text of yours would be a formula in a spreadsheet, an apostrophe is put before it. A file that breaks off ends with a broken connection. At most three files at a time: one more is 429.';

export const file = ({ description, field, ...about }: File): EndpointText => ({
  method: 'get',
  ...about,
  description: `${description} ${format}`,
  scope: 'read',
  answer: { status: 200, description: 'The file', contentTypes: ['text/csv'] },
  problems: ['invalid_request'],
  fields: [
    ['field_invalid', field],
    ['field_unknown', '/limit'],
    ['scope_field_forbidden', '/shop_id'],
  ],
});

export const exportEndpoints: readonly EndpointText[] = [
  file({
    path: '/v1/operations.csv',
    id: 'exportOperations',
    tag: 'Operations',
    summary: 'Export the operations',
    description:
      'The shop’s payments and payouts that match all filters, newest first, with `metadata` as JSON.',
    parameters: [
      filter('type', 'Only operations of this type.', { type: 'string', enum: operationTypes }),
      filter('status', 'Only operations with this status.', {
        type: 'string',
        enum: shownStatuses,
      }),
      filter('merchant_operation_id', 'Only the operation with this ID.', identifierSchema),
      filter('client_id', 'Only operations of this end user.', identifierSchema),
      ...period('operations created', 'created_from', 'created_to'),
    ],
    field: '/created_from',
  }),
  file({
    path: '/v1/journal.csv',
    id: 'exportJournal',
    tag: 'Account',
    summary: 'Export the ledger entries',
    description:
      'The entries that move the shop’s money, by currency in the order of its ledger, with the balance after each.',
    parameters: [
      filter('currency', 'Only entries in this currency.', { type: 'string', enum: currencies }),
      ...period('entries posted', 'posted_from', 'posted_to'),
    ],
    field: '/currency',
  }),
  file({
    path: '/v1/webhook-deliveries.csv',
    id: 'exportDeliveries',
    tag: 'Account',
    summary: 'Export the webhook deliveries',
    description:
      'The shop’s webhooks, newest first, a row for each attempt, without what was sent and answered.',
    parameters: [
      filter('operation_id', 'Only webhooks of this operation.', {
        type: 'string',
        format: 'uuid',
      }),
      filter('status', 'Only webhooks with this status.', {
        type: 'string',
        enum: messageStatuses,
      }),
      ...period('webhooks recorded', 'created_from', 'created_to'),
    ],
    field: '/status',
  }),
];
