import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
  paymentRoute,
} from '#services/processor/testing/operations.ts';
import {
  operationStream,
  type OperationEvent,
  type Requisites,
} from '#shared/domain/operation/events.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { tokens } from '../testing/admin.ts';
import { readQueue, stillWaiting, type QueueEntry } from './review/queue.ts';
import { useConsole } from './testing/console.ts';
import { hidden, type Visitor, pageWith } from './testing/visitor.ts';

const console = useConsole();
let admin: Visitor;
let operator: Visitor;
beforeAll(async () => {
  [admin, operator] = [await console.visitor(tokens.admin), await console.visitor(tokens.operator)];
});

const newShop = (overdraft_limits = {}) => console.newShop('Books', { overdraft_limits });

const uploaded = (receipt_id: string): OperationEvent => ({
  type: 'ReceiptUploaded',
  data: { receipt_id, sha256: newId(), size_bytes: 4, pdf: true },
});

/** A payment of 100.00 whose receipt awaits a decision. */
async function flagged(
  shopId: string,
  reason: 'potential_fake' | 'not_terminal' = 'potential_fake',
  requisites: Partial<Requisites> = {},
) {
  const receipt_id = newId();
  const accepted = { ...acceptance(), requisites: { number: '2200000000000004', ...requisites } };
  return givenPayment(console.store, {
    shopId,
    answers: [accepted],
    after: [uploaded(receipt_id), { type: 'ManualCheckStarted', data: { receipt_id, reason } }],
  });
}

/** Waits until the read model has this operation. @returns the queue's rows */
async function queueWith(operationId: string): Promise<QueueEntry[]> {
  let rows: QueueEntry[] = [];
  const isThere = async () => {
    const queue = await readQueue(console.db);
    rows = queue === 'too_long' ? [] : queue;
    return rows.some(({ operation_id: id }) => id === operationId);
  };
  await eventually('the queue has it', isThere);
  return rows;
}

/** Submits a form without confirming it. @returns the page that requires the confirmation */
async function submit(
  visitor: Visitor,
  path: string,
  values: Record<string, string>,
): Promise<string> {
  const form_token = hidden((await visitor.get(path)).text, 'form_token');
  return (await visitor.post(path, { ...values, form_token })).text;
}

