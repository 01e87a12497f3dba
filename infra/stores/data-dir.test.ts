import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { identify } from '../process/pids.ts';
import { acquireLock } from '#infra/stores/lock.ts';
import { choosePorts } from '#infra/stores/ports.ts';
import { loadSecrets } from '#infra/start/secrets.ts';
import { findRunningStack, removeStackFile, writeStackFile } from './stack-file.ts';

describe('DATA_DIR', () => {
  it('is locked by one start at a time', async () => {
    const folder = useTempFolder();
    const lock = await acquireLock(folder);
    expect(lock).toBeDefined();
    expect(await acquireLock(folder)).toBeUndefined();
    expect(await acquireLock(`${folder}/../${folder.split('/').at(-1)}`)).toBeUndefined();
    await lock?.release();
    const again = await acquireLock(folder);
    expect(again).toBeDefined();
    await again?.release();
  });

  it('stores generated secrets, readable only by the owner (R19.2)', () => {
    const folder = useTempFolder();
    const first = loadSecrets(folder, { ADMIN_TOKEN: 'from the environment' });
    expect(first.generated).toEqual([
      'RECEIPT_URL_SECRET',
      'PERSONAL_DATA_KEY',
      'PROVIDER_CREDENTIALS_KEY',
      'PROVIDER_CALLBACKS_KEY',
      'CHECKPOINT_SIGNING_KEY',
      'LOG_SIGNING_KEYS',
      'SANDBOX_API_KEY',
      'BANK_KEY',
      'SANDBOX_CALLBACK_SECRET',
    ]);
    expect(first.values.SANDBOX_CALLBACK_SECRET).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);

    const second = loadSecrets(folder, {});
    expect(second.generated).toEqual(['ADMIN_TOKEN']);
    expect(second.values.RECEIPT_URL_SECRET).toBe(first.values.RECEIPT_URL_SECRET);
    expect(loadSecrets(folder, {})).toEqual({ values: second.values, generated: [] });
  });

  it('stores the internal ports, and replaces one that is in use', async () => {
    const folder = useTempFolder();
    const first = await choosePorts(folder, {});
    expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length);
    expect(await choosePorts(folder, {})).toEqual(first);

    const squatter = createServer().listen(first.nats, '127.0.0.1');
    onTestFinished(() => void squatter.close());
    const third = await choosePorts(folder, { PROCESSOR_PORT: '4711' });
    expect(third).toEqual({ ...first, nats: third.nats, processor: 4711 });
    expect(third.nats).not.toBe(first.nats);
    const fourth = await choosePorts(folder, {}, { reserved: [first.postgres] });
    expect(fourth.postgres).not.toBe(first.postgres);
  });

  it('records the running stack for tools, and ignores one that has exited', () => {
    const folder = useTempFolder();
    expect(findRunningStack(folder)).toBeUndefined();
    const supervisor = identify(process.pid) ?? { pid: 0, startedAt: '' };
    const stack = {
      supervisor,
      watchdog: undefined,
      ready: true,
      processes: {},
      services: {},
      probes: {},
      env: { A: '1' },
    };
    writeStackFile(folder, stack);
    expect(findRunningStack(folder)?.env).toEqual({ A: '1' });
    expect(statSync(join(folder, 'stack.json')).mode & 0o777).toBe(0o600);
    // The same pid, but another process: the machine was restarted.
    writeStackFile(folder, { ...stack, supervisor: { ...supervisor, startedAt: '1' } });
    expect(findRunningStack(folder)).toBeUndefined();
    removeStackFile(folder);
  });
});
