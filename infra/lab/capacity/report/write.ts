import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CapacityResult } from '../run.ts';
import { renderReport } from './markdown.ts';

/** Writes the report, its data, and the samples of every second. @returns the report's path */
export function writeReport(result: CapacityResult, out: string): string {
  mkdirSync(out, { recursive: true });
  const report = join(out, 'report.md');
  writeFileSync(report, `# Capacity run\n\n${renderReport(result)}`);
  writeFileSync(join(out, 'samples.json'), `${JSON.stringify(result.samples)}\n`);
  const { samples: _, ...summary } = result;
  const soak = summary.soak && { ...summary.soak, samples: undefined };
  writeFileSync(join(out, 'result.json'), `${JSON.stringify({ ...summary, soak }, null, 2)}\n`);
  return report;
}
