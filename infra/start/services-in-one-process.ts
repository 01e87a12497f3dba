import { runService, together, type Service } from '#shared/application/service.ts';

/**
 * Several services in one process: `node infra/start/services-in-one-process.ts services/processor/main.ts
 * projections/main.ts`.
 */
async function run(mains: readonly string[]): Promise<void> {
  const services = await Promise.all(
    mains.map(async (main) => ((await import(main)) as { service: Service }).service),
  );
  await runService(together(services));
}
if (import.meta.main) await run(process.argv.slice(2));
