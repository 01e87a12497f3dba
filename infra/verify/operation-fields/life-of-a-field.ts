import { createSecretKey } from 'node:crypto';
import { operationsCsv } from '#projections/csv/operations.ts';
import { projectOperation } from '#projections/operations/project.ts';
import { operationsTable, type OperationRow } from '#projections/operations/table.ts';
import { snapshotRow } from '#projections/operations/view.ts';
import { storedEvents } from '#projections/testing/stored-events.ts';
import { admittedFacts } from '#services/audit/log/operation/fold.ts';
import { expectedMessage } from '#services/audit/log/operation/message.ts';
import { shownData } from '#services/back-office/api/operations/mask.ts';
import { isErased, showOperation } from '#services/back-office/api/operations/read.ts';
import { pairs, type View } from '#services/back-office/frame/components.ts';
import { fieldPairs } from '#services/back-office/frame/field-pairs.ts';
import { describeDifference } from '#shared/application/operations/create/body-difference.ts';
import { toStoredRequest } from '#shared/application/operations/create/stored-request.ts';
import { expectedMessages } from '#services/webhooks/message.ts';
import { createDocument } from '#shared/api/openapi/document.ts';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { translator } from '#shared/application/pages/translations.ts';
import { createPersonalData } from '#shared/application/personal-data/personal-data.ts';
import { openBody } from '#shared/application/webhooks/open-body.ts';
import {
  operationEventSchemas,
  type OpenedFields,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';
import { openedFields, sealedNames } from '#shared/domain/operation/fields/request.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { renderToText } from '#shared/platform/pages/html.ts';

/**
 * Runs a payment with the fields of its argument (JSON) through the product's own code, before its
 * client is erased and after that, and prints what each place has of it as JSON.
 */

const operationId = '00000000-0000-4000-8000-000000000001';
const plain = { client_id: 'client-1', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
const body = parseCreateBody('payment', {
  merchant_operation_id: 'order-1',
  ...plain,
  ...(JSON.parse(process.argv[2] ?? '{}') as object),
});

const secret = { keyId: 'k'.repeat(22), key: createSecretKey(Buffer.alloc(32, 1)) };
const personalData = (hasKey: boolean) =>
  createPersonalData({
    forSealing: async () => secret,
    forSealingAfterEnd: async () => secret,
    forOpening: async () => (hasKey ? secret.key : undefined),
  });

const sealer = () => personalData(true).sealer({ shopId: 'shop-1', clientId: 'client-1' });
const stored = await toStoredRequest({ operationId, body, plain }, sealer);
if (!stored) throw new Error('there is no key');
const { whole: _, ...bodyHash } = stored.body;
const admission = {
  type: 'OperationAdmitted',
  data: operationEventSchemas.OperationAdmitted.parse({
    operation_id: operationId,
    shop_id: 'shop-1',
    merchant_id: 'merchant-1',
    type: 'payment',
    merchant_operation_id: body.merchant_operation_id,
    body_hash: bodyHash,
    request: stored.request,
    accept_until: '2026-01-31T12:00:15.000Z',
  }),
} as const;
const route = routeSchema.parse({
  type: 'payment',
  method: plain.method,
  currency: plain.currency,
  provider: 'sandbox',
  commission: { percent: '1.00' },
});
const log: OperationEvent[] = [
  admission,
  { type: 'AttemptStarted', data: { attempt: 1, route } },
  {
    type: 'AttemptAccepted',
    data: { attempt: 1, provider_reference: 'ref-1', confirmation_required: true },
  },
];
const events = storedEvents(`operation-${operationId}`, log);
const operation = fold(log) as Operation;
const row = events.reduce<OperationRow | undefined>(projectOperation, undefined);
if (!row) throw new Error('there is no row');
const listed: OperationRow = row;
const facts = admittedFacts(admission.data, 0, false);

const view: View = {
  language: 'en',
  preferences: { path: '/' } as View['preferences'],
  t: translator('en'),
};

/** What each place shows, with the client's key and without it. */
async function everywhere(hasKey: boolean) {
  const personal = personalData(hasKey);
  const opened = await personal.open(operation);
  const openedLog = await Promise.all(log.map((each) => personal.openEvent(operationId, each)));
  const shown = events.map((event, index) => ({ ...event, data: openedLog[index]?.data }));
  const inClear = fold(openedLog) as Operation;
  const [message] = expectedMessages(events).messages;
  const page = (name: 'portal' | 'console', fields: OpenedFields = {}) =>
    renderToText(
      pairs(
        fieldPairs(view, name, snapshotState(operation, fields && { fields }), {
          order: [],
          own: {},
        }),
      ),
    );
  return {
    create: operationObject('create', snapshotState(operation, opened)),
    list: operationObject(
      'list',
      snapshotRow(listed, await personal.openFields(operationId, listed)),
    ),
    webhook: await openBody(personal, { operationId, body: message?.message.body ?? '' }),
    operators: showOperation(shown),
    event: shownData(shown[0]?.data),
    portal: page('portal', opened.fields),
    console: page('console', openedFields(inClear.request)),
    erased: opened.erased && isErased(inClear),
    cells: await openCells(personal.openFields),
  };
}

/** The cells of encrypted fields, from what the file's query selects. */
const openCells = async (open: Parameters<typeof operationsCsv>[1]): Promise<object> => {
  const { columns } = operationsCsv({}, open);
  const cells = sealedNames.map(async (name) => {
    const selected = JSON.stringify([operationId, { [name]: listed[name] }]);
    return [name, await columns.find((column) => column.name === name)?.open?.(selected)];
  });
  return Object.fromEntries(await Promise.all(cells)) as object;
};

process.stdout.write(
  JSON.stringify({
    document: createDocument(),
    stored: stored.request,
    difference: describeDifference(operation, {
      type: 'payment',
      body: parseCreateBody('payment', { ...plain, merchant_operation_id: 'order-1' }),
      bodyHash: { rest: '', whole: '' },
    }),
    columns: operationsTable.columns,
    row: listed,
    csv: operationsCsv({}, async () => ({})).columns.map(({ name, foreign }) => ({
      name,
      foreign,
    })),
    audit: { message: expectedMessage(facts, { id: 'event-1', atMs: 0 }) },
    known: await everywhere(true),
    erased: await everywhere(false),
  }),
);
