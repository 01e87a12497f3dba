import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareNats } from '../nats/launch.ts';
import { preparePostgres } from '../postgres/launch.ts';
import type { Launch } from '../process/start-process.ts';
import { eventStoreArguments, prepareEventStore } from '#infra/stores/launch-event-store.ts';
import { answers } from './health.ts';
import { nodeFlags } from '../process/node-flags.ts';
import { ownSecrets } from '../process/own-secrets.ts';
import type { StackPlan } from './plan.ts';
import { pairsFor } from '#shared/platform/event-store/log-keys.ts';
import { instancePort } from '../stores/ports.ts';
import { demoReceiver, services, type ServiceProgram } from './services.ts';
import { isTogether, startsSandbox } from './settings.ts';

/**
 * All processes start together and wait for each other; they are stopped stage by stage, the
 * highest first.
 */
export type StackProcess = {
  readonly name: string;
  readonly stage: 0 | 1 | 2 | 3;
  /** Its services, with the URL of each one's /livez and /readyz; stores have their own checks. */
  readonly probes?: readonly (readonly [service: string, url: string])[];
  /** Evaluated before every start of the process; rejects when the signal is aborted. */
  readonly prepare: (signal: AbortSignal) => Promise<PreparedProcess> | PreparedProcess;
};

export type PreparedProcess = {
  readonly launch: Launch;
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
  /** Whether it answers before the signal; absent if running is all that can be checked. */
  readonly isLive?: (signal: AbortSignal) => Promise<boolean>;
  /** An event loop answers, which one endless loop stops for ever. */
  readonly hasEventLoop?: true;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every process of a stack: the embedded stores, and the services. */
export function listProcesses(plan: StackPlan): StackProcess[] {
  const { dataDir, ports, settings } = plan;
  const together = isTogether(settings);
  const eventStore = { folder: join(dataDir, 'event-store'), port: ports.eventStore };
  const ownEventStore = settings.EVENT_STORE_URL === undefined;
  // With one process for the services, the event store is a thread of it.
  const asThread = ownEventStore && together && plan.instances === 1;
  const postgres = { folder: join(dataDir, 'postgres'), port: ports.postgres };
  const nats = { folder: join(dataDir, 'nats'), port: ports.nats };
  const stores: (StackProcess | false)[] = [
    ownEventStore &&
      !asThread && {
        name: 'event-store',
        stage: 0,
        prepare: () => ({
          ...prepareEventStore(eventStore),
          isLive: (signal) => eventStoreLives(eventStore, signal),
          hasEventLoop: true,
        }),
      },
    settings.DATABASE_URL === undefined && {
      name: 'postgres',
      stage: 0,
      prepare: (signal) => preparePostgres({ ...postgres, signal }),
    },
    settings.NATS_URL === undefined && {
      name: 'nats',
      stage: 0,
      prepare: () => {
        const prepared = prepareNats(nats);
        return { ...prepared, isLive: prepared.isReady };
      },
    },
  ];
  const started = services.filter(
    ({ name }) => name !== 'sandbox-provider' || startsSandbox(settings),
  );
  const listed = settings.DEMO ? [...started, demoReceiver] : started;
  const processes = together
    ? grouped(listed, asThread ? eventStore : undefined)
    : listed.map(alone);
  return [
    ...stores.filter((store) => store !== false),
    ...processes.flatMap((group) =>
      Array.from(
        { length: group.members.some(({ own }) => own) ? plan.instances : 1 },
        (_, index) => describeProcess(group, plan, index + 1),
      ),
    ),
    ...(settings.AUDIT_EVERY_S === undefined ? [] : [describeAudits(plan)]),
  ];
}

const eventStoreLives = ({ port }: { port: number }, signal: AbortSignal): Promise<boolean> =>
  answers(`http://127.0.0.1:${port}/health/live`, signal);

/** It verifies every signature, so it has all keys. */
const auditSecrets = [
  'EVENT_STORE_URL',
  'DATABASE_URL',
  'AUDIT_SIGNING_KEY',
  'LOG_SIGNING_KEYS',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
];

/**
 * Runs audits in a process of their own: without a port, without dependents, and with low priority.
 */
function describeAudits(plan: StackPlan): StackProcess {
  return {
    name: 'audit-schedule',
    stage: 3,
    prepare: () => ({
      launch: {
        name: 'audit-schedule',
        command: process.execPath,
        args: [join(root, 'services/audit/cli/schedule/main.ts')],
        cwd: root,
        env: ownSecrets(plan.env, auditSecrets),
        stopSignal: 'SIGTERM',
      },
      isReady: async () => true,
    }),
  };
}

type Group = {
  readonly name: string;
  readonly members: readonly ServiceProgram[];
  /** The data folder of the event store in its process. */
  readonly eventStore?: Parameters<typeof eventStoreArguments>[0] | undefined;
};

/**
 * Services that share a process: one connection to the event store, one owner of each ledger, and
 * the newest events of the log. The read models have their own process, because their batches and
 * rebuilds must not delay a create.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  gateway: ['processor', 'webhooks', 'merchant-api', 'payment-page', 'admin', 'portal'],
};

const alone = (service: ServiceProgram): Group => ({ name: service.name, members: [service] });

function grouped(listed: readonly ServiceProgram[], eventStore: Group['eventStore']): Group[] {
  const shared = Object.entries(groups).map(([name, members]) => ({
    name,
    eventStore,
    members: members.flatMap((member) => listed.find((service) => service.name === member) ?? []),
  }));
  const others = listed.filter(({ name }) => !Object.values(groups).flat().includes(name));
  return [...others.map(alone), ...shared];
}

/**
 * One process with one service or several; the first instance has its name, the others that and
 * their number.
 */
function describeProcess(
  { name: first, members, eventStore }: Group,
  plan: StackPlan,
  instance: number,
): StackProcess {
  const name = instance === 1 ? first : `${first}-${instance}`;
  const own = Object.fromEntries(
    members.flatMap((service) =>
      service.own
        ? [[service.own.variable, String(instancePort(plan.ports, service.own.port, instance))]]
        : [],
    ),
  );
  const secrets = members.flatMap((service) => service.secrets);
  const env: Record<string, string> = {
    ...ownSecrets(plan.env, secrets),
    ...(secrets.includes('LOG_SIGNING_KEYS') && {
      LOG_SIGNING_KEYS: pairsFor(
        members.map((member) => member.name),
        plan.env['LOG_SIGNING_KEYS'] ?? '',
      ),
    }),
    ...own,
    ...(members.length > 1 && { OTEL_SERVICE_NAME: first }),
  };
  const probes = members.map((service): [string, string] => {
    const port = plan.instances > 1 && service.own ? own[service.own.variable] : env[service.port];
    return [
      instance === 1 ? service.name : `${service.name}-${instance}`,
      `http://127.0.0.1:${port}`,
    ];
  });
  const allAnswer = async (path: string, signal: AbortSignal) =>
    (await Promise.all(probes.map(([, base]) => answers(`${base}${path}`, signal)))).every(Boolean);
  const mains = members.map(({ main }) => join(root, main));
  return {
    name,
    stage: Math.max(...members.map(({ stage }) => stage)) as StackProcess['stage'],
    probes,
    prepare: () => ({
      launch: {
        name,
        command: process.execPath,
        args: [
          ...nodeFlags,
          ...(mains.length === 1 ? [] : [join(root, 'infra/start/services-in-one-process.ts')]),
          ...(eventStore ? [...eventStoreArguments(eventStore), '--'] : []),
          ...mains,
        ],
        cwd: root,
        env,
        stopSignal: 'SIGTERM',
      },
      isReady: (signal) => allAnswer('/readyz', signal),
      // The services share an event loop, so that one answers for all.
      isLive: async (signal) =>
        (await answers(`${probes[0]?.[1]}/livez`, signal)) &&
        (eventStore === undefined || eventStoreLives(eventStore, signal)),
      hasEventLoop: true,
    }),
  };
}
