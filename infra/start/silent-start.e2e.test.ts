import { expect, it, onTestFinished } from 'vitest';
import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { launchStack, stackEnvironment } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

it('prints only what it waits for before its banner, however slow its stores are (R19.9)', async () => {
  const stores = await startEmbeddedStores(['postgres', 'nats']);
  onTestFinished(() => stores.stop());
  const postgres = await startTcpProxy(stores.urls.postgres ?? '');
  const nats = await startTcpProxy(stores.urls.nats ?? '');
  const proxies = [postgres, nats];
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
  for (const proxy of proxies) proxy.stall();
  const launched = launchStack({
    ...(await stackEnvironment(useTempFolder())),
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
  });
  onTestFinished(async () => void (await launched.stop()));
  const has = (text: string) => () => launched.output().includes(text);
  await eventually('the wait is logged', has('waiting for '));
  for (const proxy of proxies) proxy.resume();
  await eventually('the stack is ready', has('The gateway is ready'));
  const lines = launched.output().split('\n');
  const before = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('The gateway is ready')),
  );
  const isWait = (line: string) =>
    /^start +\| \S+ info {2}waiting for .+: \d+ s so far$/.test(line);
  expect(before.filter(isWait).length).toBeGreaterThan(0);
  expect(before.filter((line) => !isWait(line))).toEqual([
    expect.stringMatching(/^Starting .* …$/),
    '',
  ]);
});
