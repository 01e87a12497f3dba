import { z } from 'zod';
import { parseLogKeys } from '#shared/platform/event-store/log-keys.ts';
import { signingSecret } from './secrets.ts';

/**
 * Every environment variable that the gateway reads: its schema, its default and its purpose. A
 * service names those that it needs; see `loadConfig`.
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
/** A public URL that paths are appended to. */
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

/** `service=key,service=key`. */
const logKeys = z.string().transform((text, context) => {
  try {
    return parseLogKeys(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

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
  /** The port of the merchant API's metrics, which merchants must not reach; unset: no metrics. */
  GATEWAY_METRICS_PORT: port.optional(),
  /** The same for the payment page. */
  PAY_METRICS_PORT: port.optional(),
  /** The same for the portal. */
  PORTAL_METRICS_PORT: port.optional(),
  /**
   * Health and metrics of one instance of the admin API or the processor, where instances share a
   * port.
   */
  ADMIN_METRICS_PORT: port.optional(),
  PROCESSOR_METRICS_PORT: port.optional(),
  /** Probes and metrics of a backup that follows the log; unset: none. */
  BACKUP_PORT: port.optional(),
  /**
   * 1: other instances on this machine listen on the same ports, and the kernel distributes
   * connections among them.
   */
  SHARE_PORTS: flag.default(false),
  /**
   * How long a service continues to serve, with /readyz 503, after a signal to stop: enough for
   * proxies that poll it to notice.
   */
  STOP_DELAY_MS: wholeNumber(0, 10_000).default(0),
  PROCESSES: z.enum(['together', 'apart']).default('together'),
  /**
   * How many proxies are in front of each public port; each adds its client's address to
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
  DATABASE_URL: z.string().refine(
    (text) =>
      /^postgres(ql)?:\/\/.+/.test(text) &&
      // As the client parses it: spaces are encoded, and the host may be an option.
      URL.canParse(text.replaceAll(' ', '%20').replace('@/', '@host/')),
    'must be a PostgreSQL connection string',
  ),
  NATS_URL: z.string().min(1),
  /**
   * The number of replicas of the stream of events in a NATS cluster: 3 if it has three servers.
   */
  NATS_STREAM_REPLICAS: wholeNumber(1, 5).default(1),

  PAY_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')),
  /** The portal's public URL, with which sign-in links begin. */
  PORTAL_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')),
  ADMIN_TOKEN: secret,
  RECEIPT_URL_SECRET: secret,
  /**
   * During a rotation: the other value of the secret, which is accepted but not used for new links.
   */
  ADMIN_TOKEN_PREVIOUS: secret.optional(),
  RECEIPT_URL_SECRET_PREVIOUS: secret.optional(),
  /** The master key that wraps the keys of personal data (docs/operators/personal-data.md). */
  PERSONAL_DATA_KEY: masterKey,
  /** Earlier master keys, separated by commas, for reading only. */
  PERSONAL_DATA_KEY_PREVIOUS: masterKeys,
  /** Seals the credentials of accounts with providers (docs/operators/provider-accounts.md). */
  PROVIDER_CREDENTIALS_KEY: masterKey,
  /** The keys before it: what they sealed is still read. */
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: masterKeys,
  /**
   * Seals the secrets that verify these accounts' callbacks, with which callbacks could be forged.
   */
  PROVIDER_CALLBACKS_KEY: masterKey,
  /** The keys before it: what they sealed is still read. */
  PROVIDER_CALLBACKS_KEY_PREVIOUS: masterKeys,
  /**
   * The Ed25519 key (a PEM file) that signs the audit's checkpoints; by default one in DATA_DIR.
   */
  AUDIT_SIGNING_KEY: z.string().min(1).optional(),
  /** The seed of the Ed25519 key that signs the trees of merchants' ledger entries. */
  CHECKPOINT_SIGNING_KEY: masterKey,
  /**
   * The keys with which services sign what they append. A service has its own one, and those that
   * all share (`log=…`), also earlier ones; the audit has all.
   */
  LOG_SIGNING_KEYS: logKeys,
  /**
   * How long after the end of a UTC day its statement is fetched from each provider; after that it
   * counts as missing.
   */
  STATEMENTS_AFTER_S: wholeNumber(0, 86_400).default(3_600),
  /** How often an audit runs on a schedule, in seconds; unset: never. */
  AUDIT_EVERY_S: wholeNumber(60, 31_536_000).optional(),
  /**
   * The maximum number of events a second that a scheduled audit reads, so that it does not slow
   * down others on the same store.
   */
  AUDIT_PACE: wholeNumber(100, 9_999_999).default(20_000),
  /** Where scheduled audits store their checkpoints; by default below DATA_DIR. */
  AUDIT_CHECKPOINTS: z.string().min(1).optional(),
  /** The public URL of this gateway: links to receipts and a problem's `type` begin with it. */
  GATEWAY_BASE_URL: plainUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  /** The bucket in which payers' receipts are stored; by default a folder below DATA_DIR. */
  RECEIPT_STORE_URL: z
    .string()
    .regex(
      /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9._-]+)*\/?$/,
      'must be s3://<bucket> or s3://<bucket>/<prefix>',
    )
    .optional(),
  /** The URL of the S3 service; AWS in S3_REGION by default. */
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
   * The address that the sandbox listens on; unless it is loopback, its control API requires a key.
   */
  SANDBOX_LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
  /** The sandbox provider's URL, the gateway's key for it, and where it sends its callbacks. */
  SANDBOX_URL: httpUrl,
  SANDBOX_API_KEY: secret,
  SANDBOX_CALLBACK_SECRET: signingSecret,
  /** During a rotation of these secrets: also accepted by the provider and the gateway. */
  SANDBOX_API_KEY_PREVIOUS: secret.optional(),
  SANDBOX_CALLBACK_SECRET_PREVIOUS: signingSecret.optional(),
  SANDBOX_CALLBACK_URL: httpUrl,
  /** The bank's URL, the gateway's account there and its key; without a URL there is no bank. */
  BANK_URL: httpUrl.optional(),
  BANK_ACCOUNT: z
    .string()
    .regex(/^\d{20}$/, 'must be an account of 20 digits')
    .default('40702810500000000001'),
  BANK_KEY: secret.optional(),
  /**
   * How long an order may take to arrive at the bank: until then, one that is not found may still
   * arrive.
   */
  BANK_ARRIVAL_MS: milliseconds.default(120_000),
  /** How much the bank's clock and ours may differ: an order is given up that much later. */
  BANK_CLOCK_SKEW_MS: milliseconds.default(300_000),

  /** Where spans go, by OTLP over HTTP; unset: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Headers for the collector: `name=value`, several separated by commas, percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS: headers.prefault(''),
  /**
   * The service name of spans, if several services share a process; unset: the service's own name.
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