describe('a decision on a receipt', () => {
  test('shows what the receipt is compared with, the number masked', async () => {
    const bank = { name: 'Ivan Petrov', bankname: 'sberbank', bankname_details: 'Сбербанк' };
    const purpose = { transfer_purpose: 'Order 17' };
    const id = await flagged(await newShop(), 'potential_fake', { ...bank, ...purpose });
    const auditor = await console.visitor(tokens.auditor);
    const { text } = await auditor.get(`/review?operation=${id}`);
    expect(text).not.toContain('2200000000000004');
    for (const [name, value] of [
      ['Expected', '100\\.00'],
      ['Paid to', '220000\\*{6}0004'],
      ['Recipient', 'Ivan Petrov'],
      ['Bank', 'Sberbank'],
      ['Purpose of the transfer', 'Order 17'],
      ['Created', '<time datetime="20'],
    ] as const)
      expect(text).toMatch(new RegExp(`<dt>${name}</dt>\\s*<dd>(<[^>]*>)*[^<]*${value}`));
  });

  test('is not preselected', async () => {
    const id = await flagged(await newShop());
    for (const path of [`/review?operation=${id}`, `/operations/${id}/review`]) {
      const { text } = await operator.get(path);
      expect(text).toMatch(/<select id="a-decision"[^>]*><option value="" selected>Choose…/);
      expect(text).not.toMatch(/<option value="approve" selected/);
    }
    const path = `/operations/${id}/review`;
    expect(await submit(operator, path, { decision: '', note: 'x' })).toContain(
      'this field is required',
    );
  });

  test('shows what the shop is credited before it is confirmed', async () => {
    const id = await flagged(await newShop());
    const path = `/operations/${id}/review`;
    const approval = { decision: 'approve', actual_amount: '60.00', note: 'x' };
    const approve = await submit(operator, path, approval);
    expect(approve).toMatch(
      /Credited to the shop<\/dt><dd><strong class="figure-large">[^<]*59\.40/,
    );
    expect(approve).toMatch(/Commission<\/dt><dd>[^<]*0\.60/);
    expect(approve).toMatch(/Total received<\/dt><dd>[^<]*60\.00/);
    expect(approve).toContain('Partially completed');
    const decline = await submit(operator, path, { decision: 'decline', note: 'x' });
    expect(decline).toMatch(/Credited to the shop<\/dt><dd><strong>nothing/);
    // A decision that would be rejected can't be confirmed.
    const beyond = await submit(operator, path, { ...approval, actual_amount: '100.01' });
    expect(beyond).toContain('requires the admin role');
    expect(beyond).not.toContain('name="once"');
    expect((await console.store.read(operationStream(id))).length).toBe(5);
  });

  test('leaves the queue before the read models catch up, and opens the next one', async () => {
    const shopId = await newShop();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await flagged(shopId));
      await delay(5); // the order within a millisecond is undefined
    }
    const [first = '', second = '', third = ''] = ids;
    const rows = await queueWith(third);
    const listed = async () =>
      (await stillWaiting(console.store, rows))
        .filter(({ shop_id }) => shop_id === shopId)
        .map(({ operation_id }) => operation_id);
    expect(await listed()).toEqual([first, second, third]);
    const decline = { decision: 'decline', note: 'forged' };
    const done = await operator.act(`/operations/${second}/review`, decline);
    expect(done.text).toContain('OperationDeclined');
    // The rows from before the decision, as if the read model lagged behind.
    expect(await listed()).toEqual([first, third]);
    expect(done.text).toMatch(
      new RegExp(`href="/review\\?operation=${third}" aria-current="true"`),
    );
    expect(done.text).not.toContain(`/review?operation=${second}`);
  });

  test('leaves the queue if another receipt is requested', async () => {
    const shopId = await newShop();
    const id = await flagged(shopId, 'not_terminal');
    const rows = await queueWith(id);
    await operator.act(`/operations/${id}/review`, { decision: 'ask_again', note: 'unreadable' });
    const ids = async () =>
      (await stillWaiting(console.store, rows)).map((row) => row.operation_id);
    expect(await ids()).not.toContain(id);
    const receipt_id = newId();
    const events: OperationEvent[] = [
      uploaded(receipt_id),
      { type: 'ManualCheckStarted', data: { receipt_id } },
    ];
    await append(console.store, id, { events, expectedRevision: 5 });
    expect(await ids()).toContain(id);
  });
});

test('shows whether an awaited receipt was uploaded', async () => {
  const shopId = await newShop();
  const routes = [{ ...paymentRoute, requires_receipt: true }];
  const awaited = await givenPayment(console.store, { shopId, routes, answers: [acceptance()] });
  const badges = async () => {
    const texts = [`/operations?shop=${shopId}`, `/operations/${awaited}`].map((path) =>
      admin.get(path),
    );
    return (await Promise.all(texts)).map(
      ({ text }) => /Awaiting confirmation(?:: receipt uploaded)?(?=<\/span>)/.exec(text)?.[0],
    );
  };
  await expect.poll(badges).toEqual(['Awaiting confirmation', 'Awaiting confirmation']);
  const receipt = newId();
  await append(console.store, awaited, { events: [uploaded(receipt)], expectedRevision: 2 });
  const withReceipt = 'Awaiting confirmation: receipt uploaded';
  await expect.poll(badges).toEqual([withReceipt, withReceipt]);
  const asksAgain: OperationEvent[] = [
    { type: 'ManualCheckStarted', data: { receipt_id: receipt, reason: 'not_terminal' } },
    { type: 'ReviewDecided', data: { receipt_id: receipt, decision: 'ask_again', note: 'x' } },
  ];
  await append(console.store, awaited, { events: asksAgain, expectedRevision: 3 });
  await expect.poll(badges).toEqual(['Awaiting confirmation', 'Awaiting confirmation']);
});

