import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareNats } from '../nats/launch.ts';
import { preparePostgres } from '../postgres/launch.ts';
import type { Launch } from '../process/start-process.ts';
import { prepareEventStore } from './event-store-launch.ts';
import { answers } from './health.ts';
import { ownSecrets } from './own-secrets.ts';
import type { StackPlan } from './plan.ts';
import { portOf, type InternalPorts } from './ports.ts';
import { isTogether, startsSandbox } from './settings.ts';

/** All are started together, and wait for each other by themselves; stopped stage by stage, the highest first. */
export type Part = {
  readonly name: string;
  readonly stage: 0 | 1 | 2;
  /** Its services, and where each answers /livez and /readyz for itself; a store has words of its own. */
  readonly probes?: readonly (readonly [service: string, url: string])[];
  /** Asked before every start of its process, the first and every later one. */
  readonly prepare: () => Promise<PreparedPart> | PreparedPart;
};

export type PreparedPart = {
  readonly launch: Launch;
  readonly isReady: () => Promise<boolean>;
  /** Whether it still works; absent where a process that runs is all that can be asked for. */
  readonly isLive?: () => Promise<boolean>;
  /** Runs while its process is ready, until the signal; when it throws, the process is ended at once and started again. */
  readonly accompany?: (signal: AbortSignal) => Promise<void>;
};

export type Service = {
  readonly name: string;
  readonly main: string;
  /** The variable that names its port; every service answers /livez and /readyz there. */
  readonly port: string;
  /** Where each instance answers them for itself, where `port` is one for all of them or for none. */
  readonly own?: { readonly variable: string; readonly port: keyof InternalPorts };
  readonly stage: 1 | 2;
  /** The variables with a secret that it reads: it is given no others. */
  readonly secrets: readonly string[];
  /** Follows what others do, and may fall behind them for a while: see `Launch`. */
  readonly niceness?: number;
};

const bothStores = ['EVENT_STORE_URL', 'DATABASE_URL'];
const provider = ['SANDBOX_API_KEY'];
const callbacks = ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_SECRET_PREVIOUS'];
const personalData = ['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'];
const receipts = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
const tracing = ['OTEL_EXPORTER_OTLP_HEADERS'];

export const services: readonly Service[] = [
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
    stage: 1,
    secrets: bothStores,
    niceness: 10,
  },
  {
    name: 'webhooks',
    main: 'services/webhooks/main.ts',
    port: 'WEBHOOKS_PORT',
    own: { variable: 'WEBHOOKS_PORT', port: 'webhooks' },
    stage: 1,
    secrets: [...bothStores, 'NATS_URL', ...tracing],
    niceness: 5,
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
    secrets: ['EVENT_STORE_URL', 'NATS_URL', ...provider, ...personalData, ...receipts, ...tracing],
  },
  {
    name: 'admin',
    main: 'services/admin/main.ts',
    port: 'ADMIN_PORT',
    own: { variable: 'ADMIN_METRICS_PORT', port: 'adminMetrics' },
    stage: 2,
    secrets: [
      ...bothStores,
      'ADMIN_TOKEN',
      'ADMIN_TOKEN_PREVIOUS',
      ...provider,
      ...personalData,
      ...receipts,
      ...tracing,
    ],
  },
];

