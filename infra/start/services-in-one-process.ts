import { resolve } from 'node:path';
import { runService, together, type Service } from '#shared/application/service.ts';
import { parseArguments, USAGE } from '#infra/event-store-node/cli-arguments.ts';
import { startInProcess } from '#infra/event-store-node/in-process/start-in-process.ts';

/**
 * Several services in one process: `infra/start/services-in-one-process.ts services/processor/main.ts
 * services/webhooks/main.ts`; with the event store node in it as well, if its arguments and `--` are first.
 */
async function run(args: readonly string[]): Promise<void> {
  const end = args.indexOf('--');
  const node = parseArguments(args.slice(0, Math.max(end, 0)));
  if (end >= 0 && node === undefined) throw new Error(USAGE);
  const load = async (main: string) => ((await import(main)) as { service: Service }).service;
  // Loaded while the store opens; a failure is reported when they are started.
  const services = Promise.all(args.slice(end + 1).map(load));
  services.catch(() => undefined);
  const startStore =
    node && (() => startInProcess({ ...node, directory: resolve(node.directory) }));
  await runService({ start: async (host) => together(await services).start(host) }, startStore);
}
if (import.meta.main) await run(process.argv.slice(2));
