import { z } from 'zod';
import { cancelBodySchema } from '../../bodies/cancel.ts';
import { confirmFieldsSchema } from '../../bodies/confirm.ts';
import { operationReferenceSchema } from '../../bodies/operation-reference.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import {
  cancellationSchema,
  operationListSchema,
  operationSchema,
  operationStateSchema,
} from '../answers.ts';
import { filter, identifierSchema, timeSchema, type EndpointText } from '../endpoint.ts';
import * as example from './examples.ts';

const fields = [
  ['identifier_required', ''],
  ['identifier_ambiguous', ''],
  ['operation_id_invalid', '/operation_id'],
  ['field_invalid', '/merchant_operation_id'],
  ['field_unknown', '/operationId'],
  ['scope_field_forbidden', '/shop_id'],
] as const;

const confirmForm = confirmFieldsSchema.extend({
  receipt: z.file().mime('application/pdf').meta({ description: 'The file, a PDF.' }),
});

const exactlyOne = {
  oneOf: [{ required: ['operation_id'] }, { required: ['merchant_operation_id'] }],
};
const operationId = { operation_id: example.pendingPayment.operation_id };
const merchantOperationId = { merchant_operation_id: 'order-1' };
const references = {
  operation_id: { summary: 'By the gateway’s id', value: operationId },
  merchant_operation_id: { summary: 'By the merchant operation ID', value: merchantOperationId },
};

const {
  number: _,
  name: __,
  bankname: ___,
  bankname_details: ____,
  ...listed
} = example.pendingPayment;