test('shows the balance before and after an adjustment in the chosen currency', async () => {
  const shopId = await newShop();
  const path = `/shops/${shopId}/adjustments/new`;
  const values = { adjustment_id: newId(), currency: 'USD', amount: '100.00', reason: 'top-up' };
  const { text } = await admin.act(path, values);
  for (const part of ['AdjustmentRequested', 'AdjustmentPosted', 'EntryPosted', 'top-up'])
    expect(text).toContain(part);
  const conflict = await admin.act(path, { ...values, amount: '-11.00' });
  expect(conflict).toMatchObject(pageWith(400, 'role="alert"'));
  const debit = { ...values, adjustment_id: newId(), amount: '-130.50' };
  const preview = await submit(admin, path, debit);
  expect(preview).toMatch(/Current balance<\/dt><dd>[^<]*100\.00/);
  expect(preview).toMatch(/Balance after<\/dt><dd><strong class="figure-large">[^<]*[-−]\D*30\.50/);
  const other = await submit(admin, path, { ...values, currency: 'EUR', amount: '1.00' });
  expect(other).toMatch(/Current balance<\/dt><dd>[^<]*0\.00/);
});

test('warns of an inconsistent ledger, and rejects its adjustment', async () => {
  const shopId = await newShop();
  const about = { shop_id: shopId, currency: 'USD', kind: 'adjustment', adjustment_id: 'a' };
  const legs = [
    { account: 'balance', amount: '1.00' },
    { account: 'external', amount: '-1.00' },
  ];
  const after = { balance_after: '5.00', reserved_after: '0.00' };
  const data = { ...about, legs, ...after, reason: 'x', cause: 'AdjustmentRequested' };
  const origin = { actor: 'service:test', correlationId: newId() };
  const events = toNewEvents([{ type: 'EntryPosted', data }], origin);
  const stream = ledgerStream(shopId, 'USD');
  await console.store.append({ stream, expectedRevision: -1, events });
  const path = `/shops/${shopId}/adjustments/new`;
  const values = { adjustment_id: newId(), currency: 'USD', amount: '100.00', reason: 'top-up' };
  expect(await submit(admin, path, values)).toContain('the adjustment will not be posted');
  expect((await admin.act(path, values)).text).toContain('accounting_inconsistent');
});

