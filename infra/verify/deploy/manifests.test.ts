import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBackupArguments } from '#infra/backup/arguments.ts';
import { bucketVariables } from '#infra/backup/open-store.ts';
import { mostSpooledBytes } from '#services/back-office/api/statements/import-file.ts';
import { readAuditArguments } from '#services/audit/cli/arguments.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { drainMsFor } from '#services/merchant-api/connect.ts';
import { services, signingServices } from '#infra/start/services.ts';
import { commonName } from '#shared/platform/event-store/signature.ts';
import { secretNames } from '#infra/start/secrets.ts';
import {
  compose,
  kustomization,
  manifestFiles,
  named,
  ofKind,
  root,
  type Manifest,
} from './testing/manifests.ts';
import { requiredOf, variablesOf } from './testing/variables.ts';

const stopMs = Number(
  /stopTimeoutMs = ([\d_]+)/
    .exec(readFileSync(join(root, 'shared/application/service.ts'), 'utf8'))?.[1]
    ?.replaceAll('_', ''),
);
/** Variables that `loadConfig` reads in every process. */
const commonVariables = ['NODE_ENV', 'GATEWAY_BASE_URL'];
/** A deployment has real providers instead of the sandbox. */
const deployed = services.filter(({ name }) => name !== 'sandbox-provider');
const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);
const sorted = (names: Iterable<string>) => [...names].toSorted();

describe.each(services)('compose: $name', ({ name, main, port }) => {
  const service: Manifest = compose.services[name];

  it('starts the service with all required variables and no unknown ones', () => {
    expect(service.command).toEqual([main]);
    const variables = Object.keys(service.environment);
    expect(variables).toEqual(expect.arrayContaining(requiredOf(join(root, main))));
    const readVariables = new Set<string>([
      ...variablesOf(join(root, main)),
      ...commonVariables,
      'HEALTH_PORT',
    ]);
    expect(variables.filter((variable) => !readVariables.has(variable))).toEqual([]);
    const host = name === 'sandbox-provider' ? 'SANDBOX_LISTEN_HOST' : 'LISTEN_HOST';
    expect(service.environment).toMatchObject({ NODE_ENV: 'production', [host]: '0.0.0.0' });
    expect(service.environment.GATEWAY_BASE_URL).toBe('${GATEWAY_BASE_URL:-http://localhost:8080}');
    expect(service.environment.HEALTH_PORT).toBe(service.environment[port]);
  });

  it('has no unneeded privileges, and enough time to stop', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    const delayMs = Number(service.environment.STOP_DELAY_MS ?? 0);
    expect(seconds(service.stop_grace_period) * 1_000).toBeGreaterThan(delayMs + stopMs);
  });
});

it('merchant-api: drains the longest response within the time of a stop', () => {
  expect(drainMsFor(60_000)).toBeLessThan(stopMs);
});

