import { beforeEach, describe, expect, test } from 'vitest';
import {
  createFakeProvider,
  leg,
  type FakeProvider,
} from '#services/processor/testing/fake-provider.ts';
import {
  acceptance,
  append,
  givenPayment,
  givenPayout,
} from '#services/processor/testing/operations.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { providerObjects } from '#shared/application/operations/close-by-hand.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, create, started } from '#shared/domain/operation/testing/given.ts';
import { newId } from '#shared/platform/ids.ts';
import { useAdmin, tokens, problem } from '../../testing/admin.ts';

let provider: FakeProvider;
const connectors = new Map<string, FakeProvider['connector']>();
const admin = useAdmin({ connectors });
beforeEach(() => {
  provider = createFakeProvider();
  connectors.set('sandbox', provider.connector);
});

const pastAcceptance = { acceptInMs: -1 };
/** A payout with an unknown outcome, after the acceptance wait. */
const givenUnanswered = (shopId = newId()) => {
  const answer = { outcome: 'unknown', cause: 'timeout' } as const;
  return givenPayout(admin.store, { shopId, ...pastAcceptance, answer });
};
const part: OperationEvent = {
  type: 'LegReceived',
  data: { attempt: 1, leg: leg('leg-1', '60.00') },
};
const close = (operationId: string, body: object = { note: 'no answer' }, token?: string) =>
  admin.call<Record<string, unknown> & { errors?: { pointer: string; code: string }[] }>(
    `POST /admin/v1/operations/${operationId}/close`,
    { body, ...(token !== undefined && { token }) },
  );
const eventsOf = (operationId: string) => admin.store.read(operationStream(operationId));
const ledgerOf = async (shopId: string) =>
  (await admin.store.read(ledgerStream(shopId, 'RUB'))).map((event) => {
    const { data } = decodeLedgerEvent(event);
    return { kind: data.kind, balance: data.balance_after, reserved: data.reserved_after };
  });
const notAllowed = { status: 412, body: { code: 'close_not_allowed' } };

