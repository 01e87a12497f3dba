import { z } from 'zod';
import { signingSecret } from './secrets.ts';

/**
 * Every environment variable that the gateway reads, in one place: its schema, its default and what
 * it is for. A service names those that it needs; see `loadConfig`.
 */

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
const port = wholeNumber(0, 65_535);
const proxies = wholeNumber(0, 10).default(0);
const milliseconds = wholeNumber(1, 86_400_000);
const flag = z.enum(['0', '1']).transform((value) => value === '1');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
/** One that paths are written behind, and that anybody may see. */
const plainUrl = httpUrl.refine((text) => {
  const url = URL.parse(text);
  return !/[?#]/.test(text) && url?.username === '' && url.password === '';
}, 'must be without user, password, query and fragment');
const secret = z.string().min(16, 'must have at least 16 characters');

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `0s,5s,5m` to milliseconds, in order; 1 to 50 delays. */
const schedule = z.string().transform((text, context) => {
  const delaysMs = text.split(',').map((part) => {
    const [, count, unit] = /^\s*(\d{1,6})(ms|s|m|h)\s*$/.exec(part) ?? [];
    return count === undefined ? Number.NaN : Number(count) * unitMs[unit as keyof typeof unitMs];
  });
  if (delaysMs.length > 50 || delaysMs.some(Number.isNaN)) {
    context.addIssue({ code: 'custom', message: 'must be 1 to 50 delays such as "0s,5s,5m,2h"' });
    return z.NEVER;
  }
  return delaysMs;
});

/** 32 bytes in base64, with either alphabet. */
const masterKey = z
  .string()
  .refine(
    (text) => /^[\w+/-]{43}=?$/.test(text) && Buffer.from(text, 'base64').length === 32,
    'must be 32 bytes in base64, such as "openssl rand -base64 32" prints',
  );

/** Several of them, separated by commas. */
const masterKeys = z
  .string()
  .transform((text) => text.split(',').filter((key) => key !== ''))
  .pipe(z.array(masterKey).max(20))
  .prefault('');

/** `name=value,name=value`, values percent-encoded, to headers. */
const headers = z.string().transform((text, context) => {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
        if (name === '') throw new Error('no name');
        return [name.toLowerCase(), decodeURIComponent(value)];
      }),
    );
  } catch {
    context.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas' });
    return z.NEVER;
  }
});