test('marks an unlimited overdraft in red', async () => {
  const unlimited =
    /<span class="badge danger">(?:(?!class="badge).)*Unlimited<\/span><\/span> ?([A-Z, ]+)/;
  const [unlimitedShop, limitedShop] = [await newShop(), await newShop({ RUB: '500.00' })];
  expect(unlimited.exec((await admin.get(`/shops/${unlimitedShop}`)).text)?.[1]).toContain(
    'EUR, RUB, USD, USDT',
  );
  const { text } = await admin.get(`/shops/${limitedShop}`);
  expect(text).toContain('500.00');
  expect(unlimited.exec(text)?.[1]).toContain('EUR, USD, USDT');
  const values = { adjustment_id: newId(), currency: 'RUB', amount: '1.00', reason: 'x' };
  for (const shop of [unlimitedShop, limitedShop])
    await admin.act(`/shops/${shop}/adjustments/new`, values);
  const balances = async () => (await admin.get('/balances')).text;
  await expect
    .poll(balances)
    .toMatch(new RegExp(`${unlimitedShop}.{0,900}?badge danger(?:(?!class="badge).)*Unlimited`));
});

test('requires an overdraft limit in each currency of a new shop: an amount or unlimited', async () => {
  const merchant_id = await console.newMerchant('M');
  const filled = {
    merchant_id,
    name: 'Limits',
    rate_limit_per_second: '10',
    rate_limit_burst: '20',
  };
  const page = await admin.act('/shops/new', { ...filled, overdraft_limits_RUB: '600,5' });
  expect(page.status).toBe(400);
  for (const currency of ['EUR', 'USD', 'USDT'])
    expect(page.text).toMatch(new RegExp(`id="a-overdraft_limits_${currency}"[^>]*aria-invalid`));
  const limits = {
    overdraft_limits_RUB: '600,5',
    overdraft_limits_EUR: '0',
    overdraft_limits_USD: 'unlimited',
  };
  const values = { ...filled, ...limits, overdraft_limits_USDT: 'Без лимита' };
  expect(await submit(admin, '/shops/new', values)).toContain('<dd>unlimited</dd>');
  const created = await admin.act('/shops/new', values);
  expect(created.text).toMatch(/0\.00.*600\.50.*Unlimited<\/span><\/span> ?USD, USDT/);
});

test('shows a balance below zero in red, and counts it on the overview', async () => {
  const shopId = await newShop();
  const body = { adjustment_id: newId(), currency: 'RUB', amount: '-5.00', reason: 'x' };
  await console.call(`POST /admin/v1/shops/${shopId}/adjustments`, { body });
  const red = /<strong class="negative">−5\.00/;
  expect((await admin.get(`/shops/${shopId}/ledger/RUB`)).text).toMatch(red);
  const listed = async () => (await admin.get('/balances?balance=negative')).text;
  await expect.poll(listed).toMatch(new RegExp(`${shopId}(?:(?!<tr).)*class="negative"`));
  expect((await admin.get('/')).text).toMatch(
    /class="tile urgent" href="\/balances\?balance=negative"><span class="tile-value">[1-9]/,
  );
});

test('the overview reports providers, routes and shops that decline operations (R16.17)', async () => {
  const overview = async () => (await admin.get('/?lang=en')).text;
  const shopId = await newShop();
  const refused = { outcome: 'refused', reason: 'limit' } as const;
  // No other test has operations at this priority.
  const routes = [{ ...paymentRoute, priority: 7 }];
  const payment = { shopId, answers: [refused], routes };
  for (let count = 0; count < 5; count += 1) await givenPayment(console.store, payment);
  await console.waitForReadModels();
  const text = await overview();
  expect(text).toMatch(
    new RegExp(`href="/operations\\?shop=${shopId}&amp;status=declined">Books</a>.*5 of 5`),
  );
  expect(text).toMatch(/sandbox · Payment · WT_RUB_C2C<\/a>.*accepted 0 of 5/);
  const off = await admin.act('/providers/sandbox/switch-off', { reason: 'Maintenance' });
  expect(off.status).toBe(200);
  await expect.poll(overview).toContain('provider switched off: Maintenance');
  await admin.act('/providers/sandbox/switch-on', { reason: 'Done' });
  await expect.poll(overview).not.toContain('Maintenance');
});

test('the journal names the cause of an entry, and not the service that posted it', async () => {
  const shopId = await newShop();
  const operationId = await givenPayment(console.store, { shopId, answers: [acceptance()] });
  const amounts = { recorded: '1.25', commission: '0.00' };
  const about = { shopId, currency: 'USD', operationId, dueSince: 0n, ...amounts };
  const source = { amount: '100.00', currency: 'RUB', fx_rate: '0.012500' };
  const ledgers = createLedgers({ store: console.store });
  await ledgers.post({
    kind: 'credit',
    ...about,
    why: { cause: 'OperationPartiallyCompleted', provider: 'sandbox', source },
    origin: { actor: 'service:webhooks', correlationId: operationId },
  });
  await ledgers.stop();
  const { text } = await admin.get(`/shops/${shopId}/ledger/USD`);
  expect(text).not.toContain('service:webhooks');
  const causes = ['Partially completed', '× 0.012500', 'provider:sandbox'];
  for (const part of [...causes, `/operations/${operationId}`]) expect(text).toContain(part);
});

test('a terminal operation links to related pages, and at the end to its erasure', async () => {
  const shopId = await newShop();
  const payment = { shopId, answers: [acceptance()], after: [cancelled] };
  const id = await givenPayment(console.store, payment);
  const { text } = await admin.get(`/operations/${id}`);
  const head = /<header class="heading operation-head">.*?<\/header>/.exec(text)?.[0] ?? '';
  for (const href of [
    '/operations?q=c',
    `/shops/${shopId}/messages?operation_id=${id}`,
    `/shops/${shopId}/ledger/RUB`,
  ])
    expect(head).toContain(`href="${href}"`);
  expect(head).not.toContain('erasures/new');
  expect(text.slice(-4_000)).toContain(`/shops/${shopId}/erasures/new?client_id=c`);
});
