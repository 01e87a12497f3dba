import { expect, it } from 'vitest';
import { renderToText } from '#shared/platform/pages/html.ts';
import type { ConsoleView } from '../env.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { attentionSection } from './attention.ts';

const view = { t: ({ en }: Words) => en, language: 'en' } as unknown as ConsoleView;
const nothing = {
  off: new Map(),
  breakers: new Map(),
  health: new Map(),
  shops: [],
  overpaid: 0,
  projections: [],
};
type AttentionInput = Parameters<typeof attentionSection>[1];
const shown = (audit: Partial<AttentionInput['audit']>, more: Partial<AttentionInput> = {}) =>
  renderToText(
    attentionSection(view, { ...nothing, audit: audit as AttentionInput['audit'], ...more }),
  );

it('reports no violation only if the last audit held', () => {
  expect(shown(undefined)).toContain('No audit has been recorded yet');
  expect(shown(undefined)).not.toContain('no violation');
  expect(shown({ outcome: 'holds' })).toContain('the last audit found no violation');
  expect(shown({ outcome: 'incomplete' })).toContain('not complete');
});

it('makes no claim about providers whose figures are unavailable', () => {
  const audit = { outcome: 'holds' } as AttentionInput['audit'];
  for (const missing of [{ health: undefined }, { shops: undefined }]) {
    const text = renderToText(attentionSection(view, { ...nothing, ...missing, audit }));
    expect(text).toContain('not available');
    expect(text).not.toContain('accept operations');
  }
});

it('counts payments with much more money than expected, and links to them (R12.18)', () => {
  const audit = { outcome: 'holds' } as AttentionInput['audit'];
  expect(shown(audit)).not.toContain('than expected');
  const some = shown(audit, { overpaid: 3 });
  expect(some).toContain('/operations?attention=overpaid');
  expect(some).toContain('much more money than expected, in the last 7 days: 3');
});

it('does not count payouts without funds against their route', () => {
  const route = { type: 'payout', method: 'WT_RUB_C2C', attempts: 20, accepted: 5 };
  const attention = (unfunded: number) => {
    const routes = [{ ...route, unfunded }];
    return shown(undefined, {
      health: new Map([['sandbox', { routes }]]) as unknown as AttentionInput['health'],
    });
  };
  expect(attention(0)).toContain('accepted 5 of 20');
  expect(attention(15)).not.toContain('accepted');
  expect(attention(8)).toContain('accepted 5 of 12');
});
