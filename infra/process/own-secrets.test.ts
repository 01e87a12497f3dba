import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '#infra/verify/deploy/testing/manifests.ts';
import { variablesOf } from '#infra/verify/deploy/testing/variables.ts';
import { isSecretName, ownSecrets } from './own-secrets.ts';
import { listProcesses } from '../start/processes.ts';
import { services } from '../start/services.ts';
import type { StackPlan } from '../start/plan.ts';
import { secretNames } from '../start/secrets.ts';
import { loadSettings } from '../start/settings.ts';

const sorted = (names: Iterable<string>) => [...names].toSorted();

it.each(services)('passes $name exactly the secrets that it reads', ({ main, secrets }) => {
  expect(sorted(secrets)).toEqual(sorted(variablesOf(join(root, main)).filter(isSecretName)));
});

it('gives the credentials key only to services that call providers (R23.2)', () => {
  const withKey = services.filter(({ main }) =>
    variablesOf(join(root, main)).some((name) => name.startsWith('PROVIDER_CREDENTIALS_KEY')),
  );
  expect(withKey.map(({ name }) => name)).toEqual([
    'processor',
    'merchant-api',
    'payment-page',
    'admin',
  ]);
});

it('gives the callbacks key only to the processor and the admin service (R23.2)', () => {
  const withKey = services.filter(({ main }) =>
    variablesOf(join(root, main)).some((name) => name.startsWith('PROVIDER_CALLBACKS_KEY')),
  );
  expect(withKey.map(({ name }) => name)).toEqual(['processor', 'admin']);
});

it('passes no process a secret of another, or of the shell that started the stack', async () => {
  const all = [...secretNames, 'EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'MY_CLOUD_TOKEN'];
  const env = Object.fromEntries(
    [...all, 'GATEWAY_PORT'].map((name) => [name, `value of ${name}`]),
  );
  const plan = {
    settings: loadSettings({
      PROCESSES: 'apart',
      NATS_URL: 'nats://h',
      DATABASE_URL: 'postgres://h',
      EVENT_STORE_URL: 'esdb://h',
    }),
    dataDir: '/nowhere',
    ports: new Proxy({}, { get: () => 1 }),
    instances: 1,
    env,
  } as unknown as StackPlan;
  const own = new Map(services.map(({ name, secrets }) => [name, secrets]));
  const processes = listProcesses(plan);
  expect(processes.map(({ name }) => name)).toContain('demo-receiver');
  for (const { name, prepare } of processes) {
    const received = Object.keys((await prepare(new AbortController().signal)).launch.env ?? {});
    expect(received).toContain('GATEWAY_PORT');
    expect(sorted(received.filter((each) => all.includes(each)))).toEqual(
      sorted(all.filter((each) => own.get(name)?.includes(each))),
    );
  }
});

it('recognises every secret of the gateway by its name', () => {
  expect(secretNames.filter((name) => !isSecretName(name))).toEqual([]);
  const proxy = 'http://user:password@proxy.example:3128';
  expect(ownSecrets({ HTTPS_PROXY: proxy, all_proxy: proxy, NO_PROXY: 'a:1,b@c' }, [])).toEqual({
    NO_PROXY: 'a:1,b@c',
  });
  expect(ownSecrets({ HTTP_PROXY: 'http://proxy.example:3128' }, [])).toHaveProperty('HTTP_PROXY');
  expect(ownSecrets({ PATH: '/bin', NODE_ENV: 'test', S3_SECRET_ACCESS_KEY: 'x' }, [])).toEqual({
    PATH: '/bin',
    NODE_ENV: 'test',
  });
});
