import { beforeAll, describe, expect, it, test } from 'vitest';
import { acceptance, givenPayment } from '#services/processor/testing/operations.ts';
import { newId } from '#shared/platform/ids.ts';
import { tokens } from '../testing/admin.ts';
import { listActions } from '../frame/site-map.ts';
import { consoleSections } from './pages.ts';
import { useConsole } from './testing/console.ts';
import { lostValues, overlongValues } from './testing/overlong-form.ts';
import { hidden, visitorAt, type Visitor } from './testing/visitor.ts';

const actions = listActions(consoleSections).map(({ action }) => action);
const console = useConsole();
let admin: Visitor;
const ids: Record<string, string> = {};

beforeAll(async () => {
  admin = await console.visitor(tokens.admin);
  const shopId = await console.newShopWithWebhook('Forms');
  const shop = `POST /admin/v1/shops/${shopId}`;
  const key = await console.call(`${shop}/api-keys`, { body: { label: 'k' } });
  const member = await console.call(`${shop}/members`, { body: { name: 'A', role: 'admin' } });
  const operation_id = await givenPayment(console.store, { shopId, answers: [acceptance()] });
  const { key_id } = key.body;
  const { member_id } = member.body;
  Object.assign(ids, { shop_id: shopId, key_id, member_id, operation_id, provider: 'sandbox' });
  await console.waitForReadModels();
});

/** The path of an action, with the known IDs. */
const pathOf = (path: string) => path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? name);

/** Forms of objects that are not set up here: their own tests cover them. */
const ofOtherObjects = /:(account|entry_id|token_id)\b/;
const patterns = actions.map(({ path }) => path).filter((path) => !ofOtherObjects.test(path));
const withoutFields = [
  '/shops/:shop_id/keys/:key_id/revoke',
  '/shops/:shop_id/members/:member_id/link',
  '/shops/:shop_id/members/:member_id/remove',
  '/shops/:shop_id/routes/edit',
  '/shops/:shop_id/webhook/rotate',
  '/shops/:shop_id/webhook/ping',
  '/shops/:shop_id/messages/:message_id/redeliver',
];
const notTyped = ['form_token', 'once', 'confirmed', 'count', 'seen'];

describe('a rejected form', () => {
  it.each(patterns)('keeps what was typed: %s', async (pattern) => {
    const path = pathOf(pattern);
    const opened = await admin.get(path);
    expect([opened.status, opened.text.includes('<form class="card')]).toEqual([200, true]);
    const typed = overlongValues(opened.text);
    const hasFields = Object.keys(typed).some((name) => !notTyped.includes(name));
    expect(hasFields).toBe(!withoutFields.includes(pattern));
    const refused = await admin.post(path, { ...typed, confirmed: 'yes' });
    // A form without fields is accepted, or has nothing to keep.
    expect(hasFields ? [400] : [303, 400]).toContain(refused.status);
    expect(hasFields ? lostValues(refused.text, typed) : []).toEqual([]);
  });
});

test('keeps the form of a new merchant when the append fails', async () => {
  const append: typeof console.store.append = (request) =>
    request.stream.startsWith('merchant-')
      ? Promise.reject(new Error('broken'))
      : console.store.append(request);
  const broken = await console.startInstance({ store: { ...console.store, append } });
  try {
    const visitor = visitorAt(broken.port);
    await visitor.signIn(tokens.admin);
    const opened = await visitor.get('/merchants/new');
    const form = { form_token: hidden(opened.text, 'form_token'), name: 'Retained' };
    const confirm = await visitor.post('/merchants/new', form);
    const once = hidden(confirm.text, 'once');
    const refused = await visitor.post('/merchants/new', { ...form, once, confirmed: 'yes' });
    expect([refused.status, lostValues(refused.text, form)]).toEqual([500, []]);
  } finally {
    await broken.stop();
  }
});

