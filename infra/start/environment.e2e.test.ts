import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { expectAuditToPass, runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { canEnter, listUsers } from '../process/run-as.ts';
import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import { hasPgBouncer, usePgBouncer } from '#infra/verify/harness/stores/pgbouncer.ts';
import {
  launchStack,
  stackEnvironment,
  useStack,
} from '#infra/verify/harness/stacks/test-stack.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { signingServices } from './services.ts';

describe('the environment', () => {
  it('replaces an embedded store by a URL: the store is not started (R19.3)', async () => {
    const stores = await startEmbeddedStores(['event-store', 'postgres', 'nats']);
    onTestFinished(() => stores.stop());
    const stack = await useStack({
      env: {
        EVENT_STORE_URL: stores.urls['event-store'],
        DATABASE_URL: stores.urls.postgres,
        NATS_URL: stores.urls.nats,
      },
    });
    expect(Object.keys(stack.pids())).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(event-store|postgres|nats)$/)]),
    );
    expect(stack.env['DATABASE_URL']).toBe(stores.urls.postgres);
    await stack.waitReady();
    await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
    const laterFolder = useTempFolder();
    cpSync(join(stack.dataDir, 'stores.json'), join(laterFolder, 'stores.json'));
    // A later audit without the addresses has no stores, and must not create any.
    const later = await runAuditProcess(['--json'], { DATA_DIR: laterFolder });
    expect(later).toMatchObject({ code: 3, stdout: '' });
    expect(later.stderr).toMatch(
      /last ran on the event store at 127\.0\.0\.1:\d+.*set EVENT_STORE_URL\n$/,
    );
    expect(readdirSync(laterFolder)).toEqual(['stores.json']);
  });
});

describe.skipIf(!hasPgBouncer)('a pooler in transaction mode (R19.12)', () => {
  const usePooler = () =>
    usePgBouncer(inject('databaseUrl'), {
      pool_mode: 'transaction',
      ignore_startup_parameters: 'statement_timeout,options',
    });
  const report =
    /^The environment can't be used:\n {2}DATABASE_URL: leads to a connection pooler in transaction mode.*$/;

  it('is named before anything starts', async () => {
    const environment = await stackEnvironment(useTempFolder());
    const launched = launchStack({ ...environment, DATABASE_URL: await usePooler() });
    onTestFinished(async () => void (await launched.stop()));
    expect((await launched.exited).code).toBe(1);
    expect(launched.output()).toMatch(report);
  });

  it('ends a service that is started by itself, with one report', async () => {
    const main = fileURLToPath(new URL('../../projections/main.ts', import.meta.url));
    const service = spawn(process.execPath, [main], {
      env: {
        PATH: process.env['PATH'],
        LOG_LEVEL: 'silent',
        PROJECTIONS_PORT: '0',
        EVENT_STORE_URL: inject('eventStoreUrl'),
        DATABASE_URL: await usePooler(),
        CHECKPOINT_SIGNING_KEY: Buffer.alloc(32).toString('base64'),
        LOG_SIGNING_KEYS: testKeyPair('projections'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    const [output, [code]] = await Promise.all([text(service.stderr), once(service, 'exit')]);
    expect(output.trim()).toMatch(report);
    expect(code).toBe(1);
  });
});

describe('an installed nats-server', () => {
  /** A folder with a nats-server that reports this version. */
  const serverOf = (version: string) => {
    const folder = useTempFolder();
    const file = join(folder, 'nats-server');
    writeFileSync(file, `#!/bin/sh\necho "nats-server: v${version}"\n`);
    chmodSync(file, 0o755);
    return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  };
  const secrets = {
    ADMIN_TOKEN: 'a'.repeat(24),
    RECEIPT_URL_SECRET: 'b'.repeat(24),
    SANDBOX_API_KEY: 'c'.repeat(24),
    SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    PERSONAL_DATA_KEY: Buffer.alloc(32, 2).toString('base64'),
    PROVIDER_CREDENTIALS_KEY: Buffer.alloc(32, 3).toString('base64'),
    PROVIDER_CALLBACKS_KEY: Buffer.alloc(32, 4).toString('base64'),
    CHECKPOINT_SIGNING_KEY: Buffer.alloc(32, 5).toString('base64'),
    LOG_SIGNING_KEYS: signingServices.map(testKeyPair).join(','),
  };

  it('is rejected in production if it is too old, with a remedy', async () => {
    const env = { ...(await stackEnvironment(useTempFolder())), ...secrets, ...serverOf('2.9.10') };
    const launched = launchStack({ ...env, NODE_ENV: 'production' });
    expect((await launched.exited).code).toBe(1);
    expect(launched.output()).toMatch(
      /nats-server 2\.9\.10 is for trying things out: production takes 2\.10\.27 or newer: .*NATS_URL/,
    );
    await launched.stop();
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = listUsers().find(({ name }) => name === 'nobody');
const checkout = fileURLToPath(new URL('../..', import.meta.url));

describe.runIf(isRoot)('a stack started by an ordinary user', () => {
  it.runIf(nobody && canEnter(nobody, checkout))('stores its data as that user', async () => {
    const { uid = 0, gid = 0 } = nobody ?? {};
    const folder = useTempFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, uid, gid);
    const stack = await useStack({ dataDir, uid, gid, env: { HOME: dataDir } });
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(uid);
    await stack.waitReady();
    expect((await stack.stop()).code).toBe(0);
  });
});
