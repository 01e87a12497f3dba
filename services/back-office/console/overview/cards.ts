import { html, type Html } from '#shared/platform/pages/index.ts';
import { asTable, barChart, legend, lineChart, type Chart } from '../charts/chart.ts';
import { durationTicks, linearTicks } from '../charts/scale.ts';
import { count, duration, toLocale, percent } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { Duration, Flow, RangeName } from './figures.ts';

const texts = {
  creates: { ru: 'Создано операций', en: 'Operations created' },
  payments: { ru: 'Платежи', en: 'Payments' },
  payouts: { ru: 'Выплаты', en: 'Payouts' },
  inAll: { ru: 'всего', en: 'total' },
  conversion: { ru: 'Конверсия', en: 'Conversion' },
  accepted: { ru: 'Принято провайдером', en: 'Accepted by a provider' },
  paid: { ru: 'Завершены с деньгами', en: 'Completed with money' },
  conversionLabel: {
    ru: 'Доля созданных операций, которые принял провайдер и которые завершились с деньгами',
    en: 'Share of created operations that a provider accepted, and that completed with money',
  },
  durations: { ru: 'Время до завершения', en: 'Time to completion' },
  durationsLabel: {
    ru: 'Сколько времени заняли завершённые операции: медиана, 90-й и 99-й процентили',
    en: 'How long finished operations took: median, 90th and 99th percentile',
  },
  createsLabel: {
    ru: 'Сколько операций создано: платежи и выплаты',
    en: 'Operations created: payments and payouts',
  },
  nothing: {
    ru: 'За это время операций не создано. Новая операция появится здесь сразу.',
    en: 'No operations were created in this period. A new one appears here at once.',
  },
  noEnds: {
    ru: 'За это время ни одна операция не завершилась.',
    en: 'No operations finished in this period.',
  },
} as const satisfies Record<string, Words>;

/** The names of the buckets: hours or days in the reader's zone. */
function named(
  { language, zone: timeZone }: ConsoleView,
  range: RangeName,
  times: readonly { at: Date }[],
): Chart['buckets'] {
  const locale = toLocale(language);
  const zone = { timeZone, hourCycle: 'h23' } as const;
  const day = { day: 'numeric', month: 'short' } as const;
  const hour = { hour: '2-digit', minute: '2-digit' } as const;
  const name = new Intl.DateTimeFormat(locale, { ...zone, ...day, ...(range === 'day' && hour) });
  const short = new Intl.DateTimeFormat(locale, { ...zone, ...(range === 'day' ? hour : day) });
  return times.map(({ at }) => ({ name: name.format(at), short: short.format(at) }));
}

const card = (
  view: ConsoleView,
  input: { title: string; figure: string; chart: Chart; drawing: Html; kind: 'bar' | 'line' },
): Html =>
  html`<section class="card chart-card">
    <div class="spread">
      <h2>${input.title}</h2>
      <p class="number">${input.figure}</p>
    </div>
    ${input.drawing}${legend(input.chart.series, input.kind)}${asTable(view, input.chart)}
  </section>`;

const emptyCard = (title: string, text: string): Html =>
  html`<section class="card chart-card">
    <h2>${title}</h2>
    <div class="empty">${text}</div>
  </section>`;

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function createsCard(view: ConsoleView, range: RangeName, flow: readonly Flow[]): Html {
  const { t } = view;
  const sum = total(flow.map(({ payments, payouts }) => payments + payouts));
  if (sum === 0) return emptyCard(t(texts.creates), t(texts.nothing));
  const chart: Chart = {
    label: t(texts.createsLabel),
    buckets: named(view, range, flow),
    series: [
      { name: t(texts.payments), values: flow.map(({ payments }) => payments) },
      { name: t(texts.payouts), values: flow.map(({ payouts }) => payouts) },
    ],
    format: (value) => count(view, value),
  };
  const ticks = linearTicks(Math.max(...flow.map(({ payments, payouts }) => payments + payouts)));
  const figure = `${count(view, sum)} ${t(texts.inAll)}`;
  return card(view, {
    title: t(texts.creates),
    figure,
    chart,
    drawing: barChart(chart, ticks),
    kind: 'bar',
  });
}

export function conversionCard(view: ConsoleView, range: RangeName, flow: readonly Flow[]): Html {
  const { t } = view;
  const created = total(flow.map(({ payments, payouts }) => payments + payouts));
  if (created === 0) return emptyCard(t(texts.conversion), t(texts.nothing));
  const share = (of: 'accepted' | 'paid') =>
    flow.map((each) => {
      const all = each.payments + each.payouts;
      return all === 0 ? null : each[of] / all;
    });
  const chart: Chart = {
    label: t(texts.conversionLabel),
    buckets: named(view, range, flow),
    series: [
      { name: t(texts.accepted), values: share('accepted') },
      { name: t(texts.paid), values: share('paid') },
    ],
    format: (value) => percent(view, value),
  };
  const drawing = lineChart(chart, { ticks: [0, 0.25, 0.5, 0.75, 1], position: (value) => value });
  const figure = percent(view, total(flow.map(({ paid }) => paid)) / created);
  return card(view, { title: t(texts.conversion), figure, chart, drawing, kind: 'line' });
}

export function durationsCard(
  view: ConsoleView,
  range: RangeName,
  durations: readonly Duration[],
): Html {
  const { t } = view;
  const points = durations.flatMap(({ p50, p99 }) =>
    p50 === null || p99 === null ? [] : [p50, p99],
  );
  if (points.length === 0) return emptyCard(t(texts.durations), t(texts.noEnds));
  const chart: Chart = {
    label: t(texts.durationsLabel),
    buckets: named(view, range, durations),
    series: (['p50', 'p90', 'p99'] as const).map((name) => ({
      name,
      values: durations.map((each) => each[name]),
    })),
    format: (value) => duration(view, value, 'narrow'),
  };
  const ticks = durationTicks(Math.min(...points), Math.max(...points));
  const [low, high] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? 10)];
  const position = (value: number) =>
    Math.min(1, Math.max(0, (Math.log(Math.max(value, 1e-6)) - low) / Math.max(high - low, 1e-9)));
  const ended = total(durations.map((each) => each.ended));
  const figure = `${count(view, ended)} ${t(texts.inAll)}`;
  return card(view, {
    title: t(texts.durations),
    figure,
    chart,
    drawing: lineChart(chart, { ticks, position }),
    kind: 'line',
  });
}
