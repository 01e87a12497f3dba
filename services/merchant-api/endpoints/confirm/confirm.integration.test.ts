import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
type Shop = Awaited<ReturnType<typeof gateway.shop>>;

const pdf = (text = 'a receipt') => `%PDF-1.4\n${text}`;
const formOf = (...parts: [name: string, value: string | Blob][]) => {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
};
const file = (content: string | Uint8Array<ArrayBuffer>, type = 'application/pdf') =>
  new Blob([content], { type });
const confirmation = (operationId: string, content: string | Uint8Array<ArrayBuffer> = pdf()) =>
  formOf(
    ['operation_id', operationId],
    ['confirmation_type', 'receipt'],
    ['receipt', file(content)],
  );

/** A shop whose payments await a receipt, and one such payment. */
async function awaiting(options: object = {}) {
  const shop = await gateway.shop({ routes: [{ requires_receipt: true, options }] });
  return { shop, operationId: await pay(shop) };
}
async function pay(shop: Shop): Promise<string> {
  const { body } = await shop.pay({});
  expect(body).toMatchObject({ status: 'awaiting_confirmation' });
  return body.operation_id;
}
const receiptsAtProvider = async (operationId: string) =>
  (await gateway.provider.seen(operationId)).receipts;
const eventsOf = async (operationId: string) => (await gateway.eventTypes(operationId)).events;
const countOf = async (operationId: string, type: string) =>
  (await eventsOf(operationId)).filter((each) => each === type).length;

const filesOf = (operationId: string) => readdirSync(join(gateway.receiptsFolder, operationId));
const receiptIdsOf = async (operationId: string) =>
  (await gateway.store.read(operationStream(operationId))).flatMap(({ type, data }) =>
    type === 'ReceiptUploaded' ? [(data as { receipt_id: string }).receipt_id] : [],
  );

