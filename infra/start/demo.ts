import { scenarioRanges } from '#shared/application/providers/sandbox/amounts.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { methodNames } from '#shared/domain/methods/index.ts';
import { createAdminClient, type AdminClient } from './admin-client.ts';
import { readDemo, writeDemo, type Demo } from './demo-file.ts';
import type { Output } from './output.ts';
import { reachable, type StackPlan } from './plan.ts';

const autopilotMs = 3000;

/**
 * Amounts that select the sandbox's behaviour have routes without options, some go to the bank, and
 * all others complete by themselves.
 */
function demoRoutes(type: string, method: string): object[] {
  const route = {
    type,
    method,
    currency: 'RUB',
    provider: 'sandbox',
    priority: 1,
    commission: { percent: '2.50' },
  };
  const byItself = { ...route, options: { autopilot_ms: autopilotMs } };
  return [
    { ...byItself, max_amount: '1000.99' },
    { ...route, ...scenarioRanges.plain },
    { ...route, ...scenarioRanges.receipts, requires_receipt: type === 'payment' },
    { ...byItself, min_amount: '1100.00', max_amount: '1999.99' },
    // The bank is not polled until a payment uses it.
    { ...route, provider: 'bank', min_amount: '2000.00', max_amount: '2099.99' },
    { ...byItself, min_amount: '2100.00' },
  ];
}

const routes = ['payment', 'payout'].flatMap((type) =>
  methodNames.flatMap((method) => demoRoutes(type, method)),
);

/**
 * Creates the demo merchant through the admin API, as an operator would, or continues an earlier
 * start.
 * @returns undefined, after a warning, when that is not possible: the stack works without it
 */
export async function ensureDemo(plan: StackPlan, output: Output): Promise<Demo | undefined> {
  const { dataDir, env, settings } = plan;
  const url = `http://${reachable(settings.LISTEN_HOST)}:${env['ADMIN_PORT']}`;
  const admin = createAdminClient(url, plan.secrets.values.ADMIN_TOKEN);
  try {
    const demo = await storedOrNew(admin, readDemo(dataDir));
    const webhookUrl = `http://127.0.0.1:${env['DEMO_WEBHOOK_PORT']}/webhooks`;
    await complete(admin, demo, { save: () => writeDemo(dataDir, demo), webhookUrl });
    return demo;
  } catch (error) {
    output.log('warn', `the demo merchant could not be created: ${(error as Error).message}`);
    return undefined;
  }
}

/** A shop that is not in this log (same DATA_DIR, different EVENT_STORE_URL) is created again. */
async function storedOrNew(admin: AdminClient, demo: Demo): Promise<Demo> {
  if (demo.shop_id === undefined) return demo;
  const { status } = await admin('GET', `/admin/v1/shops/${demo.shop_id}/api-keys`);
  return status === 404 ? {} : demo;
}

type Completion = { readonly save: () => void; readonly webhookUrl: string };

/**
 * Each step is saved at once. The key comes after the settings, whose changes wait for a lease once
 * there is a key.
 */
async function complete(
  admin: AdminClient,
  demo: Demo,
  { save, webhookUrl }: Completion,
): Promise<void> {
  const once = async (
    field: 'merchant_id' | 'shop_id' | 'api_key' | 'member_id',
    ...request: [path: string, body: object]
  ) => {
    if (demo[field] !== undefined) return;
    demo[field] = String((await call(admin, 'POST', ...request))[field]);
    save();
  };
  await once('merchant_id', '/admin/v1/merchants', { name: 'Demo' });
  const { merchant_id } = demo;
  const overdraft_limits = Object.fromEntries(currencies.map((name) => [name, '1000000.00']));
  await once('shop_id', '/admin/v1/shops', { merchant_id, name: 'Demo shop', overdraft_limits });
  const shop = `/admin/v1/shops/${demo.shop_id}`;
  await ensureWebhook(admin, shop, { demo, save, webhookUrl });
  if (demo.routes_set === undefined) {
    await call(admin, 'PUT', `${shop}/routes`, { routes });
    demo.routes_set = true;
    save();
  }
  await once('api_key', `${shop}/api-keys`, { label: 'demo' });
  await once('member_id', `${shop}/members`, { name: 'Demo', role: 'admin' });
}

/** The receiver's port may differ from the last start's. A URL that was set by hand stays. */
async function ensureWebhook(
  admin: AdminClient,
  shop: string,
  { demo, save, webhookUrl }: Completion & { demo: Demo },
): Promise<void> {
  const current =
    demo.webhook_secret === undefined ? undefined : await admin('GET', `${shop}/webhook`);
  if (current?.status === 200) {
    const { url } = current.body;
    if (url === webhookUrl || url !== (demo.webhook_url ?? url)) return;
  }
  const { secret } = await call(admin, 'PUT', `${shop}/webhook`, { url: webhookUrl });
  if (typeof secret === 'string') demo.webhook_secret = secret;
  // The secret is shown once: a start that ended before saving it has lost it.
  else if (demo.webhook_secret === undefined) {
    const rotated = await call(admin, 'POST', `${shop}/webhook/rotate-secret`);
    demo.webhook_secret = String(rotated['secret']);
  }
  demo.webhook_url = webhookUrl;
  save();
}

async function call(
  admin: AdminClient,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await admin(method, path, body);
  if (answer.status >= 300) {
    throw new Error(
      `${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body['code'])}`,
    );
  }
  return answer.body;
}
