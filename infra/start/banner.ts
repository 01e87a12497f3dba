import { exampleMethod } from '#shared/domain/methods/index.ts';
import { natsServerVersion, whyTooOld } from '../nats/version.ts';
import type { Demo } from './demo-file.ts';
import type { Output } from './output.ts';
import type { StackPlan } from './plan.ts';
import { describeNewestBackup } from '../backup/status.ts';
import { signInUrl } from './running.ts';
import { secretsFile } from '../stores/secrets-file.ts';
import { startsSandbox } from './settings.ts';

type BannerOptions = {
  readonly demo: Demo | undefined;
  /** Signs in to the portal of the demo shop. */
  readonly portalLink?: string | undefined;
  readonly readyInMs: number;
  readonly output: Output;
};

/** Prints what a user needs, once everything is ready. */
export function writeBanner(
  plan: StackPlan,
  { demo, portalLink, readyInMs, output }: BannerOptions,
): void {
  const { env, secrets, settings, dataDir } = plan;
  const url = (name: string) => `http://localhost:${env[name]}`;
  const tokenIsNew = secrets.generated.includes('ADMIN_TOKEN');
  const token = tokenIsNew
    ? secrets.values.ADMIN_TOKEN
    : process.env['ADMIN_TOKEN']
      ? 'the one that ADMIN_TOKEN holds'
      : `in ${secretsFile(dataDir)}`;
  const rows = [
    ['Merchant API', url('GATEWAY_PORT')],
    ['API reference', `${url('GATEWAY_PORT')}/docs`],
    ['Payment page', `${url('PAY_PORT')}/<operation_id>`],
    ['Merchant portal', url('PORTAL_PORT')],
    ['Admin API, console', url('ADMIN_PORT')],
    ...(startsSandbox(settings) ? [['Sandbox provider', url('SANDBOX_PORT')]] : []),
    ['Admin token', token],
    ...(settings.NODE_ENV === 'production' ? [] : [['Sign in, once', signInUrl(env)]]),
    ...(demo?.api_key === undefined
      ? []
      : [
          ['Demo shop', `${demo.shop_id}`],
          ['Demo shop key', demo.api_key],
        ]),
    ...(portalLink === undefined ? [] : [['Its portal, once', portalLink]]),
    ['SQL, read only', 'npm run psql'],
    ['Data', dataDir],
    ['Backup', describeNewestBackup(dataDir, Date.now())],
  ];
  const width = Math.max(...rows.map(([label = '']) => label.length));
  const lines = [
    '',
    `The gateway is ready (${(readyInMs / 1000).toFixed(1)} s). Ctrl-C stops it.`,
    '',
    ...rows.map(([label = '', value = '']) => `  ${label.padEnd(width)}  ${value}`),
    ...(demo?.api_key === undefined ? [] : tryIt(url('GATEWAY_PORT'), demo.api_key)),
    ...(settings.NODE_ENV === 'production' ? productionNotes(plan) : oldServer(plan)),
    '',
  ];
  output.print(`${lines.join('\n')}\n`);
}

function tryIt(base: string, key: string): string[] {
  const id = `order-${Date.now().toString(36)}`;
  const headers = `-H 'x-api-key: ${key}' -H 'content-type: application/json'`;
  const payment = {
    merchant_operation_id: id,
    client_id: 'client-1',
    method: exampleMethod,
    amount: '100.00',
    currency: 'RUB',
  };
  const call = (path: string, body: object) =>
    `curl -sw '\\n' ${base}${path} ${headers} -d '${JSON.stringify(body)}'`;
  return [
    '',
    'Create a payment, and open the payment_url that it answers with (the payment completes by itself after three',
    'seconds, and its webhook appears here):',
    '',
    call('/v1/payment/link', payment),
    '',
    'Read its state:',
    '',
    call('/v1/get_operation_state', { merchant_operation_id: id }),
    '',
    `Another amount does something else: 1009.00 waits, 1051.00 asks for a receipt, 1002.00 is declined, …`,
    `All of them: ${base}/docs/sandbox#amounts`,
    '',
    'New links to sign in: npm run -s sign-in, and npm run -s sign-in:portal. All of this for a shell: eval "$(npm run -s demo)"',
  ];
}

/** Production does not start with one. */
function oldServer({ settings }: StackPlan): string[] {
  const reason = settings.NATS_URL === undefined ? whyTooOld(natsServerVersion()) : undefined;
  return reason === undefined ? [] : ['', `Note: ${reason}.`];
}

/** The limits of the bundled parts. */
function productionNotes({ settings }: StackPlan): string[] {
  const missing = [
    ...(settings.EVENT_STORE_URL === undefined
      ? [
          'EVENT_STORE_URL is not set: the embedded event store has one node, no replicas and no users',
        ]
      : []),
    ...(settings.DATABASE_URL === undefined
      ? ['DATABASE_URL is not set: the embedded PostgreSQL has no replicas and no backups']
      : []),
    ...(settings.NATS_URL === undefined
      ? ['NATS_URL is not set: the embedded nats-server has one node']
      : []),
    ...(startsSandbox(settings) ? ['the sandbox provider moves no money'] : []),
    ...(!startsSandbox(settings) && settings.SANDBOX_URL === undefined
      ? ['SANDBOX_URL is not set: no provider takes anything']
      : []),
  ];
  return missing.length === 0
    ? []
    : ['', 'Not for production:', ...missing.map((line) => `  - ${line}`)];
}
