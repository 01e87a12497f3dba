import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { natsServerVersion, whyTooOld } from '#infra/nats/version.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { services } from '#infra/start/services.ts';
import { makeLogKeys } from '#infra/start/secrets.ts';
import { startEmbeddedStores } from '#infra/verify/harness/stores/embedded-stores.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { buildTree, type ImageTree } from './image/build-tree.ts';
import { readContainerfile } from './image/containerfile.ts';
import { startIn, tryService, type Ran } from './image/run.ts';

/**
 * `npm run verify -- image`: builds the Containerfile in a temporary folder, and starts each
 * service from it as the image would: as its user, on read-only files, with only its own
 * environment. For machines without a container engine.
 */
const context = fileURLToPath(new URL('../../..', import.meta.url));
const print = (text: string) => void process.stdout.write(`${text}\n`);
const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
const diskUsage = (path: string) =>
  Number(execFileSync('du', ['-s', '--bytes', path], { encoding: 'utf8' }).split('\t')[0]);

function reportSizes({ root, workdir }: ImageTree): void {
  const app = join(root, workdir);
  const packages = diskUsage(join(app, 'node_modules'));
  print(`Node            ${mib(diskUsage(join(root, 'usr/local/bin/node')))}`);
  print(`node_modules    ${mib(packages)}`);
  print(`sources         ${mib(diskUsage(app) - packages)}`);
  const packed = execFileSync('sh', ['-c', 'tar -c . | gzip -6 | wc -c'], {
    cwd: root,
    encoding: 'utf8',
  });
  print(`all, compressed ${mib(Number(packed))} (the base image comes on top)`);
}

/** The user can write only to its data folder and /tmp. */
async function expectReadOnly(
  tree: ImageTree,
  places: Parameters<typeof startIn>[2],
): Promise<void> {
  const paths = ['x', 'shared/x', 'node_modules/x', 'services/back-office/main.ts'];
  const script = `for (const path of ${JSON.stringify(paths)}) {
    try { require('node:fs').appendFileSync(path, ''); process.exit(1); } catch {}
  }`;
  const { code } = await startIn(tree, { name: 'write', args: ['-e', script], env: {} }, places)
    .exited;
  if (code !== 0) throw new Error('the image’s files can be written');
  const user = process.getuid?.() === 0 ? `${tree.user.uid}:${tree.user.gid}` : 'this user';
  print(`files: not to be written by ${user}`);
}

function environment(
  urls: Partial<Record<'event-store' | 'postgres' | 'nats', string>>,
): Record<string, string> {
  const secret = () => randomBytes(24).toString('base64url');
  return {
    EVENT_STORE_URL: urls['event-store'] ?? '',
    DATABASE_URL: urls.postgres ?? '',
    NATS_URL: urls.nats ?? '',
    PAY_BASE_URL: 'http://localhost:8082',
    PORTAL_BASE_URL: 'http://localhost:8086',
    SANDBOX_URL: 'http://127.0.0.1:8090',
    SANDBOX_CALLBACK_URL: 'http://127.0.0.1:8083/callbacks/sandbox',
    SANDBOX_API_KEY: secret(),
    SANDBOX_CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    RECEIPT_URL_SECRET: secret(),
    PERSONAL_DATA_KEY: randomBytes(32).toString('base64'),
    PROVIDER_CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    PROVIDER_CALLBACKS_KEY: randomBytes(32).toString('base64'),
    CHECKPOINT_SIGNING_KEY: randomBytes(32).toString('base64'),
    LOG_SIGNING_KEYS: makeLogKeys(),
    ADMIN_TOKEN: secret(),
    // The sandbox starts in production only if this is set.
    SANDBOX: '1',
    LISTEN_HOST: '127.0.0.1',
    ...natsOfThisMachine(),
    LOG_LEVEL: 'warn',
  };
}

/**
 * Production requires a newer server than a distribution may have: this tests the image, not the
 * server.
 */
function natsOfThisMachine(): { NODE_ENV?: string } {
  const reason = whyTooOld(natsServerVersion());
  if (reason === undefined) return {};
  print(`${reason}; the services are started as for development`);
  return { NODE_ENV: 'development' };
}

const usage = `usage: npm run verify -- image

Builds the image's files without a container engine, and starts every service from them (docs/operators/deployment.md).
`;
readCommandLine(usage, {});
const folder = makeTempFolder();
const watchdog = startWatchdog();
let stores: Awaited<ReturnType<typeof startEmbeddedStores>> | undefined;
try {
  chmodSync(folder, 0o755);
  const stages = readContainerfile(join(context, 'infra/deploy/Containerfile'));
  const tree = buildTree(stages, { context, folder, node: process.execPath });
  reportSizes(tree);
  const tmp = join(folder, 'tmp');
  mkdirSync(tmp);
  if (process.getuid?.() === 0) chownSync(tmp, tree.user.uid, tree.user.gid);
  const places = { watchdog, tmp };
  await expectReadOnly(tree, places);
  stores = await startEmbeddedStores(['event-store', 'postgres', 'nats']);
  const env = environment(stores.urls);
  const ran: Ran[] = [];
  for (const { name, main, port } of services) {
    const metrics = {
      GATEWAY_METRICS_PORT: String(await findFreePort()),
      PAY_METRICS_PORT: '0',
      PORTAL_METRICS_PORT: '0',
    };
    ran.push(await tryService(tree, { name, main, port, env: { ...env, ...metrics } }, places));
  }
  for (const { name, readyMs, rssMiB, stopMs, exitCode } of ran)
    print(
      `${name.padEnd(17)} ready after ${readyMs} ms, ${rssMiB} MiB, stopped in ${stopMs} ms with ${exitCode}`,
    );
  const audit = startIn(
    tree,
    { name: 'audit', args: ['services/audit/main.ts', '--json'], env },
    places,
  );
  const { code } = await audit.exited;
  print(`audit             ended with ${code}`);
  process.exitCode = code === 0 && ran.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
} finally {
  await stores?.stop();
  await watchdog.close();
  execFileSync('chmod', ['-R', 'u+w', folder]);
  removeFolder(folder);
}