test('a change of the webhook keeps concurrent changes of other fields', async () => {
  const path = pathOf('/shops/:shop_id/webhook/edit');
  const webhook = `/admin/v1/shops/${ids['shop_id']}/webhook`;
  const setUrl = (url: string) => console.call(`PUT ${webhook}`, { body: { url } });
  const fieldsOf = (page: string) => ({
    form_token: hidden(page, 'form_token'),
    rendered: hidden(page, 'rendered').replaceAll('&quot;', '"'),
  });
  const { text: opened } = await admin.get(path);
  await setUrl('http://127.0.0.1:10/');
  const edited = { ...fieldsOf(opened), url: 'http://127.0.0.1:9/' };
  const { text: confirmation } = await admin.post(path, edited);
  await setUrl('http://127.0.0.1:11/');
  const sent = ['url', 'enabled', 'once'].map((name) => [name, hidden(confirmation, name)]);
  const confirmed = { ...fieldsOf(confirmation), ...Object.fromEntries(sent), confirmed: 'yes' };
  expect((await admin.post(path, confirmed)).status).toBe(303);
  const merged = { url: 'http://127.0.0.1:11/', enabled: false };
  expect((await console.call(`GET ${webhook}`)).body).toMatchObject(merged);
});

describe('a new shop', () => {
  const limits = {
    overdraft_limits_EUR: '0',
    overdraft_limits_RUB: '600',
    overdraft_limits_USD: 'Unlimited',
  };
  const rate = { rate_limit_per_second: '10', rate_limit_burst: '20' };
  const rest = { name: 'Quay', ...rate, overdraft_limits_USDT: 'Unlimited' };
  const form = async (merchant_id: string) => {
    return { form_token: await admin.formToken(), merchant_id, ...rest, ...limits };
  };

  it('accepts the typed name of a merchant', async () => {
    const name = `Harbour ${newId()}`;
    const merchantId = await console.newMerchant(name);
    await console.waitForReadModels();
    const confirmation = await admin.post('/shops/new', await form(` ${name.toUpperCase()} `));
    expect(confirmation.status).toBe(200);
    expect(hidden(confirmation.text, 'merchant_id')).toBe(merchantId);
    expect(confirmation.text).toContain(`<dd>${name}</dd>`);
  });

  it('rejects an ambiguous or unknown name of a merchant', async () => {
    const name = `Twin ${newId()}`;
    await console.newMerchant(name);
    await console.newMerchant(name);
    await console.waitForReadModels();
    for (const [merchant, message] of [
      [name, 'several merchants have this name'],
      ['Orphan', 'there is no such merchant'],
      [newId(), 'there is no such merchant'],
    ] as const) {
      const values = await form(merchant);
      const { text } = await admin.post('/shops/new', values);
      expect(text).toContain(message);
      expect(lostValues(text, values)).toEqual([]);
    }
  });
});

describe('a number as people write it', () => {
  const confirmationOf = async (path: string, values: Record<string, string>) => {
    const { text } = await admin.post(path, { ...values, form_token: await admin.formToken() });
    return text.replaceAll('&quot;', '"').replaceAll(/<[^>]*>/g, '');
  };

  it('is accepted for an adjustment', async () => {
    const values = { adjustment_id: newId(), currency: 'RUB', amount: '-1 500,5', reason: 'x' };
    const text = await confirmationOf(pathOf('/shops/:shop_id/adjustments/new'), values);
    expect(text).toContain('"amount": "-1500.50"');
  });

  it('is accepted for the commission and the bounds of a route', async () => {
    const by = { type: 'payment', method: 'WT_RUB_C2C', provider: 'sandbox', account: 'default' };
    const numbers = { min: '0', max: '100 000', percent: '2,5', fixed: '10' };
    const route = { ...by, priority: '1', ...numbers };
    const named = Object.entries(route).map(([name, value]) => [`0_${name}`, value]);
    const path = pathOf('/shops/:shop_id/routes/edit');
    const seen = hidden((await admin.get(path)).text, 'seen');
    const values = { count: '1', seen, '0_was': '', ...Object.fromEntries(named) };
    const text = await confirmationOf(path, values);
    for (const sent of ['"percent": "2.5"', '"fixed": "10.00"', '"max_amount": "100000.00"'])
      expect(text).toContain(sent);
  });

  it('is accepted where a route is tried', async () => {
    const query = 'type=payment&method=WT_RUB_C2C&amount=600%2C5&currency=RUB';
    const { status, text } = await admin.get(pathOf(`/shops/:shop_id/routes/try?${query}`));
    expect([status, text]).toEqual([200, expect.stringContaining('600.50')]);
  });
});
