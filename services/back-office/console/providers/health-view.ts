import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import {
  acceptanceRate,
  type BankHealth,
  type Health,
  type ProviderHealth,
  type RouteHealth,
} from '../../api/providers/health.ts';
import {
  count,
  duration,
  percent,
  renderTable,
  type TableColumn,
  type TableOptions,
} from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { typeNames } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { providerTexts as texts } from './texts.ts';

/** The figures that every table of health has, in the order of its columns. */
export const healthColumns: readonly TableColumn[] = [
  { amount: texts.attempts },
  { amount: texts.acceptance },
  { amount: texts.refused },
  { amount: texts.unknown },
  { amount: texts.latency },
  { amount: texts.paid },
  { amount: texts.timeToPaid },
];

export function healthCells(view: ConsoleView, health: Health | undefined): string[] {
  if (!health) return healthColumns.map(() => '—');
  const acceptance = acceptanceRate(health);
  const ms = (value: number | null) => (value === null ? '—' : duration(view, value / 1_000));
  return [
    count(view, health.attempts),
    acceptance === null ? '—' : percent(view, acceptance),
    count(view, health.refused),
    count(view, health.unknown),
    `${ms(health.p50_ms)} / ${ms(health.p95_ms)}`,
    count(view, health.paid),
    health.paid_p50_s === null ? '—' : duration(view, health.paid_p50_s),
  ];
}

const routeName = ({ t }: ConsoleView, { type, method, priority, account }: RouteHealth): string =>
  `${t(typeNames[type])} ${method}, ${priority}${account === defaultAccount ? '' : ` / ${account}`}`;

/** One provider by route and method, by bank, and by reason of its refusals. */
export function healthSection(view: ConsoleView, name: string, health: ProviderHealth): Html {
  const { t } = view;
  const part = (
    title: Words,
    options: Omit<TableOptions, 'caption'>,
    about: Html | string = '',
  ) => {
    const caption = `${name}: ${t(title)}`;
    return html`<section class="section">
      <h2>${caption}</h2>
      ${about} ${renderTable(view, { caption, ...options })}
    </section>`;
  };
  const figures = [...healthColumns, { amount: common.commission }];
  const cells = (each: RouteHealth | BankHealth) => [
    ...healthCells(view, each),
    each.commission === null ? '—' : formatAmount(view.language, each.commission, each.currency),
  ];
  return html`${part(texts.byRoute, {
    columns: [texts.route, ...figures],
    rows: health.routes.map((route) => [routeName(view, route), ...cells(route)]),
  })}
  ${part(
    texts.byBank,
    {
      columns: [common.bank, ...figures],
      rows: health.banks.map((bank) => [bank.bank ?? t(texts.noBank), ...cells(bank)]),
    },
    html`<p class="muted small">${t(texts.banksOf)}</p>`,
  )}
  ${part(texts.reasons, {
    columns: [common.status, common.reason, { amount: texts.howOften }],
    rows: health.reasons.map(({ outcome, reason, count: times }) => [
      html`<code class="plain">${outcome}</code>`,
      reason,
      count(view, times),
    ]),
    empty: t(texts.noReasons),
  })}`;
}
