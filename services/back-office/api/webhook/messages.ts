import { z } from 'zod';
import { messageStatuses } from '#shared/application/webhooks/database/tables.ts';
import { isCursor } from '#shared/application/webhooks/messages/cursor.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate, type ValidationOptions } from '#shared/platform/http/validate.ts';
import { resendWebhook, resendWebhooks, sendPing } from '#shared/application/webhooks/commands.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { invalidCursor, limitParameter, readQuery } from '../query.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

const time = z.iso.datetime({ offset: true }).optional();

const messagesQuery = z.strictObject({
  operation_id: z.guid().optional(),
  endpoint_id: z.guid().optional(),
  status: z.enum(messageStatuses).optional(),
  type: z.enum(webhookTypes).optional(),
  from: time,
  to: time,
  cursor: z.string().max(200).optional(),
  limit: limitParameter,
});

/** Which messages are sent again: those recorded at or after `from`, before `to`. */
export const redeliverBody = z.strictObject({
  status: z.enum(messageStatuses).default('exhausted'),
  from: time,
  to: time,
  operation_id: z.guid().toLowerCase().optional(),
  endpoint_id: z.guid().toLowerCase().optional(),
  type: z.enum(webhookTypes).optional(),
  cursor: z
    .string()
    .max(200)
    .refine(isCursor, 'this is no next_cursor of an earlier answer')
    .optional(),
});

export const redeliverRules: ValidationOptions = {
  across: ({ from, to }) =>
    typeof from === 'string' && typeof to === 'string' && Date.parse(from) >= Date.parse(to)
      ? [{ pointer: '/to', code: 'field_invalid', detail: 'must be later than from' }]
      : [],
};

const parseTime = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

export function registerMessages(app: AdminApp, { store, db }: AdminDependencies): void {
  app.post('/admin/v1/shops/:shop_id/webhook/ping', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const endpoint = endpointIn(await readShop(store, shopId));
    if (!endpoint) throw new Problem('not_found', { detail: 'the shop has no webhook yet' });
    const { endpointId } = endpoint;
    const ping = { shopId, endpointId, origin: operatorOrigin(c) };
    const messageId = await sendPing({ store, db }, ping);
    return c.json({ message_id: messageId }, 202);
  });

  app.get('/admin/v1/shops/:shop_id/webhook-messages', async (c) => {
    const { shopId } = await readShop(store, readPathId(c.req.param('shop_id')));
    const {
      operation_id: operationId,
      endpoint_id: endpointId,
      from,
      to,
      ...query
    } = readQuery(c, messagesQuery);
    const between = { from: parseTime(from), to: parseTime(to) };
    const page = await fromDatabase(
      listMessages(db, { shopId, operationId, endpointId, ...between, ...query }),
    );
    if ('refusal' in page) throw invalidCursor();
    return c.json(page);
  });

  app.post('/admin/v1/shops/:shop_id/webhook-messages/redeliver', async (c) => {
    const { shopId } = await readShop(store, readPathId(c.req.param('shop_id')));
    const body = validate(redeliverBody, await readJson(c), redeliverRules);
    const data = { shop_id: shopId, ...body };
    return c.json(await resendWebhooks({ store, db }, data, operatorOrigin(c)), 202);
  });

  app.post('/admin/v1/webhook-messages/:message_id/redeliver', async (c) => {
    const messageId = readPathId(c.req.param('message_id'));
    const message = await fromDatabase(
      db
        .selectFrom('webhooks.message')
        .select('shop_id')
        .where(({ eb, or }) =>
          or([eb('message_id', '=', messageId), eb('event_id', '=', messageId)]),
        )
        .limit(1)
        .executeTakeFirst(),
    );
    if (!message) throw new Problem('not_found');
    const data = { shop_id: message.shop_id, message_id: messageId };
    const resent = await resendWebhook({ store, db }, data, { origin: operatorOrigin(c) });
    if (resent === 'not_found') throw new Problem('not_found');
    return c.json({ message_id: messageId }, 202);
  });
}
