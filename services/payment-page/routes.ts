import type { Context, Hono } from 'hono';
import { clientAddress, subscriberPrefix } from '#shared/platform/http/client-address.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readPreferences } from '#shared/platform/pages/index.ts';
import type { PayDependencies, PayEnv } from './dependencies.ts';
import { findPayment, type Payment } from './find-payment.ts';
import { changesStream } from './live/stream.ts';
import { pageUploads, uploadPayerReceipt } from './upload/upload-receipt.ts';
import { createUploads } from '#shared/application/receipts/receipt-form.ts';
import { followQuery } from './view/live.ts';
import { renderPaymentPage } from './view/payment-page.ts';
import type { UploadFault } from './view/receipt-form.ts';

const versionPattern = /^[a-z0-9.-]{1,64}$/;

/** GET and POST <operation_id>, and the event stream that announces changes of the page. */
export function registerPayment(app: Hono<PayEnv>, dependencies: PayDependencies): void {
  const { watch, limits, baseUrl, trustedProxies, now } = dependencies;
  const uploads = createUploads(dependencies.uploadLimits ?? pageUploads);

  // Applied to every path of a payment, before anything is looked up.
  app.use('/:operation_id/*', async (c, next) => {
    const address = subscriberPrefix(clientAddress(c, { trustedProxies }));
    c.set('address', address);
    const token = limits.take(address);
    if (!token.allowed) throw new Problem('rate_limited', { retryAfterMs: token.nextInMs });
    await next();
  });

  const find = (c: Context<PayEnv>) =>
    findPayment(dependencies, { id: c.req.param('operation_id') ?? '', address: c.get('address') });
  const show = (
    c: Context<PayEnv>,
    { operation, shown, shop, isTest }: Payment,
    failed?: { status: 400 | 412 | 413 | 503; fault: UploadFault },
  ) =>
    c.html(
      renderPaymentPage({
        preferences: readPreferences(c),
        operationId: operation.operationId,
        shown,
        shop,
        isTest,
        follow: c.req.method === 'GET' && c.req.query(followQuery) !== undefined,
        baseUrl,
        nowMs: now(),
        fault: failed?.fault,
      }),
      failed?.status ?? 200,
    );

  app.get('/:operation_id', async (c) => show(c, await find(c)));

  app.post('/:operation_id', async (c) => {
    const { operation } = await find(c);
    const { operationId } = operation;
    const refused = await uploadPayerReceipt(dependencies, { c, uploads, operation });
    // Redirects to the page's own address, so that a reload does not send the form again.
    if (refused === undefined) return c.redirect(`/${operationId}`, 303);
    return show(c, await find(c), refused);
  });

  app.get('/:operation_id/events', async (c) => {
    const { operation } = await find(c);
    const parameter = c.req.query('seen') ?? '';
    const lastVersion = versionPattern.test(parameter) ? parameter : '';
    const { operationId } = operation;
    const stream = changesStream(watch, { operationId, lastVersion, address: c.get('address') });
    if (!stream)
      throw new Problem('not_ready', {
        detail: 'the maximum number of event streams is open',
        retryAfterMs: 30_000,
      });
    return c.body(stream, 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
  });
}