export const variables = {
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATA_DIR: z.string().min(1).default('.data'),
  DEMO: flag.default(true),

  GATEWAY_PORT: port.default(8080),
  ADMIN_PORT: port.default(8081),
  PAY_PORT: port.default(8082),
  PORTAL_PORT: port.default(8086),
  SANDBOX_PORT: port.default(8090),
  // Internal ports: health and metrics, and the processor's callbacks. The supervisor chooses free
  // ones.
  PROCESSOR_PORT: port.default(8083),
  PROJECTIONS_PORT: port.default(8084),
  WEBHOOKS_PORT: port.default(8085),
  /** The merchant API's metrics, on a port that merchants do not reach; unset: nowhere. */
  GATEWAY_METRICS_PORT: port.optional(),
  /** The same of the payment page, whose port payers reach. */
  PAY_METRICS_PORT: port.optional(),
  /** The same of the portal, whose port merchants' staff reaches. */
  PORTAL_METRICS_PORT: port.optional(),
  /**
   * Health and metrics of one instance of the admin API or the processor, where several share its
   * port.
   */
  ADMIN_METRICS_PORT: port.optional(),
  PROCESSOR_METRICS_PORT: port.optional(),
  /**
   * 1: other instances on this machine listen on the same ports, and the kernel deals connections
   * out to them.
   */
  SHARE_PORTS: flag.default(false),
  /**
   * How long a service continues with /readyz 503 after a signal to stop: by then, proxies that
   * poll it send no more requests.
   */
  STOP_DELAY_MS: wholeNumber(0, 10_000).default(0),
  PROCESSES: z.enum(['together', 'apart']).default('together'),
  /**
   * How many proxies are in front of each edge; each adds the address of its client to
   * X-Forwarded-For.
   */
  PAY_TRUSTED_PROXIES: proxies,
  GATEWAY_TRUSTED_PROXIES: proxies,
  ADMIN_TRUSTED_PROXIES: proxies,
  PORTAL_TRUSTED_PROXIES: proxies,
  /** The address that services listen on. */
  LISTEN_HOST: z.string().min(1).default('127.0.0.1'),

  EVENT_STORE_URL: z
    .string()
    .regex(
      /^(esdb|kurrentdb|kdb)(\+discover)?:\/\/.+/,
      'must be an EventStoreDB connection string (esdb://…)',
    ),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\/.+/, 'must be a PostgreSQL connection string'),
  NATS_URL: z.string().min(1),
  /**
   * The number of replicas of the stream of events in a NATS cluster: 3 if it has three servers.
   */
  NATS_STREAM_REPLICAS: wholeNumber(1, 5).default(1),

  PAY_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Where merchants' staff reaches the portal: what links to sign in begin with. */
  PORTAL_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')),
  ADMIN_TOKEN: secret,
  RECEIPT_URL_SECRET: secret,
  /** While a secret is changed: the other one, which is taken too and never used. */
  ADMIN_TOKEN_PREVIOUS: secret.optional(),
  RECEIPT_URL_SECRET_PREVIOUS: secret.optional(),
  /** Wraps the keys that personal data is sealed with (docs/operators/personal-data.md). */
  PERSONAL_DATA_KEY: masterKey,
  /** The keys before it, separated by commas: what they wrapped is still read. */
  PERSONAL_DATA_KEY_PREVIOUS: masterKeys,
  /** Seals the credentials of accounts with providers (docs/operators/provider-accounts.md). */
  PROVIDER_CREDENTIALS_KEY: masterKey,
  /** The keys before it: what they sealed is still read. */
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: masterKeys,
  /** Seals what callbacks to these accounts are held against: who could open it could sign some. */
  PROVIDER_CALLBACKS_KEY: masterKey,
  /** The keys before it: what they sealed is still read. */
  PROVIDER_CALLBACKS_KEY_PREVIOUS: masterKeys,
  /**
   * The Ed25519 key (a PEM file) that the audit signs checkpoints with; one in DATA_DIR unless it
   * is set.
   */
  AUDIT_SIGNING_KEY: z.string().min(1).optional(),
  /** The seed of the Ed25519 key that signs the trees of merchants' ledger entries. */
  CHECKPOINT_SIGNING_KEY: masterKey,
  /**
   * How long after the end of a day, in UTC, its statement is fetched from each provider; then it
   * is missed.
   */
  STATEMENTS_AFTER_S: wholeNumber(0, 86_400).default(3_600),
  /** How often an audit runs by itself, in seconds; unset: never. */
  AUDIT_EVERY_S: wholeNumber(60, 31_536_000).optional(),
  /**
   * The most events a second that such an audit reads, so that what it shares a store with has
   * room.
   */
  AUDIT_PACE: wholeNumber(100, 9_999_999).default(20_000),
  /** Where such audits store their checkpoints; by default below DATA_DIR. */
  AUDIT_CHECKPOINTS: z.string().min(1).optional(),
  /** The public URL of this gateway, with which links to receipts and a problem's `type` begin. */
  GATEWAY_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  /** Where payers' receipts are stored: a bucket, else a folder below DATA_DIR. */
  RECEIPT_STORE_URL: z
    .string()
    .regex(
      /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9._-]+)*\/?$/,
      'must be s3://<bucket> or s3://<bucket>/<prefix>',
    )
    .optional(),
  /** The service that has the bucket; AWS in S3_REGION unless it is set. */
  S3_ENDPOINT: httpUrl.optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be a region such as "eu-central-1"')
    .default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  PROVIDER_ACCEPTANCE_MS: milliseconds.default(15_000),

  /** 1: the sandbox provider starts in production too. */
  SANDBOX: flag.default(false),
  /**
   * The address that the sandbox listens on; where it is not loopback its control API asks for a
   * key.
   */
  SANDBOX_LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
  /**
   * Where the sandbox provider answers, what the gateway shows it, and where it reports back to.
   */
  SANDBOX_URL: httpUrl,
  SANDBOX_API_KEY: secret,
  SANDBOX_CALLBACK_SECRET: signingSecret,
  /** The other ones while these are changed: taken too, by the provider and by the gateway. */
  SANDBOX_API_KEY_PREVIOUS: secret.optional(),
  SANDBOX_CALLBACK_SECRET_PREVIOUS: signingSecret.optional(),
  SANDBOX_CALLBACK_URL: httpUrl,
  /**
   * Where the bank answers, the gateway's account there and the account's key; unset: there is no
   * bank.
   */
  BANK_URL: httpUrl.optional(),
  BANK_ACCOUNT: z
    .string()
    .regex(/^\d{20}$/, 'must be an account of 20 digits')
    .default('40702810500000000001'),
  BANK_KEY: secret.optional(),
  /**
   * For so long an order may be under way to the bank: before that one that is not found may still
   * arrive.
   */
  BANK_ARRIVAL_MS: milliseconds.default(120_000),
  /** By how much the bank's clock and ours may differ: an order is given up only so much later. */
  BANK_CLOCK_SKEW_MS: milliseconds.default(300_000),

  /** Where spans go, by OTLP over HTTP; unset: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /**
   * What the collector wants to be shown: `name=value`, several separated by commas,
   * percent-encoded.
   */
  OTEL_EXPORTER_OTLP_HEADERS: headers.prefault(''),
  /**
   * The name that spans go out under, where several services are one process; the service's own
   * unless it is set.
   */
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  /** The share of traces that is sampled. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0)
    .max(1)
    .default(1),

  WEBHOOK_RETRY_SCHEDULE: schedule.prefault('0s,5s,5m,30m,2h,5h,10h,14h,20h,24h'),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
} as const satisfies Record<string, z.ZodType>;

export type VariableName = keyof typeof variables;