it('compose: passes no secret as an argument, which process lists would show', () => {
  const secret = /\$\{\w*(?:PASSWORD|SECRET|KEY|TOKEN)\w*\b/;
  const commands = Object.entries(compose.services as Record<string, Manifest>).map(
    ([name, { command = [] }]) => [name, [command].flat().join(' ')] as const,
  );
  expect(commands.filter(([, command]) => secret.test(command))).toEqual([]);
});

it('compose: proxies to the ports of the services, and notices a stop in time', () => {
  const config = readFileSync(join(root, 'infra/deploy/haproxy.cfg'), 'utf8');
  const targets = [...config.matchAll(/server-template \w+ \d+ ([\w-]+):(\d+) /g)].map(
    ([, name, port]) => [name ?? '', port ?? ''],
  );
  expect(sorted(targets.map(([name = '']) => name))).toEqual([
    'admin',
    'merchant-api',
    'payment-page',
    'portal',
    'processor',
  ]);
  // It checks every `inter`, and again after `fastinter` once a check has failed.
  const checks = / check inter (\d+)s fastinter (\d+)ms fall 2 /.exec(config) ?? [];
  const noticedMs = Number(checks[1]) * 1_000 + Number(checks[2]);
  for (const [name = '', port] of targets) {
    const { environment } = compose.services[name];
    expect(environment.HEALTH_PORT).toBe(port);
    // Otherwise requests would arrive after the service stops accepting them.
    expect(Number(environment.STOP_DELAY_MS)).toBeGreaterThan(noticedMs);
  }
  const bound = [...config.matchAll(/bind :(\d+)/g)].map(([, port]) => port);
  const published: string[] = compose.services.proxy.ports;
  for (const each of published) expect(bound).toContain(each.split(':').at(-1));
});

it('compose: configures both providers for every caller, and the bank’s account', () => {
  const calling = services.filter(({ main }) => variablesOf(join(root, main)).includes('BANK_URL'));
  expect(sorted(calling.map(({ name }) => name))).toEqual(
    sorted(['merchant-api', 'payment-page', 'admin', 'processor']),
  );
  const bank: Manifest = compose.services['sandbox-provider'].environment;
  for (const { name } of calling) {
    const { SANDBOX_URL, BANK_URL, BANK_ACCOUNT, BANK_KEY }: Manifest =
      compose.services[name].environment;
    expect([name, BANK_URL]).toEqual([name, `${SANDBOX_URL}/bank`]);
    expect([BANK_ACCOUNT, BANK_KEY]).toEqual([bank.BANK_ACCOUNT, bank.BANK_KEY]);
    expect([name, BANK_KEY]).toEqual([name, '${BANK_KEY:?}']);
  }
});

it('compose: contains no value of a secret', () => {
  const text = readFileSync(join(root, 'infra/compose.yaml'), 'utf8');
  for (const secret of secretNames)
    expect(text).not.toMatch(new RegExp(`${secret}: (?!\\*|\\$\\{(?:[A-Z_]+_)?${secret}:\\?\\})`));
});

describe.each(deployed)('kubernetes: $name', ({ name, main, port }) => {
  const deployment: Manifest = named('Deployment', name);
  const pod: Manifest = deployment.spec.template.spec;
  const [container]: Manifest[] = pod.containers;
  const environment = new Map<string, Manifest>(
    container.env.map((each: Manifest) => [each.name, each]),
  );
  const ports = new Map<string, number>(
    container.ports.map((each: Manifest) => [each.name, each.containerPort]),
  );

  it('starts the service with all required variables and no unknown ones', () => {
    expect(container.args).toEqual([main]);
    expect(sorted(environment.keys())).toEqual(
      expect.arrayContaining(sorted(requiredOf(join(root, main)))),
    );
    const readVariables = new Set<string>([...variablesOf(join(root, main)), ...commonVariables]);
    expect(sorted(environment.keys()).filter((variable) => !readVariables.has(variable))).toEqual(
      [],
    );
    expect(environment.get('NODE_ENV')).toMatchObject({ value: 'production' });
    expect(environment.get('GATEWAY_BASE_URL')?.valueFrom.configMapKeyRef).toEqual({
      name: 'gateway',
      key: 'GATEWAY_BASE_URL',
    });
    expect(environment.get('LISTEN_HOST')).toMatchObject({ value: '0.0.0.0' });
    expect(Number(environment.get(port)?.value)).toBe(ports.get('http'));
  });

  it('references its secrets and stores, without values', () => {
    const secret = [
      ...secretNames,
      'EVENT_STORE_URL',
      'DATABASE_URL',
      'NATS_URL',
      'S3_SECRET_ACCESS_KEY',
    ];
    const withValues = [...environment.values()].filter(
      (each) => secret.includes(each.name) && each.valueFrom?.secretKeyRef === undefined,
    );
    expect(withValues).toEqual([]);
  });

  it('is probed on its port, at paths that every service has', () => {
    const paths = { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' };
    for (const [probe, path] of Object.entries(paths)) {
      expect(container[probe].httpGet).toEqual({ path, port: 'http' });
    }
    const scraped = deployment.spec.template.metadata.annotations['prometheus.io/port'];
    expect([...ports.values()].map(String)).toContain(scraped);
  });

  it('runs as non-root without privileges, on a read-only file system', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(container.resources).toSorted()).toEqual(['limits', 'requests']);
  });

  it('has enough time to stop, two replicas and a disruption budget', () => {
    const pauseMs = container.lifecycle.preStop.sleep.seconds * 1_000;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(pauseMs + stopMs);
    const selector = deployment.spec.selector.matchLabels;
    expect(deployment.spec.template.metadata.labels).toMatchObject(selector);
    expect(named('PodDisruptionBudget', name).spec).toMatchObject({
      minAvailable: 1,
      selector: { matchLabels: selector },
    });
    const least =
      deployment.spec.replicas ?? named('HorizontalPodAutoscaler', name)?.spec.minReplicas;
    expect(least).toBeGreaterThanOrEqual(2);
  });
});

