import { beforeAll, describe, expect, test } from 'vitest';
import { spellings } from '#services/webhooks/testing/guard-spellings.ts';
import { useAdmin } from '../../testing/admin.ts';

const admin = useAdmin({ allowPrivate: false });
let shopId: string;
beforeAll(async () => {
  shopId = await admin.newShop();
});

const save = (url: string) =>
  admin.call(`PUT /admin/v1/shops/${shopId}/webhook`, { body: { url } });
const saved = () => admin.call(`GET /admin/v1/shops/${shopId}/webhook`);
const at = (where: 'save' | 'resolve') =>
  spellings.flatMap((each) =>
    each.at === where ? { url: each.url, shown: JSON.stringify(each.url) } : [],
  );

describe('a webhook URL at a forbidden destination', () => {
  test.each(at('save'))('is rejected: $shown (R14.14)', async ({ url }) => {
    expect(await save(url)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/url', code: 'field_invalid' }] },
    });
  });
  test('leaves the shop without a webhook', async () => {
    expect((await saved()).status).toBe(404);
  });
});

describe('a webhook URL with a host name', () => {
  test.each(at('resolve'))(
    'is saved before its addresses are resolved: $shown',
    async ({ url }) => {
      expect((await save(url)).status).toBe(200);
      expect((await saved()).body['url']).toBe(url);
    },
  );
});