describe('POST /admin/v1/operations/{operation_id}/close', () => {
  test('closes a partially paid payment with the received money if the provider does not respond (R13.11)', async () => {
    provider.down = true;
    const shopId = newId();
    const payment = { shopId, ...pastAcceptance, answers: [acceptance()], after: [part] };
    const operationId = await givenPayment(admin.store, payment);
    const { status, body, headers } = await close(operationId.toUpperCase());
    const amounts = { actual_amount: '60.00', settlement_amount: '59.40' };
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { operation_id: operationId, status: 'partially_completed', ...amounts },
    });
    const request_id = headers.get('x-request-id');
    const by = { actor: 'operator:alice', token_id: 'first', request_id };
    expect((await eventsOf(operationId)).slice(-2)).toMatchObject([
      { type: 'CloseDecided', data: { note: 'no answer' }, metadata: by },
      { type: 'OperationPartiallyCompleted', metadata: by },
    ]);
    const credited = { kind: 'credit', balance: '59.40', reserved: '0.00' };
    expect(await ledgerOf(shopId)).toEqual([credited]);
    expect(await close(operationId)).toMatchObject(notAllowed);
  });

  test.each([
    ['whose provider does not respond', () => (provider.down = true)],
    ['whose provider is no longer configured', () => connectors.delete('sandbox')],
  ])('declines a payout %s, and releases its reservation', async (_, disable) => {
    disable();
    const shopId = newId();
    const operationId = await givenUnanswered(shopId);
    expect(await close(operationId)).toMatchObject({
      status: 200,
      body: { status: 'declined', decline_reason: 'closed_by_operator', actual_amount: '0.00' },
    });
    const released = { kind: 'release', balance: '0.00', reserved: '0.00' };
    expect((await ledgerOf(shopId)).at(-1)).toEqual(released);
  });

  test('records an acceptance that the provider reports, and does not close (R13.11)', async () => {
    const operationId = await givenUnanswered();
    provider.setReport(operationId, { legs: [leg('leg-1', '10.00')] });
    const answer = await close(operationId);
    expect(answer).toMatchObject(notAllowed);
    expect(answer.body['detail']).toContain('still in progress');
    expect((await eventsOf(operationId)).slice(-2)).toMatchObject([
      { type: 'AttemptAccepted', metadata: { actor: 'service:admin' } },
      { type: 'LegReceived' },
    ]);
  });

  test('closes with force what the provider reports as in progress; later reports are late (R13.11)', async () => {
    const shopId = newId();
    const operationId = await givenUnanswered(shopId);
    provider.setReport(operationId, {});
    const note = 'stuck for a week';
    expect(await close(operationId, { note, force: false })).toMatchObject(notAllowed);
    const answer = await close(operationId, { note, force: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'declined', decline_reason: 'closed_by_operator' },
    });
    expect((await eventsOf(operationId)).slice(-2)).toMatchObject([
      { type: 'CloseDecided', data: { note, forced: true } },
      { type: 'OperationDeclined' },
    ]);
    expect((await ledgerOf(shopId)).at(-1)).toMatchObject({ kind: 'release', reserved: '0.00' });
    const report = { attempt: 1, status: 'completed', legs: [leg('l', '100.00')] } as const;
    const state = foldStored(operations, await eventsOf(operationId));
    expect(applyReport(state, report)).toMatchObject({
      events: [],
      late: [{ kind: 'late_money' }, { kind: 'late_status', status: 'completed' }],
    });
  });

  test('applies the provider’s terminal status despite force, which requires an admin (R13.11)', async () => {
    const operationId = await givenUnanswered();
    provider.setReport(operationId, { status: 'completed', legs: [leg('l', '100.00')] });
    const forced = { note: 'x', force: true };
    const byOperator = await close(operationId, forced, tokens.operator);
    expect(byOperator).toMatchObject(problem(403, 'forbidden'));
    expect(await close(operationId, forced)).toMatchObject(notAllowed);
    expect((await eventsOf(operationId)).at(-1)?.type).toBe('OperationCompleted');
  });

  const completed = { status: 'completed' as const, legs: [leg('l', '100.00')] };
  test.each([
    ['completed', completed, 'OperationCompleted'],
    ['never submitted', undefined, 'OperationDeclined'],
  ])('applies the provider’s terminal status instead: %s', async (_, report, end) => {
    const operationId = await givenUnanswered();
    if (report) provider.setReport(operationId, report);
    expect(await close(operationId)).toMatchObject(notAllowed);
    const types = (await eventsOf(operationId)).map(({ type }) => type);
    expect(types.at(-1)).toBe(end);
    expect(types).not.toContain('CloseDecided');
  });

  test('closes what its provider only reports without a version, against a report with one (R13.11)', async () => {
    const numbered: OperationEvent = {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('leg-1', '60.00'), report_version: 1 },
    };
    const payment = { ...pastAcceptance, answers: [acceptance()], after: [numbered] };
    const operationId = await givenPayment(admin.store, payment);
    provider.setReport(operationId, { legs: [leg('leg-1', '40.00')] });
    expect(await close(operationId)).toMatchObject(notAllowed);
    expect(await close(operationId, { note: 'two amounts', force: true })).toMatchObject({
      status: 200,
      body: { status: 'partially_completed', actual_amount: '60.00' },
    });
    expect(provider.polls).toHaveLength(2);
  });

  const half = [leg('leg-1', '60.50')];
  const less = [leg('leg-1', '40.00')];
  test.each([
    ['open, with half a yen', 'JPY', { version: 2, legs: half }],
    ['completed, with half a yen', 'JPY', { ...completed, version: 2, legs: half }],
    ['completed without a version, against money with one', 'RUB', { ...completed, legs: less }],
  ])(
    'does not close without force what its provider reports as %s (R13.11)',
    async (_, currency, report) => {
      const operationId = newId();
      const acceptUntil = new Date(Date.now() - 1).toISOString();
      const request = { ...create().request, currency };
      const numbered: OperationEvent = {
        type: 'LegReceived',
        data: { attempt: 1, leg: leg('leg-1', '60.00'), report_version: 1 },
      };
      const opening = admitted({ operationId, acceptUntil, request });
      const events = [opening, started(), accepted(), numbered];
      await append(admin.store, operationId, { events, expectedRevision: -1 });
      provider.setReport(operationId, report);
      const refused = await close(operationId);
      expect(refused).toMatchObject({ status: 412, body: { detail: providerObjects } });
      expect(await eventsOf(operationId)).toHaveLength(events.length);
    },
  );

  test('decides on the events after the poll, not on those before it', async () => {
    const operationId = await givenUnanswered();
    const polls: string[] = [];
    connectors.set('sandbox', {
      ...provider.connector,
      ask: async (key, bounds) => {
        polls.push(key.operationId);
        // The poll times out while its callback arrives.
        if (polls.length === 1) {
          const { revision = -1 } = (await eventsOf(operationId)).at(-1) ?? {};
          await append(admin.store, operationId, {
            events: [accepted()],
            expectedRevision: revision,
          });
          return { outcome: 'unknown', cause: 'timeout' };
        }
        return provider.connector.ask(key, bounds);
      },
    });
    provider.setReport(operationId, {});
    expect(await close(operationId)).toMatchObject(notAllowed);
    expect(polls).toHaveLength(2);
    expect((await eventsOf(operationId)).at(-1)).toMatchObject({ type: 'AttemptAccepted' });
  });

  test('rejects a recent operation, and one whose receipt awaits a decision (R13.11)', async () => {
    provider.down = true;
    const uploaded: OperationEvent = {
      type: 'ReceiptUploaded',
      data: { receipt_id: 'receipt-1', sha256: 'aa', size_bytes: 1, pdf: true },
    };
    const payment = { answers: [acceptance()] };
    const recent = await givenPayment(admin.store, payment);
    const withReceipt = { ...payment, ...pastAcceptance, after: [uploaded] };
    const uploadedTo = await givenPayment(admin.store, withReceipt);
    for (const operationId of [recent, uploadedTo]) {
      const before = (await eventsOf(operationId)).length;
      expect(await close(operationId)).toMatchObject(notAllowed);
      expect(await eventsOf(operationId)).toHaveLength(before);
    }
    expect(provider.polls).toEqual([]);
  });

  test('accepts one of two concurrent requests', async () => {
    provider.down = true;
    const operationId = await givenUnanswered();
    const answers = await Promise.all([close(operationId), close(operationId)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
  });

  test('returns 404 for an unknown operation', async () => {
    for (const operationId of ['00000000-0000-8000-8000-000000000000', 'order-1'])
      expect(await close(operationId)).toMatchObject(problem(404, 'operation_not_found'));
  });

  test.each([
    [{}, ['/note field_required']],
    [{ note: '' }, ['/note field_invalid']],
    [{ note: 'x', amount: '5.00' }, ['/amount field_unknown']],
  ])('rejects %j', async (body, errors) => {
    const answer = await close('00000000-0000-8000-8000-000000000000', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(errors);
  });
});
