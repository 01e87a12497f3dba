import { commonName } from '#shared/platform/event-store/signature.ts';
import type { InternalPorts } from '../stores/ports.ts';

export type ServiceProgram = {
  readonly name: string;
  readonly main: string;
  /** The variable that names its port; every service answers /livez and /readyz there. */
  readonly port: string;
  /** The port of an instance's own probes, if `port` is shared by all instances or absent. */
  readonly own?: { readonly variable: string; readonly port: keyof InternalPorts };
  /** The highest is stopped first: followers of the log before the process that may contain it. */
  readonly stage: 1 | 2 | 3;
  /** The secret variables that it gets; it gets no others. */
  readonly secrets: readonly string[];
};

/** What a service appends, it signs with a key of its own, and with one that all share. */
const log = ['EVENT_STORE_URL', 'LOG_SIGNING_KEYS'];
const bothStores = [...log, 'DATABASE_URL'];
/** Services that read callbacks to accounts, or set accounts up, get the key of their secrets. */
const callbacksKey = ['PROVIDER_CALLBACKS_KEY', 'PROVIDER_CALLBACKS_KEY_PREVIOUS'];
const callbacks = ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_SECRET_PREVIOUS', ...callbacksKey];
/** Services that call providers get the key of the accounts' credentials. */
const credentials = ['PROVIDER_CREDENTIALS_KEY', 'PROVIDER_CREDENTIALS_KEY_PREVIOUS'];
const provider = ['SANDBOX_API_KEY', 'BANK_KEY', ...credentials];
const personalData = ['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'];
const receipts = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
const tracing = ['OTEL_EXPORTER_OTLP_HEADERS'];

export const services: readonly ServiceProgram[] = [
  {
    name: 'sandbox-provider',
    main: 'services/sandbox-provider/main.ts',
    port: 'SANDBOX_PORT',
    stage: 1,
    secrets: ['SANDBOX_API_KEY', 'SANDBOX_API_KEY_PREVIOUS', 'SANDBOX_CALLBACK_SECRET', 'BANK_KEY'],
  },
  {
    name: 'processor',
    main: 'services/processor/main.ts',
    port: 'PROCESSOR_PORT',
    own: { variable: 'PROCESSOR_METRICS_PORT', port: 'processorMetrics' },
    stage: 1,
    secrets: [...bothStores, ...provider, ...callbacks, ...personalData, ...receipts, ...tracing],
  },
  {
    name: 'projections',
    main: 'projections/main.ts',
    port: 'PROJECTIONS_PORT',
    own: { variable: 'PROJECTIONS_PORT', port: 'projections' },
    stage: 3,
    secrets: [...bothStores, 'CHECKPOINT_SIGNING_KEY'],
  },
  {
    name: 'webhooks',
    main: 'services/webhooks/main.ts',
    port: 'WEBHOOKS_PORT',
    own: { variable: 'WEBHOOKS_PORT', port: 'webhooks' },
    stage: 1,
    secrets: [...bothStores, 'NATS_URL', ...personalData, ...tracing],
  },
  {
    name: 'merchant-api',
    main: 'services/merchant-api/main.ts',
    port: 'GATEWAY_PORT',
    own: { variable: 'GATEWAY_METRICS_PORT', port: 'gatewayMetrics' },
    stage: 2,
    secrets: [
      ...bothStores,
      'NATS_URL',
      'RECEIPT_URL_SECRET',
      'RECEIPT_URL_SECRET_PREVIOUS',
      ...provider,
      ...personalData,
      ...receipts,
      ...tracing,
    ],
  },
  {
    name: 'payment-page',
    main: 'services/payment-page/main.ts',
    port: 'PAY_PORT',
    own: { variable: 'PAY_METRICS_PORT', port: 'payMetrics' },
    stage: 2,
    secrets: [...log, 'NATS_URL', ...provider, ...personalData, ...receipts, ...tracing],
  },
  {
    name: 'admin',
    main: 'services/back-office/main.ts',
    port: 'ADMIN_PORT',
    own: { variable: 'ADMIN_METRICS_PORT', port: 'adminMetrics' },
    stage: 2,
    secrets: [
      ...bothStores,
      'ADMIN_TOKEN',
      'ADMIN_TOKEN_PREVIOUS',
      ...provider,
      ...callbacksKey,
      ...personalData,
      ...receipts,
      ...tracing,
    ],
  },
  {
    name: 'portal',
    main: 'services/back-office/portal/main.ts',
    port: 'PORTAL_PORT',
    own: { variable: 'PORTAL_METRICS_PORT', port: 'portalMetrics' },
    stage: 2,
    secrets: [...bothStores, 'RECEIPT_URL_SECRET', ...personalData, ...receipts, ...tracing],
  },
];

/**
 * Whose keys LOG_SIGNING_KEYS has: services, two programs that append, too, and the one that all of
 * them share.
 */
export const signingServices: readonly string[] = [
  ...services.filter(({ secrets }) => secrets.includes('LOG_SIGNING_KEYS')).map(({ name }) => name),
  'audit',
  'move',
  commonName,
];

export const demoReceiver: ServiceProgram = {
  name: 'demo-receiver',
  main: 'infra/start/demo-webhook-receiver.ts',
  port: 'DEMO_WEBHOOK_PORT',
  stage: 1,
  secrets: [],
};
