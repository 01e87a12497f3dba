import { expect, it } from 'vitest';
import { inBrowser, useBrowser } from '#infra/verify/harness/browser/browser.ts';
import { browserContext, horizontalOverflow } from '#infra/verify/harness/browser/sitemap.ts';
import { newId } from '#shared/platform/ids.ts';
import { runOf } from '../testing/report-run.ts';
import { failureHtml, reportHtml } from './html.ts';
import type { TracedFinding } from './trace-findings.ts';

const finding: TracedFinding = {
  rule: 'operation.illegal_transition',
  stream: `operation-${newId()}`,
  revision: 123,
  position: 123_456_789_012,
  shopId: newId(),
  message: `message ${newId()} has …"settlement_amount":"1234567890123.45"…, the log gives …`,
  event: {
    id: newId(),
    type: 'OperationPartiallyCompleted',
    at: '2026-01-30T00:00:00.000Z',
    actor: `operator:${'a-long-name-'.repeat(4)}`,
  },
};
const run = runOf({ events: 9_123_456_789, position: 900 }, [finding]);

inBrowser('the report of an audit', () => {
  const { open } = useBrowser();

  it.each(['en', 'ru'] as const)('fits every screen, in %s', async (language) => {
    for (const screen of ['phone', 'wide'] as const) {
      const page = await open(browserContext([language, 'light', screen]));
      for (const text of [
        reportHtml(run, [finding], language),
        failureHtml({ startedAt: new Date(0), reason: 'the store is away' }, language),
      ]) {
        await page.setContent(text);
        expect(await horizontalOverflow(page)).toEqual([]);
      }
    }
  });
});
