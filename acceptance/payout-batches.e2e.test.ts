import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from './support/answer.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { openTestShop, shopForFile } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile();

const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
const fileOf = (...rows: string[]) => [header, ...rows].join('\n');
const rowOf = (id: string, amount = '10.00') =>
  `${id},client-1,WT_RUB_C2C,${amount},RUB,4111111111111111,,`;
const path = '/v1/payout-batches';
const post = (at: 0 | 1, below: string, raw?: string, by = shop): Promise<Answer> =>
  sendRequest(`${target.gateways[at]}${path}${below}`, {
    ...(raw !== undefined && { raw }),
    headers: { 'x-api-key': by.apiKey, 'content-type': 'text/csv' },
  });

describe('R24.1 to R24.3: payout batches', () => {
  it('are checked, confirmed on any instance, and create each payout once', async () => {
    const ids = Array.from({ length: 30 }, () => `order-${randomUUID()}`);
    const file = fileOf(...ids.map((id) => rowOf(id)));
    const checked = await post(0, '', file);
    expect(checked).toMatchObject({
      status: 201,
      body: { status: 'checked', rows: 30, total: { RUB: '300.00' }, errors: [] },
    });
    const { batch_id: id } = checked.body;
    expect((await post(1, '', file)).body.batch_id).toBe(id);
    const confirmed = await Promise.all(([0, 1] as const).map((at) => post(at, `/${id}/confirm`)));
    expect(confirmed.map(({ status }) => status)).toEqual([202, 202]);
    const done = await until('the batch is done', () => shop.call(`${path}/${id}`), {
      holds: ({ body }) => body.status === 'done',
    });
    expect(done.body).toMatchObject({ created: 30, failed: 0 });
    const result = await shop.call(`${path}/${id}/result.csv`);
    const lines = result.text.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[1])).toEqual(ids);
    const paid = () => shop.call(`${path}/${id}/result.csv`);
    await until('the result file has the status of each payout (R24.12)', paid, {
      holds: ({ text }) => (text.match(/,created,,[a-z_]+,/g) ?? []).length === 30,
    });
    const [first = ''] = ids;
    const state = await shop.call('/v1/get_operation_state', { merchant_operation_id: first });
    expect(state.body).toMatchObject({ merchant_operation_id: first, type: 'payout' });
    // The lists have these payouts by now, so another payout may not have the ID of one (R24.15).
    const newRow = rowOf(`order-${randomUUID()}`);
    const other = await post(1, '', fileOf(newRow, rowOf(first, '10.01')));
    expect(other.body).toMatchObject({
      rows: 2,
      total: { RUB: '10.00' },
      errors: [
        {
          row: 2,
          pointer: '/merchant_operation_id',
          code: 'operation_exists',
          cell: 'A3',
          operation_id: state.body.operation_id,
        },
      ],
    });
    expect(await post(0, `/${other.body.batch_id}/confirm`)).toMatchObject({ status: 412 });
    expect((await post(0, '', file)).body).toMatchObject({ batch_id: id, errors: [] });
    // An equal row is a repeat: it is the payout that exists.
    const more = await post(1, '', fileOf(newRow, rowOf(first)));
    expect(more.body).toMatchObject({ rows: 2, total: { RUB: '20.00' }, errors: [] });
    await post(0, `/${more.body.batch_id}/confirm`);
    const repeated = await until(
      'the second batch is done',
      () => shop.call(`${path}/${more.body.batch_id}`),
      { holds: ({ body }) => body.status === 'done' },
    );
    expect(repeated.body).toMatchObject({ created: 2, failed: 0 });
    const again = await shop.call(`${path}/${more.body.batch_id}/result.csv`);
    expect(again.text).toContain(`2,${first},${String(state.body.operation_id)},created,`);
  });
});

describe('R24.6: a second member', () => {
  it('is required on every instance from the change of the setting until it is off', async () => {
    const own = await openTestShop();
    const { body } = await post(0, '', fileOf(rowOf(`order-${randomUUID()}`)), own);
    expect(body).not.toHaveProperty('needs_second_member');
    const setting = (on: boolean) =>
      admin('PATCH', `/shops/${own.shopId}`, { payout_batches_need_second_member: on });
    expect(await setting(true)).toMatchObject({
      status: 200,
      body: { payout_batches_need_second_member: true },
    });
    const refused = await Promise.all(
      ([0, 1] as const).map((at) => post(at, `/${body.batch_id}/confirm`, undefined, own)),
    );
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 403, body: { code: 'second_member_required' } });
    expect((await own.call(`${path}/${body.batch_id}`)).body).toMatchObject({
      status: 'checked',
      needs_second_member: true,
    });
    await setting(false);
    expect(await post(1, `/${body.batch_id}/confirm`, undefined, own)).toMatchObject({
      status: 202,
    });
  });
});
