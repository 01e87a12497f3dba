import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { readForScrape } from './reading.ts';

/** The room on the disk of a folder, in bytes; NaN if it can't be read. */
export function registerDiskMetrics(registry: Metrics, folder: string): void {
  const read = readForScrape(() => statfs(folder));
  const gauge = (name: string, help: string, blocks: 'bavail' | 'blocks') =>
    new Gauge({
      name: `gateway_data_dir_${name}_bytes`,
      help,
      registers: [registry],
      async collect() {
        const disk = await read();
        this.set(disk ? disk[blocks] * disk.bsize : Number.NaN);
      },
    });
  gauge('free', 'Bytes that are free on the disk of DATA_DIR', 'bavail');
  gauge('disk', 'Bytes of the disk of DATA_DIR', 'blocks');
}