it('kubernetes: routes each ingress to a container port that the network policy allows', () => {
  const reached = ofKind('Ingress').map(({ spec }) => {
    const { backend } = spec.rules[0].http.paths[0];
    const service = named('Service', backend.service.name);
    const [port] = service.spec.ports;
    const [container] = named('Deployment', service.metadata.name).spec.template.spec.containers;
    const target = container.ports.find((each: Manifest) => each.name === port.targetPort);
    const policy = named('NetworkPolicy', `${service.metadata.name}-from-ingress`);
    expect(policy.spec.podSelector.matchLabels).toEqual(service.spec.selector);
    expect(policy.spec.ingress[0].ports).toEqual([{ port: target.containerPort, protocol: 'TCP' }]);
    expect(port.port).toBe(target.containerPort);
    return service.metadata.name as string;
  });
  expect(sorted(reached)).toEqual(['admin', 'merchant-api', 'payment-page', 'portal', 'processor']);
});

it('kubernetes: lets the largest upload of a service through its ingress', () => {
  const uploads = {
    admin: mostSpooledBytes,
    'merchant-api': maxReceiptBytes,
    'payment-page': maxReceiptBytes,
  };
  for (const [name, bytes] of Object.entries(uploads)) {
    const { annotations } = named('Ingress', name).metadata;
    const megabytes = /^(\d+)m$/.exec(
      annotations['nginx.ingress.kubernetes.io/proxy-body-size'],
    )?.[1];
    // The form around the file counts too.
    expect([name, Number(megabytes) * 1024 * 1024 > bytes]).toEqual([name, true]);
  }
});

it('kubernetes: audits with the command of npm run audit', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { audit: string };
  };
  const [container] = named('CronJob', 'audit').spec.jobTemplate.spec.template.spec.containers;
  expect(['node', ...container.args]).toEqual([
    ...scripts.audit.split(' '),
    '--json',
    '--scheduled',
    '--checkpoints',
    '/checkpoints',
  ]);
  expect(readAuditArguments(container.args.slice(3))).toEqual({
    json: true,
    logOnly: false,
    quiet: false,
    language: 'en',
    recordAs: 'service:audit',
    checkpointFolder: '/checkpoints',
  });
});

it('kubernetes: follows the log with the command of npm run backup, one pod at a time', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { backup: string };
  };
  const { spec }: Manifest = named('Deployment', 'backup');
  const [container] = spec.template.spec.containers;
  const [main, ...args] = container.args as string[];
  expect(scripts.backup.split(' ').at(-1)).toBe(main);
  expect(args).toEqual(['--to', '$(BACKUP_TARGET)']);
  // Without the Secret its pod would never start.
  expect(spec).toMatchObject({ replicas: 0, strategy: { type: 'Recreate' } });
  const names = container.env.map(({ name }: Manifest) => name);
  expect(sorted(names)).toEqual(
    sorted([
      ...commonVariables,
      ...bucketVariables,
      'BACKUP_PORT',
      'BACKUP_TARGET',
      'DATA_DIR',
      'EVENT_STORE_URL',
      'LISTEN_HOST',
    ]),
  );
  const { BACKUP_TARGET: target } = ofKind('ConfigMap')[0].data;
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('S3_ACCESS_KEY_ID', 'id').stubEnv('S3_SECRET_ACCESS_KEY', 'key');
  expect(readBackupArguments(['--to', target])).toMatchObject({
    once: false,
    to: { name: target },
  });
  const port = Number(container.env.find(({ name }: Manifest) => name === 'BACKUP_PORT').value);
  expect(container.ports).toMatchObject([{ containerPort: port }]);
  expect(spec.template.metadata.annotations['prometheus.io/port']).toBe(String(port));
  const { ingress } = named('NetworkPolicy', 'metrics-from-monitoring').spec;
  expect(ingress[0].ports).toContainEqual({ port, protocol: 'TCP' });
  expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
});