describe('POST /v1/confirm_payment', () => {
  it.each([
    ['first', ['receipt', 'operation_id', 'confirmation_type']],
    ['in the middle', ['confirmation_type', 'receipt', 'operation_id']],
    ['last', ['operation_id', 'confirmation_type', 'receipt']],
  ])(
    'accepts a receipt part that comes %s, and submits it to the provider (R9.1)',
    async (_, order) => {
      const { shop, operationId } = await awaiting();
      const parts: Record<string, string | Blob> = {
        operation_id: operationId.toUpperCase(),
        confirmation_type: 'receipt',
        receipt: file(pdf(), 'text/html'),
      };
      const { status, body } = await shop.confirm(
        formOf(...order.map((name) => [name, parts[name] ?? ''] as [string, string | Blob])),
      );
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          operation_id: operationId,
          status: 'awaiting_confirmation',
          expected_amount: '100.00',
          external_confirmation: { required: true, methods: ['receipt'] },
          number: expect.any(String),
        },
      });
      const state = (await shop.state({ operation_id: operationId })).body;
      expect(state).toMatchObject({ ...body, receipt_evidence_status: 'not_ready', receipts: [] });
      const [submitted, ...more] = await receiptsAtProvider(operationId);
      expect(submitted).toMatchObject({
        sha256: hash('sha256', pdf()),
        content_type: 'application/pdf',
        bytes: pdf().length,
      });
      expect(more).toEqual([]);
      const stored = await gateway.receipts.get(receiptKey(operationId, submitted.receipt_id));
      expect(Buffer.from(stored ?? []).toString()).toBe(pdf());
      expect(await eventsOf(operationId)).toEqual([
        'OperationAdmitted',
        'AttemptStarted',
        'AttemptAccepted',
        'ReceiptUploaded',
        'ReceiptSubmitted',
      ]);
    },
  );

  it.each([
    ['approve', { status: 'completed', actual_amount: '100.00', recorded_amount: '100.00' }],
    ['decline', { status: 'declined', actual_amount: '0.00', settlement_amount: '0.00' }],
    ['potential_fake', { status: 'manual_check', manual_check_reason: 'potential_fake' }],
    ['not_terminal', { status: 'manual_check', manual_check_reason: 'not_terminal' }],
    ['flagged', { status: 'manual_check', manual_check_reason: 'potential_fake' }],
  ])('returns the outcome of an immediate review: %s (R9.2)', async (option, expected) => {
    const { shop, operationId } = await awaiting({ review: option });
    const { status, body } = await shop.confirm(confirmation(operationId));
    expect({ status, body }).toMatchObject({ status: 200, body: expected });
    expect((await shop.state({ operation_id: operationId })).body).toMatchObject(expected);
    const again = await shop.confirm(confirmation(operationId));
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body });
    expect(await receiptsAtProvider(operationId)).toMatchObject([{ times: 1 }]);
  });

  it('records the API key with the merchant’s events, not the provider’s (R16.4)', async () => {
    const { shop, operationId } = await awaiting({ review: 'approve' });
    await shop.confirm(confirmation(operationId));
    const events = await gateway.store.read(operationStream(operationId));
    expect(events.map(({ type, metadata: { actor, key_id } }) => [type, actor, key_id])).toEqual([
      ...['OperationAdmitted', 'AttemptStarted', 'AttemptAccepted', 'ReceiptUploaded'].map(
        (type) => [type, `merchant:${shop.shopId}`, shop.keyId],
      ),
      ['ReceiptSubmitted', 'provider:sandbox', undefined],
      ['OperationCompleted', 'provider:sandbox', undefined],
    ]);
  });

  it.each([
    ['text', 'Transfer of 100.00 is on its way', 'approve'],
    ['a wrong signature', '%PDX-1.4', 'manual'],
    [
      'a picture that is called a PDF',
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]),
      'decline',
    ],
    ['the signature beyond the first KiB', `${' '.repeat(1_024)}%PDF-1.4`, 'approve'],
  ])('stores a file that is not a PDF for manual review: %s (R9.3)', async (_, content, says) => {
    const { shop, operationId } = await awaiting({ review: says });
    const { status, body } = await shop.confirm(confirmation(operationId, content));
    const inCheck = { status: 'manual_check', manual_check_reason: 'not_terminal' };
    expect({ status, body }).toMatchObject({ status: 200, body: inCheck });
    expect((await shop.state({ operation_id: operationId })).body).toMatchObject(inCheck);
    const [submitted] = await receiptsAtProvider(operationId);
    expect(submitted).toMatchObject({ content_type: 'application/octet-stream' });
    const stored = await gateway.receipts.get(receiptKey(operationId, submitted.receipt_id));
    expect(Buffer.from(stored ?? []).equals(Buffer.from(content as string))).toBe(true);
  });

  it('accepts the same file again without a second upload, and no other file (R9.4, R9.5)', async () => {
    const { shop, operationId } = await awaiting();
    const elsewhere = shop.on(await gateway.secondInstance());
    const first = await shop.confirm(confirmation(operationId));
    for (const instance of [elsewhere, shop]) {
      const again = await instance.confirm(confirmation(operationId));
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    }
    const other = await shop.confirm(confirmation(operationId, pdf('another')));
    const notExpected = { code: 'confirmation_not_expected', retryable: false };
    expect(other).toMatchObject({ status: 412, body: notExpected });
    await gateway.provider.act(operationId, 'review', { result: 'potential_fake' });
    const inCheck = await shop.confirm(confirmation(operationId));
    expect(inCheck).toMatchObject({ status: 200, body: { status: 'manual_check' } });
    expect((await shop.confirm(confirmation(operationId, pdf('another')))).status).toBe(412);
    await gateway.provider.act(operationId, 'review', { result: 'approve' });
    const decided = await shop.confirm(confirmation(operationId));
    expect(decided).toMatchObject({
      status: 200,
      body: { status: 'completed', actual_amount: '100.00' },
    });
    expect((await shop.confirm(confirmation(operationId, pdf('another')))).status).toBe(412);
    expect(await receiptsAtProvider(operationId)).toMatchObject([{ times: 1 }]);
    expect(await countOf(operationId, 'ReceiptUploaded')).toBe(1);
  });

  it('accepts one of several concurrent receipts, on either instance (R9.5)', async () => {
    const { shop, operationId } = await awaiting();
    const other = shop.on(await gateway.secondInstance());
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text, index) =>
        (index % 2 ? shop : other).confirm(confirmation(operationId, pdf(text))),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(3);
    expect(await countOf(operationId, 'ReceiptUploaded')).toBe(1);
    expect(await receiptsAtProvider(operationId)).toHaveLength(1);
    // Refused uploads leave no file behind.
    expect(filesOf(operationId)).toEqual(await receiptIdsOf(operationId));
  });

  it('stores a receipt once, however often it is uploaded concurrently (R9.4)', async () => {
    const { shop, operationId } = await awaiting();
    const other = shop.on(await gateway.secondInstance());
    const answers = await Promise.all(
      [shop, other, shop, other].map((each) => each.confirm(confirmation(operationId))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await countOf(operationId, 'ReceiptUploaded')).toBe(1);
    expect(await receiptsAtProvider(operationId)).toHaveLength(1);
    expect(filesOf(operationId)).toEqual(await receiptIdsOf(operationId));
  });

  it('accepts a receipt of 10 MiB and not a byte more (R2.5)', async () => {
    const { shop, operationId } = await awaiting();
    const bytes = new Uint8Array(10 * 1024 * 1024 + 1);
    bytes.set(Buffer.from('%PDF-'));
    const refused = await shop.confirm(confirmation(operationId, bytes));
    expect(refused).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect((await shop.confirm(confirmation(operationId, bytes.subarray(1)))).status).toBe(200);
    expect(await receiptsAtProvider(operationId)).toMatchObject([{ bytes: 10 * 1024 * 1024 }]);
  });

  it('stops reading an endless receipt at the size limit', async () => {
    const { shop, operationId } = await awaiting();
    const head = `--b\r\ncontent-disposition: form-data; name="receipt"; filename="r.pdf"\r\n\r\n%PDF-`;
    let sentBytes = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        const chunk = sentBytes === 0 ? Buffer.from(head) : Buffer.alloc(64 * 1024);
        sentBytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const init = { method: 'POST', body: endless, duplex: 'half', headers } as RequestInit;
    expect(await shop.fetch('/v1/confirm_payment', init)).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
    expect(sentBytes).toBeLessThan(11 * 1024 * 1024);
    expect((await shop.confirm(confirmation(operationId))).status).toBe(200);
  });
});

