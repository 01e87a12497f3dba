import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareNats } from '../nats/launch.ts';
import { preparePostgres } from '../postgres/launch.ts';
import type { Launch } from '../process/start-process.ts';
import { prepareEventStore } from './event-store-launch.ts';
import { answers } from './health.ts';
import type { StackPlan } from './plan.ts';
import { portOf, type InternalPorts } from './ports.ts';

/** Started together as far as `needs` allows; stopped stage by stage, the highest first. */
export type Part = {
  readonly name: string;
  readonly stage: 0 | 1 | 2;
  /** Parts that must have begun. Those that are not ours (a URL is set) are not waited for. */
  readonly needs: readonly string[];
  /** Where it answers /livez and /readyz for itself; a store has words of its own. */
  readonly probe?: string;
  /** Asked before every start of its process, the first and every later one. */
  readonly prepare: () => Promise<PreparedPart> | PreparedPart;
};

export type PreparedPart = {
  readonly launch: Launch;
  readonly isReady: () => Promise<boolean>;
  /** Its data was made just now: it takes longer to get ready than what needs it takes to ask. */
  readonly isNew?: boolean;
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
  readonly needs: readonly string[];
  /** Follows what others do, and may fall behind them for a while: see `Launch`. */
  readonly niceness?: number;
};

export const services: readonly Service[] = [
  {
    name: 'sandbox-provider',
    main: 'services/sandbox-provider/main.ts',
    port: 'SANDBOX_PORT',
    stage: 1,
    needs: [],
  },
  {
    name: 'processor',
    main: 'services/processor/main.ts',
    port: 'PROCESSOR_PORT',
    own: { variable: 'PROCESSOR_METRICS_PORT', port: 'processorMetrics' },
    stage: 1,
    needs: ['event-store', 'postgres'],
  },
  {
    name: 'projections',
    main: 'projections/main.ts',
    port: 'PROJECTIONS_PORT',
    own: { variable: 'PROJECTIONS_PORT', port: 'projections' },
    stage: 1,
    needs: ['event-store', 'postgres'],
    niceness: 10,
  },
  {
    name: 'webhooks',
    main: 'services/webhooks/main.ts',
    port: 'WEBHOOKS_PORT',
    own: { variable: 'WEBHOOKS_PORT', port: 'webhooks' },
    stage: 1,
    needs: ['event-store', 'postgres', 'nats'],
    niceness: 5,
  },
  {
    name: 'merchant-api',
    main: 'services/merchant-api/main.ts',
    port: 'GATEWAY_PORT',
    own: { variable: 'GATEWAY_METRICS_PORT', port: 'gatewayMetrics' },
    stage: 2,
    needs: ['event-store'],
  },
  {
    name: 'payment-page',
    main: 'services/payment-page/main.ts',
    port: 'PAY_PORT',
    own: { variable: 'PAY_METRICS_PORT', port: 'payMetrics' },
    stage: 2,
    needs: ['event-store'],
  },
  {
    name: 'admin',
    main: 'services/admin/main.ts',
    port: 'ADMIN_PORT',
    own: { variable: 'ADMIN_METRICS_PORT', port: 'adminMetrics' },
    stage: 2,
    needs: ['event-store', 'postgres'],
  },
];

const demoReceiver: Service = {
  name: 'demo-receiver',
  main: 'infra/start/demo-webhook-receiver.ts',
  port: 'DEMO_WEBHOOK_PORT',
  stage: 1,
  needs: [],
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
  ].map((store): Part => ({ ...store, stage: 0, needs: [] }));
  const listed = settings.DEMO ? [...services, demoReceiver] : services;
  return [
    ...stores,
    ...listed.flatMap((service) =>
      Array.from({ length: service.own ? plan.instances : 1 }, (_, index) =>
        servicePart(service, plan, index + 1),
      ),
    ),
  ];
}

/** The first instance has the service's name, the others that and their number. */
function servicePart(service: Service, plan: StackPlan, instance: number): Part {
  const { main, port, own, stage, needs, niceness } = service;
  const name = instance === 1 ? service.name : `${service.name}-${instance}`;
  const ownPort = own && portOf(plan.ports, own.port, instance);
  const env = own ? { ...plan.env, [own.variable]: String(ownPort) } : plan.env;
  const base = `http://127.0.0.1:${plan.instances > 1 && own ? ownPort : env[port]}`;
  return {
    name,
    stage,
    needs,
    probe: base,
    prepare: () => ({
      launch: {
        name,
        command: process.execPath,
        args: [join(root, main)],
        cwd: root,
        env,
        ...(niceness !== undefined && { niceness }),
        stopSignal: 'SIGTERM',
      },
      isReady: () => answers(`${base}/readyz`),
      isLive: () => answers(`${base}/livez`),
    }),
  };
}
