import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canEnter, listUsers } from '../process/run-as.ts';
import { startEmbeddedStores } from '../testing/embedded-stores.ts';
import { launchStack, stackEnvironment, useStack } from '../testing/stack.ts';
import { makeTempFolder, removeFolder } from '../testing/temp-folder.ts';

function useFolder(): string {
  const folder = makeTempFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

describe('the environment', () => {
  it('is refused with every bad variable at once, by name', async () => {
    const launched = launchStack({
      ...(await stackEnvironment(useFolder())),
      GATEWAY_PORT: 'http',
      PAY_PORT: '70000',
      DEMO: 'yes',
      DATABASE_URL: 'mysql://root:hunter2@db',
      WEBHOOK_RETRY_SCHEDULE: 'soon',
    });
    expect((await launched.exited).code).toBe(1);
    for (const name of ['GATEWAY_PORT', 'PAY_PORT', 'DEMO', 'DATABASE_URL', 'WEBHOOK_RETRY_SCHEDULE']) {
      expect(launched.output()).toContain(name);
    }
    expect(launched.output()).not.toContain('hunter2');
    await launched.stop();
  });

  it('replaces a part by a URL: nothing of it is started', async () => {
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
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = listUsers().find(({ name }) => name === 'nobody');
const checkout = fileURLToPath(new URL('../..', import.meta.url));

describe.runIf(isRoot)('as root', () => {
  it('keeps its data below a folder that is root’s alone', async () => {
    const folder = useFolder();
    chmodSync(folder, 0o700);
    const dataDir = join(folder, 'data');
    const stack = await useStack({ dataDir });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
    await stack.stop();
  });

  it.runIf(nobody && canEnter(nobody, checkout))('leaves it to an ordinary user just as well', async () => {
    const { uid = 0, gid = 0 } = nobody ?? {};
    const folder = useFolder();
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