it('kubernetes: gives the audit’s temporary files a volume of their own, as large as the page says', () => {
  const { spec }: Manifest = named('CronJob', 'audit').spec.jobTemplate;
  const tmp = spec.template.spec.volumes.find(({ name }: Manifest) => name === 'tmp');
  const { storage } = tmp.ephemeral.volumeClaimTemplate.spec.resources.requests;
  const page = readFileSync(join(root, 'docs/operators/sizing.md'), 'utf8');
  expect(page).toContain(`the request of the volume \`tmp\` in [\`audit.yaml\`]`);
  expect(page).toContain(String(storage).replace(/Gi$/, ' GiB'));
  expect(page).toContain('a week (`activeDeadlineSeconds`)');
  expect(spec.activeDeadlineSeconds).toBe(7 * 86_400);
});

it('kubernetes: signs audits with a separate key, away from the event store’s nodes', () => {
  const pod: Manifest = named('CronJob', 'audit').spec.jobTemplate.spec.template.spec;
  const [container]: Manifest[] = pod.containers;
  const keyFile: string = container.env.find(
    ({ name }: Manifest) => name === 'AUDIT_SIGNING_KEY',
  ).value;
  const secret = pod.volumes.find(
    ({ secret: each }: Manifest) => each?.secretName === 'gateway-audit',
  );
  const mount = container.volumeMounts.find(({ name }: Manifest) => name === secret.name);
  expect(keyFile).toBe(`${mount.mountPath}/${secret.secret.items[0].path}`);
  const claim = pod.volumes.find(({ persistentVolumeClaim: each }: Manifest) => each !== undefined);
  expect(named('PersistentVolumeClaim', claim.persistentVolumeClaim.claimName)).toBeDefined();
  expect(container.volumeMounts).toContainEqual({ name: claim.name, mountPath: '/checkpoints' });
  expect(JSON.stringify(ofKind('Deployment'))).not.toContain('gateway-audit');
  const [never] = pod.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  expect(never).toMatchObject({
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: {},
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'event-store' } },
  });
});

it.each(signingServices.filter((name) => name !== 'move' && name !== commonName))(
  'the manifests: %s signs what it appends with a key of its own',
  (name) => {
    const key = `${name.toUpperCase().replaceAll('-', '_')}_LOG_SIGNING_KEYS`;
    const { spec } =
      name === 'audit' ? named('CronJob', name).spec.jobTemplate : named('Deployment', name);
    const [container]: Manifest[] = spec.template.spec.containers;
    const own = container.env.find((each: Manifest) => each.name === 'LOG_SIGNING_KEYS');
    expect(own.valueFrom.secretKeyRef).toEqual({ name: 'gateway-log-keys', key });
    const inCompose = compose.services[name]?.environment.LOG_SIGNING_KEYS;
    expect(inCompose).toBe(name === 'audit' ? undefined : `\${${key}:?}`);
  },
);