describe('an uploaded receipt', () => {
  it('is accepted if the provider does not respond, and remains to be submitted', async () => {
    const { shop, operationId } = await awaiting();
    const silent = await gateway.withSandbox({
      submitReceipt: async () => ({ outcome: 'unknown', cause: 'timeout' }),
    });
    const { status, body } = await shop.on(silent).confirm(confirmation(operationId));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'awaiting_confirmation' },
    });
    expect((await eventsOf(operationId)).at(-1)).toBe('ReceiptUploaded');
    expect(await receiptsAtProvider(operationId)).toEqual([]);
    expect((await shop.confirm(confirmation(operationId, pdf('another')))).status).toBe(412);
  });

  it('is submitted with a timeout of at most 5 s', async () => {
    const { shop, operationId } = await awaiting();
    let timeoutMs = 0;
    const hanging = await gateway.withSandbox({
      submitReceipt: async (_attempt, _receipt, bounds) => {
        ({ timeoutMs } = bounds);
        return { outcome: 'unknown', cause: 'timeout' };
      },
    });
    await shop.on(hanging).confirm(confirmation(operationId));
    expect(timeoutMs).toBeGreaterThan(0);
    expect(timeoutMs).toBeLessThanOrEqual(5_000);
  });

  it('is rejected with 503 if it cannot be stored (R9.6)', async () => {
    const { shop, operationId } = await awaiting();
    const full = await gateway.secondInstance({
      receipts: { ...gateway.receipts, put: () => Promise.reject(new Error('the disk is full')) },
    });
    const answer = await shop.on(full).confirm(confirmation(operationId));
    expect(answer).toMatchObject({ status: 503, body: { code: 'not_ready', retryable: true } });
    expect(await countOf(operationId, 'ReceiptUploaded')).toBe(0);
    expect((await shop.confirm(confirmation(operationId))).status).toBe(200);
  });
});
