import { expect, it } from 'vitest';
import { renderChart, type Chart } from './chart.ts';
import { linearTicks, logTicks, tickText } from './ticks.ts';

const chart: Chart = {
  title: 'Latency of <creates> & "reads"',
  x: { label: 'requests a second' },
  y: { label: 'milliseconds', scale: 'log' },
  series: [
    {
      name: 'p50 < p99',
      points: [
        [10, 2],
        [20, 3],
        [30, Number.NaN],
        [40, 800],
      ],
    },
    { name: 'nothing', points: [] },
  ],
  marks: [{ x: 40, label: 'the bend' }],
};

/**
 * Every element is closed, in order, and nothing stands that has to be escaped.
 * @returns the elements
 */
function elementsOf(document: string): string[] {
  const open: string[] = [];
  const all: string[] = [];
  const wrong: string[] = [];
  const tag = /<(\/?)([a-z]+)((?:\s[\w:-]+="[^"<]*")*)\s*(\/?)>/g;
  for (const [, closes, name = '', , single] of document.matchAll(tag)) {
    if (closes) {
      if (open.pop() !== name) wrong.push(name);
    } else {
      all.push(name);
      if (!single) open.push(name);
    }
  }
  expect(wrong).toEqual([]);
  expect(open).toEqual([]);
  expect(document.replaceAll(tag, '')).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot);)/);
  return all;
}

it('is a well-formed document with one line for each series, its legend and its axes', () => {
  const document = renderChart(chart);
  expect(elementsOf(document)[0]).toBe('svg');
  expect(document).toContain('Latency of &lt;creates&gt; &amp; &quot;reads&quot;');
  for (const text of ['p50 &lt; p99', 'nothing', 'requests a second', 'milliseconds', 'the bend'])
    expect(document).toContain(`>${text}</text>`);
  expect(document).not.toMatch(/NaN|Infinity|undefined/);
});

it('leaves a gap where a figure is not known, and where a logarithm has none', () => {
  const paths = (y: Chart['y'], value: number) => {
    const series = [
      { name: 'one', points: [0, 1, 2, 3].map((x) => [x, x === 2 ? value : 5 + x] as const) },
    ];
    const drawn = [
      ...renderChart({ ...chart, y, series }).matchAll(/class="line c0" d="([^"]*)"/g),
    ];
    return drawn.at(-1)?.[1]?.match(/M/g)?.length;
  };
  expect(paths({ label: '' }, 6)).toBe(1);
  expect(paths({ label: '' }, Number.NaN)).toBe(2);
  expect(paths({ label: '', scale: 'log' }, 0)).toBe(2);
});

it('keeps every point within the axes', () => {
  const points = [3, 47, 1_234, 0].map((value, index) => [index, value] as const);
  const drawn = renderChart({
    ...chart,
    y: { label: '' },
    marks: [],
    series: [{ name: 'one', points }],
  });
  const [, axis = ''] = /class="axis" d="([^"]*)"/.exec(drawn) ?? [];
  const [left = 0, top = 0, bottom = 0, right = 0] = axis.match(/[\d.]+/g)?.map(Number) ?? [];
  const [, path = ''] = [...drawn.matchAll(/class="line c0" d="([^"]*)"/g)].at(-1) ?? [];
  const places = [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)];
  expect(places).toHaveLength(4);
  for (const [, x, y] of places) {
    expect(Number(x)).toBeGreaterThanOrEqual(left);
    expect(Number(x)).toBeLessThanOrEqual(right);
    expect(Number(y)).toBeGreaterThanOrEqual(top);
    expect(Number(y)).toBeLessThanOrEqual(bottom);
  }
});

it('draws a chart of nothing, and of one point', () => {
  elementsOf(renderChart({ ...chart, series: [], marks: [] }));
  const one = renderChart({ ...chart, series: [{ name: 'one', points: [[5, 5]] }], marks: [] });
  elementsOf(one);
  expect(one).not.toContain('NaN');
});

it('follows the theme, and tells more lines apart than it has colours', () => {
  const series = Array.from({ length: 12 }, (_, index) => ({
    name: `process ${index}`,
    points: [],
  }));
  const document = renderChart({ ...chart, series });
  expect(document).toContain('prefers-color-scheme:dark');
  expect(document).toContain('class="line c3 dashed"');
  elementsOf(document);
});

it('divides axes by round figures', () => {
  expect(linearTicks(0, 97)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(linearTicks(0, 0.011)).toEqual([0, 0.0025, 0.005, 0.0075, 0.01, 0.0125]);
  expect(linearTicks(0, 0).length).toBeGreaterThan(1);
  expect(linearTicks(20, 400)).toEqual([0, 100, 200, 300, 400]);
  expect(logTicks(3, 700)).toEqual([2, 5, 10, 20, 50, 100, 200, 500, 1_000]);
  expect(logTicks(0.02, 90_000)).toEqual([0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000]);
  expect(logTicks(5, 5).length).toBeGreaterThan(1);
  expect([1_500, 0.02, 1e6].map(tickText)).toEqual(['1,500', '0.02', '1,000,000']);
});
