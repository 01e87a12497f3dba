import { describe, expect, test } from 'vitest';
import { acceptance, givenPayment } from '#services/processor/testing/operations.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { leg } from '#shared/domain/operation/testing/given.ts';
import { checked, uploaded } from '#shared/domain/operation/testing/receipts.ts';
import { newId } from '#shared/platform/ids.ts';
import { useAdmin, tokens, problem } from '../../testing/admin.ts';

const admin = useAdmin();

const part = leg('leg-1', '40.00');

/** A payment of 100.00 at 1 % in manual check. */
const flaggedPayment = (given: { shopId?: string; after?: OperationEvent[] } = {}) =>
  givenPayment(admin.store, { answers: [acceptance()], after: [uploaded, checked()], ...given });
const review = (operationId: string, body: object, token?: string) =>
  admin.call<Record<string, unknown> & { errors?: { pointer: string; code: string }[] }>(
    `POST /admin/v1/operations/${operationId}/review`,
    { body, ...(token !== undefined && { token }) },
  );
const eventsOf = async (operationId: string) => admin.store.read(operationStream(operationId));
const approve = { decision: 'approve', actual_amount: '100.00', note: 'seen on the account' };

describe('POST /admin/v1/operations/{operation_id}/review', () => {
  test('approves with an amount, which becomes a synthetic leg and a ledger entry', async () => {
    const shopId = newId();
    const operationId = await flaggedPayment({ shopId });
    const id = operationId.toUpperCase();
    const { status, body, headers } = await review(id, approve, tokens.operator);
    const received = { actual_amount: '100.00', recorded_amount: '100.00' };
    const credited = { settlement_amount: '99.00', commission_amount: '1.00' };
    const legs = [{ amount: '100.00', synthetic: true, file: false }];
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { operation_id: operationId, status: 'completed', ...received, ...credited, legs },
    });
    const [decided, ended, ...more] = (await eventsOf(operationId)).slice(-2);
    expect(more).toEqual([]);
    expect(decided).toMatchObject({
      type: 'ReviewDecided',
      data: { receipt_id: 'receipt-1', ...approve },
      metadata: { actor: 'operator:oleg', request_id: headers.get('x-request-id') },
    });
    const metadata = { actor: 'operator:oleg' };
    expect(ended).toMatchObject({ type: 'OperationCompleted', metadata });
    const [entry] = await admin.store.read(ledgerStream(shopId, 'RUB'));
    const posted = { kind: 'credit', operation_id: operationId, balance_after: '99.00' };
    expect(entry && decodeLedgerEvent(entry).data).toMatchObject(posted);
  });

  test('requires an admin to approve more than expected (R9.10)', async () => {
    const operationId = await flaggedPayment();
    const more = { ...approve, actual_amount: '999999999999.99' };
    const detail = 'approving more than the expected amount requires the admin role';
    expect(await review(operationId, more, tokens.operator)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail },
    });
    expect((await eventsOf(operationId)).at(-1)).toMatchObject({ type: 'ManualCheckStarted' });
    expect(await review(operationId, approve, tokens.operator)).toMatchObject({ status: 200 });
  });

  test('rejects less than was received (R9.10)', async () => {
    const received: OperationEvent = { type: 'LegReceived', data: { attempt: 1, leg: part } };
    const operationId = await flaggedPayment({ after: [received, uploaded, checked()] });
    expect(await review(operationId, { ...approve, actual_amount: '39.99' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/actual_amount', code: 'amount_invalid' }] },
    });
  });

  test('accepts one decision, and only in manual check', async () => {
    const pending = await givenPayment(admin.store, { answers: [acceptance()] });
    const waiting = await givenPayment(admin.store, { answers: [acceptance()], after: [uploaded] });
    const creating = await givenPayment(admin.store);
    const decided = await flaggedPayment();
    expect((await review(decided, approve)).status).toBe(200);
    for (const operationId of [pending, waiting, creating, decided]) {
      const before = (await eventsOf(operationId)).length;
      expect(await review(operationId, approve)).toMatchObject(problem(412, 'review_not_allowed'));
      expect(await eventsOf(operationId)).toHaveLength(before);
    }
  });

  test('rejects a decision on an earlier receipt (R9.9)', async () => {
    const second = { receipt_id: 'receipt-2' };
    const repeat = { receipt_id: 'receipt-1', decision: 'ask_again', note: 'unreadable' } as const;
    const after: OperationEvent[] = [
      uploaded,
      checked('not_terminal'),
      { type: 'ReviewDecided', data: repeat },
      { type: 'ReceiptUploaded', data: { ...second, sha256: 'bb', size_bytes: 1, pdf: true } },
      { type: 'ManualCheckStarted', data: { ...second, reason: 'potential_fake' } },
    ];
    const operationId = await flaggedPayment({ after });
    const before = (await eventsOf(operationId)).length;
    for (const receipt_id of ['receipt-1', '']) {
      expect(await review(operationId, { ...approve, receipt_id })).toMatchObject({
        status: 412,
        body: { code: 'review_not_allowed', detail: expect.stringContaining('another receipt') },
      });
    }
    expect(await eventsOf(operationId)).toHaveLength(before);
    expect((await review(operationId, { ...approve, ...second })).status).toBe(200);
  });

  test('accepts one of two concurrent decisions', async () => {
    const operationId = await flaggedPayment();
    const answers = await Promise.all([
      review(operationId, approve),
      review(operationId, { decision: 'decline', note: 'forged' }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
  });

  test('returns 404 for an unknown operation', async () => {
    for (const operationId of ['00000000-0000-8000-8000-000000000000', 'order-1']) {
      expect(await review(operationId, approve)).toMatchObject(problem(404, 'operation_not_found'));
    }
  });

  test.each([
    [{}, ['/decision field_required', '/note field_required']],
    [{ decision: 'perhaps', note: '' }, ['/decision field_invalid', '/note field_invalid']],
    [{ decision: 'approve', note: 'x' }, ['/actual_amount field_required']],
    [{ ...approve, actual_amount: '1' }, ['/actual_amount amount_invalid']],
    [{ ...approve, actual_amount: '0.00' }, ['/actual_amount amount_invalid']],
    [{ ...approve, actual_amount: 5 }, ['/actual_amount amount_invalid']],
    [{ decision: 'decline', note: 'x', actual_amount: '5.00' }, ['/actual_amount field_invalid']],
    [{ ...approve, note: 'x'.repeat(2_001) }, ['/note field_invalid']],
    [{ ...approve, amount: '5.00' }, ['/amount field_unknown']],
  ])('rejects %j', async (body, errors) => {
    const answer = await review('00000000-0000-8000-8000-000000000000', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(errors);
  });
});
