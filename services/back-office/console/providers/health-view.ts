import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import {
  acceptanceOf,
  type BankHealth,
  type Health,
  type ProviderHealth,
  type RouteHealth,
} from '../../api/providers/health.ts';
import { count, duration, table, type Column } from '../../frame/components.ts';
import type { View } from '../env.ts';
import { typeNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { providerTexts as texts } from './texts.ts';

function percent({ language }: View, share: number | null): string {
  if (share === null) return '—';
  const format = { style: 'percent', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language === 'ru' ? 'ru-RU' : 'en-GB', format).format(share);
}

/** The figures that every table of health has, in the order of its columns. */
export const healthColumns = ({ t }: View): Column[] =>
  [
    texts.attempts,
    texts.acceptance,
    texts.refused,
    texts.unknown,
    texts.latency,
    texts.paid,
    texts.timeToPaid,
  ].map((words) => ({ name: t(words), amount: true }));

export function healthCells(view: View, health: Health | undefined): string[] {
  if (!health) return healthColumns(view).map(() => '—');
  const ms = (value: number | null) => (value === null ? '—' : duration(view, value / 1_000));
  return [
    count(view, health.attempts),
    percent(view, acceptanceOf(health)),
    count(view, health.refused),
    count(view, health.unknown),
    `${ms(health.p50_ms)} / ${ms(health.p95_ms)}`,
    count(view, health.paid),
    health.paid_p50_s === null ? '—' : duration(view, health.paid_p50_s),
  ];
}

const commissionOf = (
  { language }: View,
  { commission, currency }: Pick<BankHealth, 'commission' | 'currency'>,
) => (commission === null ? '—' : formatAmount(language, commission, currency));

const routeName = ({ t }: View, { type, method, priority, account }: RouteHealth): string =>
  `${t(typeNames[type])} ${method}, ${priority}${account === defaultAccount ? '' : ` / ${account}`}`;

/** One provider by route and method, by bank, and by reason of its refusals. */
export function healthSection(view: View, name: string, health: ProviderHealth): Html {
  const { t } = view;
  const figures = healthColumns(view);
  const byRoute = `${name}: ${t(texts.byRoute)}`;
  const byBank = `${name}: ${t(texts.byBank)}`;
  const reasons = `${name}: ${t(texts.reasons)}`;
  return html`<section class="section">
      <h2>${byRoute}</h2>
      ${table({
        caption: byRoute,
        columns: [
          { name: t(texts.route) },
          ...figures,
          { name: t(texts.commission), amount: true },
        ],
        rows: health.routes.map((route) => [
          routeName(view, route),
          ...healthCells(view, route),
          commissionOf(view, route),
        ]),
        empty: '—',
      })}
    </section>
    <section class="section">
      <h2>${byBank}</h2>
      <p class="muted small">${t(texts.banksOf)}</p>
      ${table({
        caption: byBank,
        columns: [{ name: t(texts.bank) }, ...figures, { name: t(texts.commission), amount: true }],
        rows: health.banks.map((bank) => [
          bank.bank ?? t(texts.noBank),
          ...healthCells(view, bank),
          commissionOf(view, bank),
        ]),
        empty: '—',
      })}
    </section>
    <section class="section">
      <h2>${reasons}</h2>
      ${table({
        caption: reasons,
        columns: [
          { name: t(common.status) },
          { name: t(texts.reason) },
          { name: t(texts.howOften), amount: true },
        ],
        rows: health.reasons.map(({ outcome, reason, count: times }) => [
          html`<code class="plain">${outcome}</code>`,
          reason,
          count(view, times),
        ]),
        empty: t(texts.noReasons),
      })}
    </section>`;
}