const demoReceiver: Service = {
  name: 'demo-receiver',
  main: 'infra/start/demo-webhook-receiver.ts',
  port: 'DEMO_WEBHOOK_PORT',
  stage: 1,
  secrets: [],
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every process of a stack: the stores that no URL replaces, and the services. */
export function listParts(plan: StackPlan): Part[] {
  const { dataDir, ports, settings } = plan;
  const stores = [
    ...(settings.EVENT_STORE_URL === undefined
      ? [
          {
            name: 'event-store',
            prepare: () => {
              const options = { folder: join(dataDir, 'event-store'), port: ports.eventStore };
              const isLive = () => answers(`http://127.0.0.1:${ports.eventStore}/health/live`);
              return { ...prepareEventStore(options), isLive };
            },
          },
        ]
      : []),
    ...(settings.DATABASE_URL === undefined
      ? [
          {
            name: 'postgres',
            prepare: () => preparePostgres({ folder: join(dataDir, 'postgres'), port: ports.postgres }),
          },
        ]
      : []),
    ...(settings.NATS_URL === undefined
      ? [
          {
            name: 'nats',
            prepare: () => {
              const nats = prepareNats({ folder: join(dataDir, 'nats'), port: ports.nats });
              return { ...nats, isLive: nats.isReady };
            },
          },
        ]
      : []),
  ].map((store): Part => ({ ...store, stage: 0 }));
  const wanted = services.filter(({ name }) => name !== 'sandbox-provider' || startsSandbox(settings));
  const listed = settings.DEMO ? [...wanted, demoReceiver] : wanted;
  const processes = isTogether(settings) ? grouped(listed) : listed.map(alone);
  return [
    ...stores,
    ...processes.flatMap((group) =>
      Array.from({ length: group.members.some(({ own }) => own) ? plan.instances : 1 }, (_, index) =>
        processPart(group, plan, index + 1),
      ),
    ),
  ];
}

type Group = { readonly name: string; readonly members: readonly Service[] };

/**
 * Services that share a process, and with it one connection to the event store, one owner of each
 * ledger, and what has just come by in the log. The read models have a process of their own: their
 * batches, and a rebuild, must not hold up a create.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  gateway: ['processor', 'webhooks', 'merchant-api', 'payment-page', 'admin'],
};

const alone = (service: Service): Group => ({ name: service.name, members: [service] });

function grouped(listed: readonly Service[]): Group[] {
  const shared = Object.entries(groups).map(([name, members]) => ({
    name,
    members: members.flatMap((member) => listed.find((service) => service.name === member) ?? []),
  }));
  const others = listed.filter(({ name }) => !Object.values(groups).flat().includes(name));
  return [...others.map(alone), ...shared];
}

/** One process with one service or several; the first instance has its name, the others that and their number. */
function processPart({ name: first, members }: Group, plan: StackPlan, instance: number): Part {
  const name = instance === 1 ? first : `${first}-${instance}`;
  const own = Object.fromEntries(
    members.flatMap((service) =>
      service.own ? [[service.own.variable, String(portOf(plan.ports, service.own.port, instance))]] : [],
    ),
  );
  const secrets = members.flatMap((service) => service.secrets);
  const env: Record<string, string> = {
    ...ownSecrets(plan.env, secrets),
    ...own,
    ...(members.length > 1 && { OTEL_SERVICE_NAME: first }),
  };
  const probes = members.map((service): [string, string] => {
    const port = plan.instances > 1 && service.own ? own[service.own.variable] : env[service.port];
    return [instance === 1 ? service.name : `${service.name}-${instance}`, `http://127.0.0.1:${port}`];
  });
  const allAnswer = async (path: string) =>
    (await Promise.all(probes.map(([, base]) => answers(`${base}${path}`)))).every(Boolean);
  const niceness = Math.min(...members.map((service) => service.niceness ?? 0));
  const mains = members.map(({ main }) => join(root, main));
  return {
    name,
    stage: members.some(({ stage }) => stage === 2) ? 2 : 1,
    probes,
    prepare: () => ({
      launch: {
        name,
        command: process.execPath,
        args: mains.length === 1 ? mains : [join(root, 'infra/start/together.ts'), ...mains],
        cwd: root,
        env,
        ...(niceness > 0 && { niceness }),
        stopSignal: 'SIGTERM',
      },
      isReady: () => allAnswer('/readyz'),
      // All of them live in one event loop: one answers for the others.
      isLive: () => answers(`${probes[0]?.[1]}/livez`),
    }),
  };
}
