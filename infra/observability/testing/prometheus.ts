import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#infra/process/free-port.ts';
import { startProcess } from '#infra/process/start-process.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';

type Sample = { metric: Readonly<Record<string, string>> };
type Answer = { status: string; error?: string; data: { result: Sample[] } };

/** Prometheus, which scrapes services every second. @param targets by the name of the service */
export async function startPrometheus(
  program: string,
  folder: string,
  targets: Readonly<Record<string, string>>,
) {
  mkdirSync(folder, { recursive: true });
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [
      {
        job_name: 'payment-gateway',
        static_configs: Object.entries(targets).map(([service, target]) => ({
          targets: [target],
          labels: { service },
        })),
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const port = await findFreePort();
  const watchdog = startWatchdog();
  const child = startProcess(
    {
      name: 'prometheus',
      command: program,
      args: [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      stopSignal: 'SIGTERM',
    },
    { watchdog },
  );
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const isReady = () =>
    get('/-/ready').then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually('Prometheus is ready', isReady);
  return {
    /** The series that an expression has now. @throws what Prometheus refuses */
    query: async (expr: string): Promise<Sample[]> => {
      const answer = (await (
        await get(`/api/v1/query?query=${encodeURIComponent(expr)}`)
      ).json()) as Answer;
      if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
      return answer.data.result;
    },
    stop: async () => {
      await child.stop(10_000);
      await watchdog.close();
    },
  };
}
