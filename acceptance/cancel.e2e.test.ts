import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, provider } from './support/http.ts';
import { errorsOf } from './support/problem.ts';
import { allRoutes, route } from './support/routes.ts';
import { openTestShop, shopForFile, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const shop = shopForFile({ webhook: true });
const slow = shopForFile({
  routes: [route({ options: { accept_delay_ms: 5000 } })],
  webhook: true,
});

const notFound = { status: 404, body: { code: 'operation_not_found' } };
const requisites = [
  'number',
  'name',
  'bankname',
  'bankname_details',
  'expires_at',
  'external_confirmation',
];

function cancelled(id: string): Json {
  return {
    outcome: 'cancelled',
    operation: { operation_id: id, type: 'payment', status: 'cancelled' },
  };
}

describe('R8.2 cancel request', () => {
  it('limits reason to 2048 bytes, not characters (R8.2)', async () => {
    const merchant_operation_id = (await shop.made(shop.pay())).operation_id;
    for (const reason of ['я'.repeat(1025), 'x'.repeat(2049), '😀'.repeat(513)]) {
      expect(await errorsOf(shop.cancel({ merchant_operation_id, reason }))).toEqual([
        '/reason reason_too_long',
      ]);
    }
    for (const reason of ['я'.repeat(1024), 'x'.repeat(2048), '😀'.repeat(512)]) {
      const { operation_id } = await shop.made(shop.pay());
      expect(await shop.cancel({ operation_id, reason })).toMatchObject({ status: 200 });
    }
  });

  it('stores the reason in an event, cancel by default (R8.2)', async () => {
    const reasons: Json[] = [
      [{ reason: 'the customer left' }, 'the customer left'],
      [{ reason: '' }, 'cancel'],
      [{}, 'cancel'],
    ];
    for (const [change, recorded] of reasons) {
      const { operation_id } = await shop.made(shop.pay());
      await shop.made(shop.cancel({ operation_id, ...change }));
      const events = await shop.events(operation_id);
      expect(events.map(({ data }) => data.reason)).toContain(recorded);
    }
  });
});

describe('R8.3 cancel of a payment', () => {
  it('cancels a payment that awaits confirmation, with a webhook (R8.3)', async () => {
    const confirming = await openTestShop({
      routes: [route({ requires_receipt: true })],
      webhook: true,
    });
    const { operation_id } = await confirming.made(confirming.pay());
    expect((await confirming.cancel({ operation_id })).body).toEqual(cancelled(operation_id));
    expect(await confirming.delivered(operation_id, 2)).toMatchObject({
      type: 'payment.cancelled',
    });
  });

  it('R5.13: removes the requisites from every later answer', async () => {
    const body = shop.body('payment');
    const operation = await shop.made(shop.create('payment', body));
    const { operation_id } = operation;
    await shop.cancel({ operation_id });
    const repeats = [
      await shop.create('payment', body),
      await shop.create('payment/link', body, { at: 1 }),
    ];
    const delivery = await shop.delivered(operation_id);
    const views = [
      ...repeats.map((answer) => answer.body),
      await shop.state(operation_id),
      delivery.operation,
    ];
    for (const view of views) {
      expect(view.status).toBe('cancelled');
      for (const field of requisites) expect(view).not.toHaveProperty(field);
      expect(JSON.stringify(view)).not.toContain(operation.number);
    }
    expect(views[2]).toMatchObject({ settlement_amount: '0.00', actual_amount: '0.00' });
    expect(repeats[1]?.body.payment_url).toBeNull();
    expect(delivery).toMatchObject({ type: 'payment.cancelled', sequence: 1 });
  });

  it('R8.6: repeats its decision by either identifier, without another change', async () => {
    const body = shop.body('payment');
    const { operation_id } = await shop.made(shop.create('payment', body));
    await shop.cancel({ operation_id });
    await shop.delivered(operation_id);
    const decisions = async () =>
      (await shop.events(operation_id)).filter(({ type }) => type.includes('Cancel'));
    const before = await decisions();
    expect(before).toHaveLength(1);
    const { merchant_operation_id } = body;
    for (const reference of [
      { operation_id },
      { merchant_operation_id },
      { operation_id, reason: 'again' },
    ]) {
      for (const at of [0, 1] as const)
        expect((await shop.cancel(reference, at)).body).toEqual(cancelled(operation_id));
    }
    expect(await decisions()).toEqual(before);
    expect(shop.deliveriesOf(operation_id)).toHaveLength(1);
  });

  it.each(['completed', 'declined', 'expired', 'partial'])(
    'returns already_terminal for %s, and changes nothing (R8.4)',
    async (result) => {
      const operation_id = await shop.settled(shop.pay(), result);
      const { status } = await shop.waitFor(operation_id, (state) => state.status !== 'pending');
      await shop.delivered(operation_id);
      const { receipts: _, ...before } = await shop.state(operation_id);
      for (let times = 0; times < 2; times += 1) {
        const answer = await shop.cancel({ operation_id });
        expect(answer).toMatchObject({
          status: 200,
          body: {
            outcome: 'already_terminal',
            operation: { operation_id, type: 'payment', status },
          },
        });
      }
      expect(await shop.state(operation_id)).toMatchObject(before);
      expect(shop.deliveriesOf(operation_id)).toHaveLength(1);
    },
  );
});

/** The id of an operation that is still being created: merchants can't read it yet. */
async function listedId(of: TestShop, key: string): Promise<string> {
  const query = `shop_id=${of.shopId}&merchant_operation_id=${encodeURIComponent(key)}`;
  const list = await until(`${key} is listed`, async () => admin('GET', `/operations?${query}`), {
    holds: ({ body }) => body.operations?.length === 1,
  });
  return list.body.operations[0].operation_id;
}

async function withdrawn(id: string): Promise<void> {
  await until(`${id} is withdrawn`, async () => (await provider(id)).cancels, {
    holds: ({ length }) => length > 0,
  });
}

describe('R8.7 cancel before create', () => {
  it('is recorded; reads and a cancel by operation_id return 404 (R8.7)', async () => {
    const merchant_operation_id = `early-${crypto.randomUUID()}`;
    const first = await shop.cancel({ merchant_operation_id });
    expect(first.status).toBe(200);
    const { operation_id } = first.body.operation;
    expect(first.body).toEqual(cancelled(operation_id));
    for (const at of [0, 1] as const) {
      expect((await shop.cancel({ merchant_operation_id }, at)).body).toEqual(first.body);
      expect(await shop.read({ merchant_operation_id }, at)).toMatchObject(notFound);
      expect(await shop.read({ operation_id }, at)).toMatchObject(notFound);
      expect(await shop.cancel({ operation_id }, at)).toMatchObject(notFound);
    }
  });

  it.each(['payment', 'payment/link'] as const)(
    'completes POST /v1/%s as a cancelled payment (R8.7)',
    async (kind) => {
      const body = shop.body(kind);
      const { merchant_operation_id } = body;
      const early = await shop.cancel({ merchant_operation_id });
      const { operation_id } = early.body.operation;
      const created = await shop.create(kind, body, { at: 1 });
      expect(created).toMatchObject({ status: 200, body: { operation_id, status: 'cancelled' } });
      for (const field of requisites) expect(created.body).not.toHaveProperty(field);
      if (kind === 'payment/link') expect(created.body.payment_url).toBeNull();
      expect(await shop.delivered(operation_id)).toMatchObject({
        type: 'payment.cancelled',
        sequence: 1,
      });
      expect(await shop.state(operation_id)).toMatchObject({ status: 'cancelled' });
      expect((await shop.cancel({ operation_id })).body).toEqual(cancelled(operation_id));
      expect((await shop.cancel({ merchant_operation_id })).body).toEqual(cancelled(operation_id));
      expect((await provider(operation_id)).submissions).toEqual([]);
      const repeat = await shop.create(kind, body);
      expect(repeat).toMatchObject({ status: 200, body: created.body });
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect((await shop.create(kind, { ...body, amount: '1.00' })).body.code).toBe(
        'idempotency_body_mismatch',
      );
    },
  );

  it('has one decision for concurrent cancels on two instances (R8.6)', async () => {
    const merchant_operation_id = `early-${crypto.randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) =>
        shop.cancel({ merchant_operation_id }, index % 2 === 0 ? 0 : 1),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  it('excludes a concurrent payout with its key on the other instance (R8.7)', async () => {
    for (let round = 0; round < 20; round += 1) {
      const body = shop.body('payout');
      const { merchant_operation_id } = body;
      const [cancel, payout] = await Promise.all([
        shop.cancel({ merchant_operation_id }, round % 2 === 0 ? 0 : 1),
        shop.create('payout', body, { at: round % 2 === 0 ? 1 : 0 }),
      ]);
      const codes = [cancel.body.code ?? cancel.status, payout.body.code ?? payout.status];
      if (cancel.status === 200) expect(codes).toEqual([200, 'idempotency_body_mismatch']);
      else expect(codes).toEqual(['cancel_payout_unsupported', 200]);
    }
  });

  it('affects only its shop', async () => {
    const other = await openTestShop();
    const body = shop.body('payment');
    const { merchant_operation_id } = body;
    await other.cancel({ merchant_operation_id });
    expect(await shop.made(shop.create('payment', body))).toMatchObject({ status: 'pending' });
  });
});

describe('R8.9 cancel during a create', () => {
  /** Cancels a create that its provider has; `isOpen`: the create was not answered by then. */
  async function inFlight() {
    const body = slow.body('payment');
    const { merchant_operation_id } = body;
    let isOpen = true;
    const creating = slow.create('payment', body).finally(() => (isOpen = false));
    const id = await listedId(slow, merchant_operation_id);
    await until('the provider has it', async () => provider(id), {
      holds: ({ submissions }) => submissions.length > 0,
    });
    const decision = await slow.cancel({ merchant_operation_id }, 1);
    const answered = { decision, isOpen };
    return { ...answered, created: await creating };
  }

  it('R8.10: completes the open create as a cancelled payment, without requisites', async () => {
    // On a busy machine the create may be answered before the cancel; then it is repeated.
    const { created, decision } = await until('a cancel while the provider has it', inFlight, {
      holds: ({ isOpen }) => isOpen,
    });
    expect(decision).toMatchObject({ status: 200, body: { outcome: 'cancelled' } });
    expect(created).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    for (const field of requisites) expect(created.body).not.toHaveProperty(field);
    const { operation_id } = created.body;
    expect(decision.body).toEqual(cancelled(operation_id));
    expect(await slow.delivered(operation_id)).toMatchObject({
      type: 'payment.cancelled',
      sequence: 1,
    });
    await withdrawn(operation_id);
    expect(await slow.state(operation_id)).toMatchObject({ status: 'cancelled' });
  });

  it('R8.11: does not wait for the provider', async () => {
    const hanging = await openTestShop({ routes: [route({ options: { accept: 'hang' } })] });
    const body = hanging.body('payment/link');
    const answered: string[] = [];
    const creating = hanging
      .create('payment/link', body, { route: hanging.routes[0] })
      .finally(() => answered.push('create'));
    const { merchant_operation_id } = body;
    await listedId(hanging, merchant_operation_id);
    const { body: decision } = await hanging.cancel({ merchant_operation_id });
    answered.push('cancel');
    expect(decision.outcome).toBe('cancelled');
    const created = await creating;
    // A cancel that waits for the provider would end after the create.
    expect(answered).toEqual(['cancel', 'create']);
    expect(created).toMatchObject({
      status: 200,
      body: { status: 'cancelled', payment_url: null },
    });
  });

  const runs = Number(process.env['ACCEPTANCE_RACES'] ?? 200);
  it(`R8.9: agrees with every answer, read and webhook in ${runs} races on two instances`, async () => {
    const racing = await openTestShop({
      routes: [route({ options: { accept_delay_ms: 15 } }), ...allRoutes.slice(1)],
      webhook: true,
    });
    const won = { create: 0, cancel: 0 };
    const race = async (index: number) => {
      const body = racing.body('payment');
      const { merchant_operation_id } = body;
      // From a cancel before the create to one after its answer.
      const aheadMs = (index % 12) * 12 - 24;
      const [created, decision] = await Promise.all([
        delay(Math.max(0, -aheadMs)).then(async () =>
          racing.create('payment', body, { at: index % 2 === 0 ? 0 : 1 }),
        ),
        delay(Math.max(0, aheadMs)).then(async () =>
          racing.cancel({ merchant_operation_id }, index % 3 === 0 ? 0 : 1),
        ),
      ]);
      expect(created.status, created.text).toBe(200);
      const { operation_id, status } = created.body;
      expect(decision.status, decision.text).toBe(200);
      expect(decision.body).toEqual(cancelled(operation_id));
      expect(['pending', 'cancelled']).toContain(status);
      won[status === 'cancelled' ? 'cancel' : 'create'] += 1;
      const repeat = await racing.create('payment', body, { at: index % 2 === 0 ? 1 : 0 });
      expect(repeat).toMatchObject({ status: 200, body: { operation_id, status: 'cancelled' } });
      expect(await racing.state(operation_id, 1)).toMatchObject({
        status: 'cancelled',
        actual_amount: '0.00',
      });
      expect((await racing.cancel({ operation_id })).body).toEqual(decision.body);
      expect(await racing.delivered(operation_id)).toMatchObject({
        type: 'payment.cancelled',
        sequence: 1,
      });
      // A payment that the provider accepted is withdrawn from it.
      const accepted = (await provider(operation_id)).submissions.length > 0;
      if (accepted) await withdrawn(operation_id);
      expect(racing.deliveriesOf(operation_id)).toHaveLength(1);
    };
    const lanes = Array.from({ length: 12 }, async (_, lane) => {
      for (let index = lane; index < runs; index += 12) await race(index + Math.floor(index / 12));
    });
    await Promise.all(lanes);
    expect(won.create).toBeGreaterThan(0);
    expect(won.cancel).toBeGreaterThan(0);
    expect(won.create + won.cancel).toBe(runs);
  });
});