export const operationEndpoints: readonly EndpointText[] = [
  {
    method: 'get',
    path: '/v1/operations',
    id: 'listOperations',
    tag: 'Operations',
    summary: 'List the operations',
    description:
      'The shop’s payments and payouts that match all filters, newest first, without `number`, `name`, `bankname` and `bankname_details`. The list may be slightly stale: `as_of` is the time of its state. For the current state of an operation, read that operation. Every page has the `as_of` of the first one. To poll for new operations, start the next list with `created_from` at the last `as_of`, and skip operations that you already have.',
    scope: 'read',
    parameters: [
      filter('type', 'Returns only operations of this type.', {
        type: 'string',
        enum: operationTypes,
      }),
      filter('status', 'Returns only operations with this status.', {
        type: 'string',
        enum: shownStatuses,
      }),
      filter(
        'merchant_operation_id',
        'Returns only the operation with this `merchant_operation_id`.',
        identifierSchema,
      ),
      filter('client_id', 'Returns only operations of this end user.', identifierSchema),
      filter(
        'created_from',
        'Returns only operations created at or after this time (RFC 3339; encode `+` as `%2B`).',
        timeSchema,
      ),
      filter('created_to', 'Returns only operations created before this time.', timeSchema),
      filter('limit', 'The maximum number of operations per page.', {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        default: 50,
      }),
      filter('cursor', 'The `next_cursor` of the previous page.', { type: 'string' }),
    ],
    answer: {
      status: 200,
      description: 'One page of the list',
      name: 'OperationList',
      schema: operationListSchema,
      examples: {
        page: {
          summary: 'The last page',
          value: {
            operations: [
              {
                ...listed,
                ...example.exampleIds,
              },
            ],
            next_cursor: null,
            as_of: '2026-01-31T12:00:30.000Z',
          },
        },
      },
    },
    problems: ['invalid_request'],
    fields: [
      ['field_invalid', '/status'],
      ['field_unknown', '/state'],
      ['scope_field_forbidden', '/shop_id'],
    ],
  },
  {
    method: 'post',
    path: '/v1/get_operation_state',
    id: 'getOperationState',
    tag: 'Operations',
    summary: 'Read an operation',
    description:
      'Send exactly one of the identifiers. The state is never older than one that a response or a webhook has already shown. Webhooks are the primary signal; polling is a fallback.\n\nWhen the receipts are unavailable, a read by `operation_id` returns 503, and one by `merchant_operation_id` returns 200 with `receipt_evidence_status: unavailable` and no receipts.',
    scope: 'read',
    body: {
      contentType: 'application/json',
      name: 'OperationReference',
      schema: operationReferenceSchema,
      rules: exactlyOne,
      examples: references,
    },
    answer: {
      status: 200,
      description: 'The operation with its receipts',
      name: 'OperationState',
      schema: operationStateSchema,
      examples: {
        pending: {
          summary: 'In progress',
          value: {
            ...example.pendingPayment,
            ...example.exampleIds,
            receipt_evidence_status: 'not_ready',
            receipts: [],
          },
        },
        completed: { summary: 'Completed', value: example.completedPayment },
        manual_check: {
          summary: 'A receipt is under review',
          value: {
            ...example.awaitingConfirmation,
            status: 'manual_check',
            ...example.exampleIds,
            manual_check_reason: 'not_terminal',
            receipt_evidence_status: 'not_ready',
            receipts: [],
          },
        },
      },
    },
    problems: ['operation_not_found', 'receipt_evidence_unavailable'],
    fields,
  },
  {
    method: 'post',
    path: '/v1/cancel_operation',
    id: 'cancelOperation',
    tag: 'Payments',
    summary: 'Cancel a payment',
    description:
      'The decision is immediate and final, and does not wait for the provider; a repeat returns the first decision. While the create request is in progress, or before it is sent, cancel by `merchant_operation_id`: the payment is then cancelled before it can have requisites. Payouts can’t be cancelled.',
    scope: 'payments',
    body: {
      contentType: 'application/json',
      name: 'CancelOperation',
      schema: cancelBodySchema,
      rules: exactlyOne,
      examples: {
        ...references,
        reason: {
          summary: 'With a reason',
          value: { ...operationId, reason: 'the customer changed their mind' },
        },
      },
    },
    answer: {
      status: 200,
      description: 'The decision',
      name: 'Cancellation',
      schema: cancellationSchema,
      examples: {
        cancelled: {
          summary: 'Cancelled',
          value: {
            outcome: 'cancelled',
            operation: { ...operationId, type: 'payment', status: 'cancelled' },
          },
        },
        already_terminal: {
          summary: 'Already finished',
          value: {
            outcome: 'already_terminal',
            operation: { ...operationId, type: 'payment', status: 'completed' },
          },
        },
      },
    },
    problems: [
      'operation_not_found',
      'cancel_payout_unsupported',
      'cancel_not_allowed',
      'cancel_undecided',
    ],
    fields: [...fields, ['reason_too_long', '/reason']],
  },
  {
    method: 'post',
    path: '/v1/confirm_payment',
    id: 'confirmPayment',
    tag: 'Payments',
    summary: 'Confirm a payment with a receipt',
    description:
      'For a payment with status `awaiting_confirmation`. The parts may be in any order; the file may have up to 10 MiB. A file that is not a PDF is accepted and becomes `manual_check` with the reason `not_terminal`. Uploading the same bytes again, even after the decision, returns the current state of the operation.',
    scope: 'payments',
    body: { contentType: 'multipart/form-data', name: 'ConfirmPayment', schema: confirmForm },
    answer: {
      status: 200,
      description: 'The payment',
      name: 'Operation',
      schema: operationSchema,
      examples: {
        uploaded: {
          summary: 'The provider has not reviewed it yet',
          value: example.awaitingConfirmation,
        },
        no_pdf: {
          summary: 'The file is not a PDF',
          value: {
            ...example.awaitingConfirmation,
            status: 'manual_check',
            manual_check_reason: 'not_terminal',
          },
        },
      },
    },
    problems: [
      'invalid_request',
      'body_too_large',
      'content_type_unsupported',
      'operation_not_found',
      'confirmation_not_expected',
    ],
    fields: [
      ['field_required', '/operation_id'],
      ['operation_id_invalid', '/operation_id'],
      ['confirmation_type_unknown', '/confirmation_type'],
      ['receipt_required', '/receipt'],
      ['field_invalid', '/receipt'],
      ['field_unknown', '/comment'],
      ['scope_field_forbidden', '/shop_id'],
    ],
  },
];
