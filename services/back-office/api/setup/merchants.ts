import { merchantStream } from '#shared/domain/shop/events.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { merchantBody } from './bodies.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';

const deadlineMs = 10_000;

export function registerMerchants(app: AdminApp, { store }: AdminDependencies): void {
  app.post('/admin/v1/merchants', async (c) => {
    const { name } = validate(merchantBody, await readJson(c));
    const merchantId = newId();
    const data = { merchant_id: merchantId, name };
    const events = toNewEvents([{ type: 'MerchantCreated', data }], operatorOrigin(c));
    const stream = merchantStream(merchantId);
    const result = await store.append({ stream, expectedRevision: NO_STREAM, events, deadlineMs });
    if (result.outcome !== 'appended') throw notDecided();
    return c.json(data, 201);
  });
}
