import { html, raw, type Html } from '#shared/platform/pages/index.ts';
import type { ConsoleView } from '../env.ts';
import { renderTable } from '../../frame/components.ts';
import { common } from '#shared/application/pages/translations.ts';
import { plot, px, size } from './scale.ts';

type Series = { name: string; values: readonly (number | null)[] };

export type Chart = {
  /** Its content in a sentence, for screen readers. */
  label: string;
  /** Names of the buckets for the table, and shorter ones for the axis, of which some are drawn. */
  buckets: readonly { name: string; short: string }[];
  series: readonly Series[];
  /** A value in the table, and at the axis. */
  format(value: number): string;
};

/** The dashes distinguish series without colours. */
const dashes = ['none', '7 4', '2 4'] as const;

/** The same figures as a table, for readers who can't see the chart or want to copy them. */
export function asTable(view: ConsoleView, { label, buckets, series, format }: Chart): Html {
  return html`<details class="as-table">
    <summary>${view.t({ ru: 'Таблицей', en: 'As a table' })}</summary>
    ${renderTable(view, {
      caption: label,
      columns: [common.when, ...series.map(({ name }) => ({ amount: name }))],
      rows: buckets.map(({ name }, index) => [
        name,
        ...series.map(({ values }) => {
          const value = values[index];
          return value === null || value === undefined ? '—' : format(value);
        }),
      ]),
    })}
  </details>`;
}

export function legend(series: readonly Series[], kind: 'bar' | 'line'): Html {
  const mark = (index: number) =>
    kind === 'bar'
      ? `<rect class="bar series-${index + 1}" x="1" y="3" width="14" height="10" rx="2"/>`
      : `<path class="line series-${index + 1}" d="M0 8h22" stroke-dasharray="${dashes[index] ?? 'none'}"/>`;
  return html`<ul class="legend">
    ${series.map(
      ({ name }, index) =>
        html`<li>
          <svg class="chart-mark" viewBox="0 0 22 16" width="22" height="16" aria-hidden="true">
            ${raw(mark(index))}</svg
          >${name}
        </li>`,
    )}
  </ul>`;
}

const every = 4;

/** Lines across at each tick, and the names below. */
function frame({ buckets }: Chart, ticks: readonly { y: number; text: string }[]): Html {
  const step = plot.width / Math.max(1, buckets.length);
  return html`${ticks.map(
    ({ y, text }) =>
      html`<path class="grid" d="M${size.left} ${px(y)}H${size.width - size.right}" /><text
          x="${size.left - 6}"
          y="${px(y + 4)}"
          text-anchor="end"
          >${text}</text
        >`,
  )}${buckets.map(({ short }, index) =>
    (buckets.length - 1 - index) % every === 0
      ? html`<text
          x="${px(size.left + step * (index + 0.5))}"
          y="${size.height - 6}"
          text-anchor="middle"
          >${short}</text
        >`
      : '',
  )}`;
}

const drawing = (label: string, content: Html): Html =>
  html`<svg
    class="chart"
    viewBox="0 0 ${size.width} ${size.height}"
    role="img"
    aria-label="${label}"
  >
    ${content}
  </svg>`;

/** Stacked bars: the first series is at the bottom. */
export function barChart(chart: Chart, ticks: readonly number[]): Html {
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => plot.floor - (value / top) * plot.height;
  const step = plot.width / Math.max(1, chart.buckets.length);
  const width = step * 0.7;
  const bars = chart.buckets.map((_, index) => {
    let below = 0;
    return chart.series.map(({ values }, number) => {
      const value = values[index] ?? 0;
      if (value === 0) return '';
      const from = y(below);
      below += value;
      const to = y(below);
      return html`<rect
        class="bar series-${number + 1}"
        x="${px(size.left + step * index + (step - width) / 2)}"
        y="${px(to)}"
        width="${px(width)}"
        height="${px(Math.max(1, from - to))}"
      />`;
    });
  });
  const lines = ticks.map((value) => ({ y: y(value), text: chart.format(value) }));
  return drawing(chart.label, html`${frame(chart, lines)}${bars}`);
}

/**
 * One line a series, broken where there is nothing to show; `position` of a value from 0 (floor) to
 * 1.
 */
export function lineChart(
  chart: Chart,
  { ticks, position }: { ticks: readonly number[]; position: (value: number) => number },
): Html {
  const y = (value: number) => plot.floor - position(value) * plot.height;
  const step = plot.width / Math.max(1, chart.buckets.length);
  const x = (index: number) => size.left + step * (index + 0.5);
  const drawn = chart.series.map(({ values }, number) => {
    const points = values.map((value, index) =>
      value === null ? undefined : `${px(x(index))} ${px(y(value))}`,
    );
    const path = points
      .map((point, index) => point && `${points[index - 1] === undefined ? 'M' : 'L'}${point}`)
      .filter(Boolean)
      .join('');
    const dots = points.map((point) => {
      const [cx, cy] = point?.split(' ') ?? [];
      return point
        ? html`<circle class="dot series-${number + 1}" cx="${cx}" cy="${cy}" r="2.5" />`
        : '';
    });
    return html`<path
        class="line series-${number + 1}"
        d="${path || 'M0 0'}"
        stroke-dasharray="${dashes[number] ?? 'none'}"
      />${dots}`;
  });
  const lines = ticks.map((value) => ({ y: y(value), text: chart.format(value) }));
  return drawing(chart.label, html`${frame(chart, lines)}${drawn}`);
}