describe('a separate database role', () => {
  const script = readFileSync(join(root, 'infra/deploy/postgres/roles.sql'), 'utf8');
  const withDatabase = [
    ...deployed.filter(({ main }) => requiredOf(join(root, main)).includes('DATABASE_URL')),
    { name: 'audit' },
  ].map(({ name }) => name);

  it.each(withDatabase)('is used by %s', (name) => {
    const role = name.replaceAll('-', '_');
    expect(script).toContain(`'gateway_${role}'`);
    const { spec } =
      name === 'audit' ? named('CronJob', name).spec.jobTemplate : named('Deployment', name);
    const [container]: Manifest[] = spec.template.spec.containers;
    const { valueFrom } = container.env.find((each: Manifest) => each.name === 'DATABASE_URL');
    expect(valueFrom.secretKeyRef).toEqual({
      name: 'gateway-database',
      key: `${role.toUpperCase()}_DATABASE_URL`,
    });
    const password = `${role.toUpperCase()}_DB_PASSWORD`;
    expect(compose.services.postgres.environment).toHaveProperty(password);
    const passwords = readFileSync(join(root, 'infra/deploy/postgres/passwords.sql'), 'utf8');
    expect(passwords).toContain(` ${password}\n`);
    if (name === 'audit') return;
    expect(compose.services[name].environment.DATABASE_URL).toBe(
      `postgres://gateway_${role}:\${${password}:?}@postgres:5432/gateway`,
    );
  });
});

it('kubernetes: allows each service egress only to what its variables name', () => {
  const selects = ({ matchLabels, matchExpressions }: Manifest, name: string): boolean => {
    if (matchLabels) return matchLabels['app.kubernetes.io/name'] === name;
    return matchExpressions === undefined || matchExpressions[0].values.includes(name);
  };
  const egressPolicies = (name: string) =>
    ofKind('NetworkPolicy')
      .filter(({ spec }) => spec.policyTypes.includes('Egress') && spec.egress)
      .filter(({ spec }) => selects(spec.podSelector, name))
      .map(({ metadata }): string => metadata.name);
  const needs: Record<string, string> = {
    EVENT_STORE_URL: 'event-store',
    DATABASE_URL: 'postgres',
    NATS_URL: 'nats',
    SANDBOX_URL: 'providers',
    RECEIPT_STORE_URL: 'bucket',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
    WEBHOOK_RETRY_SCHEDULE: 'merchants-endpoints',
  };
  for (const { name, main } of deployed) {
    const reads = new Set<string>(variablesOf(join(root, main)));
    const expected = Object.entries(needs).flatMap(([variable, way]) =>
      reads.has(variable) ? [way] : [],
    );
    expect([name, sorted(egressPolicies(name))]).toEqual([name, sorted([...expected, 'dns'])]);
  }
  expect(sorted(egressPolicies('audit'))).toEqual(['bucket', 'dns', 'event-store', 'postgres']);
  expect(sorted(egressPolicies('backup'))).toEqual(['bucket', 'dns', 'event-store']);
});

it('kubernetes: logs no sign-in link of the portal at the ingress', () => {
  expect(named('Ingress', 'portal').metadata.annotations).toMatchObject({
    'nginx.ingress.kubernetes.io/enable-access-log': 'false',
  });
});

it('kubernetes: includes every file, and exposes only callbacks to providers', () => {
  expect(sorted([...kustomization.resources, 'kustomization.yaml'])).toEqual(sorted(manifestFiles));
  expect(named('Ingress', 'processor').spec.rules[0].http.paths).toMatchObject([
    { path: '/callbacks', pathType: 'Prefix' },
  ]);
});

it('kubernetes: deployment.md documents every Secret and its keys', () => {
  const text = readFileSync(join(root, 'docs/operators/deployment.md'), 'utf8');
  const read = manifestFiles
    .map((name) => readFileSync(join(root, 'infra/deploy/kubernetes', name), 'utf8'))
    .flatMap((file) => [...file.matchAll(/name: (gateway-[\w-]+),\s*key: (\w+)/g)]);
  // Previous keys and database URLs are documented by their Secret only.
  const names = read.flatMap(([, secret = '', key = '']) =>
    secret === 'gateway-database' || key.endsWith('_PREVIOUS') ? [secret] : [secret, key],
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
