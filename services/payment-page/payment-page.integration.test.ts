import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { useGateway } from '#services/merchant-api/testing/gateway.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { createCurrentStates } from '#shared/platform/event-store/current-states.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { operationStates } from '#shared/application/operations/streams.ts';
import { countAlone, createAddressLimits } from './address-limits.ts';
import { createPaymentPage } from './app.ts';
import { createWatch, type StatusWatch } from './live/watch.ts';
import { toVisiblePayment, computePageVersion } from './visible-payment.ts';
import type { PayDependencies } from './dependencies.ts';

const gateway = useGateway();
let directory: Directory;
let watch: StatusWatch;
let page: ReturnType<typeof create>;

/** The page on the merchant API's log; they share nothing else. */
function create(change: Partial<PayDependencies> = {}) {
  const { store, providers, receipts } = gateway;
  const operations = createCurrentStates(store).reader(operationStates(store));
  watch = createWatch({
    logger,
    everyMs: 50,
    version: async (id) => {
      const state = await operations.read(operationStream(id));
      const shown = state.phase === 'admitted' ? toVisiblePayment(state, Date.now()) : undefined;
      return shown && computePageVersion(shown);
    },
  });
  return createPaymentPage({
    store,
    providers,
    receipts,
    personal: testPersonalData(store),
    directory,
    operations,
    watch,
    limits: createAddressLimits(countAlone()),
    logger,
    metrics: createMetrics('test'),
    baseUrl: 'http://pay.test',
    trustedProxies: 0,
    now: Date.now,
    ...change,
  });
}

beforeEach(() => {
  directory = createDirectory(gateway.store);
  page = create();
});
afterEach(async () => {
  watch.stop();
  await directory.stop();
});

const pdf = (text = 'a receipt') => `%PDF-1.4\n${text}`;
const formOf = (content: string) => {
  const form = new FormData();
  form.append('receipt', new Blob([content]), 'receipt.pdf');
  return form;
};
const upload = async (operationId: string, content = pdf(), on = page) =>
  on.request(`/${operationId}`, { method: 'POST', body: formOf(content) });
const shown = async (operationId: string) => (await page.request(`/${operationId}`)).text();
const statusOf = async (operationId: string) =>
  /data-payment="([a-z]+)/.exec(await shown(operationId))?.[1];

/** A payment that awaits a receipt, whose review by the provider stays open. */
async function awaiting() {
  const shop = await gateway.shop({
    routes: [{ requires_receipt: true, options: { review: 'manual' } }],
  });
  const { body } = await shop.pay({});
  const receipts = async () => (await gateway.provider.seen(body.operation_id)).receipts;
  return { shop, id: body.operation_id as string, number: body.number as string, receipts };
}

describe('a receipt uploaded on the page', () => {
  it('is stored, submitted once and put under review, as by confirm_payment (R15.4)', async () => {
    const { shop, id, receipts } = await awaiting();
    const answer = await upload(id);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${id}`]);
    expect(await statusOf(id)).toBe('review');
    expect((await upload(id)).status).toBe(303);
    const form = formOf(pdf());
    form.append('operation_id', id);
    form.append('confirmation_type', 'receipt');
    expect(await shop.confirm(form)).toMatchObject({
      status: 200,
      body: { status: 'awaiting_confirmation' },
    });
    expect(await receipts()).toHaveLength(1);
    const events = await gateway.store.read(operationStream(id));
    const uploaded = events.filter(({ type }) => type === 'ReceiptUploaded');
    expect(uploaded).toMatchObject([{ metadata: { actor: 'payer:payment-page' } }]);
    expect(uploaded[0]?.metadata).not.toHaveProperty('key_id');
  });

  it('goes to manual review when it is not a PDF', async () => {
    const { shop, id } = await awaiting();
    expect((await upload(id, 'a picture')).status).toBe(303);
    expect(await statusOf(id)).toBe('review');
    const { body } = await shop.state({ operation_id: id });
    expect(body).toMatchObject({ status: 'manual_check', manual_check_reason: 'not_terminal' });
  });

  it('is rejected with a message while another is under review', async () => {
    const { id, number } = await awaiting();
    await upload(id);
    const response = await upload(id, pdf('another'));
    const text = await response.text();
    expect(response.status).toBe(412);
    expect(text).toContain('none is needed now');
    expect(text).toContain('data-payment="review');
    expect(text).not.toContain(number);
  });

  it('is requested again when it can’t be stored', async () => {
    const { id, receipts } = await awaiting();
    const unavailable = async () => {
      throw new Error('the bucket is unavailable');
    };
    const answer = await upload(
      id,
      pdf(),
      create({ receipts: { ...gateway.receipts, put: unavailable } }),
    );
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('Send it again');
    expect(await receipts()).toHaveLength(0);
    expect((await upload(id)).status).toBe(303);
  });
});

it('streams a change, after which the page is up to date', async () => {
  const { shop, id } = await awaiting();
  const seen = /data-payment="([^"]+)"/.exec(await shown(id))?.[1] ?? '';
  const stream = await page.request(`/${id}/events?seen=${seen}`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain('retry:');
  await shop.cancel({ operation_id: id });
  expect((await reader?.read())?.value).toBe('event: changed\ndata: cancelled\n\n');
  expect(await statusOf(id)).toBe('cancelled');
  await reader?.cancel();
});
