import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatted } from '#infra/verify/harness/formatted.ts';
import type { CapacityResult } from '../run.ts';
import { renderReport, renderSummary } from './markdown.ts';
import { samplesToCsv } from './samples.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const marks = { begin: '<!-- begin of the last run -->', end: '<!-- end of the last run -->' };

/**
 * Writes the report, all that it is made of, and every second.
 * @returns the report's path
 */
export function writeReport(result: CapacityResult, out: string): string {
  mkdirSync(out, { recursive: true });
  const report = join(out, 'report.md');
  writeFileSync(report, `# Capacity run\n\n${renderReport(result)}`);
  writeFileSync(join(out, 'samples.csv'), samplesToCsv(result.samples));
  writeFileSync(join(out, 'samples.json'), `${JSON.stringify(result.samples)}\n`);
  const { samples: _, ...summary } = result;
  const soak = summary.soak && { ...summary.soak, samples: undefined };
  writeFileSync(join(out, 'result.json'), `${JSON.stringify({ ...summary, soak }, null, 2)}\n`);
  return report;
}

/** Makes a run the one that `docs/measurements/capacity.md` sums up. */
export function writeDocs(result: CapacityResult): void {
  const page = join(root, 'docs/measurements/capacity.md');
  const replaced = replaceLastRun(readFileSync(page, 'utf8'), renderSummary(result));
  writeFileSync(page, formatted(page, replaced));
}

/** The page with another run between its marks. @throws if it has none */
function replaceLastRun(page: string, summary: string): string {
  const [from, to] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (from < 0 || to < from)
    throw new Error('docs/measurements/capacity.md has no marks to put the run between');
  return `${page.slice(0, from + marks.begin.length)}\n\n${summary}\n${page.slice(to)}`;
}
