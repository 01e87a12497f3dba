import { linearTicks, logTicks, tickText } from './ticks.ts';

export type Series = {
  readonly name: string;
  /** A value that is no number leaves a gap. */
  readonly points: readonly (readonly [x: number, y: number])[];
};

type Axis = { readonly label: string; readonly scale?: 'linear' | 'log' };

export type Chart = {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Lines across, with a word beside them. */
  readonly marks?: readonly { readonly x: number; readonly label: string }[];
};

const width = 760;
const plot = { left: 76, right: 740, height: 260 };
const legendRow = 18;
const characterWidth = 6.6;

// Told apart in either theme and by most who see colours otherwise; past eight the lines are dashed
// as well.
const light = [
  '#0969da',
  '#bc4c00',
  '#1a7f37',
  '#8250df',
  '#cf222e',
  '#9a6700',
  '#0e7490',
  '#57606a',
];
const dark = [
  '#58a6ff',
  '#f0883e',
  '#3fb950',
  '#bc8cff',
  '#ff7b72',
  '#d29922',
  '#39c5cf',
  '#8b949e',
];

/** A line chart as an SVG document that follows the reader's theme. */
export function renderChart({ title, x, y, series, marks = [] }: Chart): string {
  const shown = series.map((one) => ({
    ...one,
    points: one.points.map(([at, value]): [number, number] => [
      at,
      y.scale === 'log' && !(value > 0) ? Number.NaN : value,
    ]),
  }));
  const legend = placeLegend(series.map(({ name }) => name));
  const top = 52 + legend.height;
  const bottom = top + plot.height;
  const height = bottom + 52;
  const across = axisOf(
    x,
    shown.flatMap(({ points }) => points.map(([at]) => at)),
    { from: plot.left, to: plot.right, fromZero: false },
  );
  const up = axisOf(
    y,
    shown.flatMap(({ points }) => points.map(([, value]) => value)),
    { from: bottom, to: top, fromZero: true },
  );
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    `<style>${styles()}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    `<text class="title" x="${plot.left}" y="26">${escape(title)}</text>`,
    ...legend.items.flatMap(({ name, left, row }, index) => {
      const middle = 46 + row * legendRow;
      return [
        `<path class="line ${classOf(index)}" d="M${left} ${middle}h22"/>`,
        `<text x="${left + 28}" y="${middle + 4}">${escape(name)}</text>`,
      ];
    }),
    ...up.ticks.flatMap((tick) => [
      `<path class="grid" d="M${plot.left} ${round(up.at(tick))}H${plot.right}"/>`,
      `<text class="end" x="${plot.left - 8}" y="${round(up.at(tick) + 4)}">${tickText(tick)}</text>`,
    ]),
    ...across.ticks.flatMap((tick) => [
      `<path class="grid" d="M${round(across.at(tick))} ${bottom}v5"/>`,
      `<text class="middle" x="${round(across.at(tick))}" y="${bottom + 20}">${tickText(tick)}</text>`,
    ]),
    `<path class="axis" d="M${plot.left} ${top}V${bottom}H${plot.right}"/>`,
    `<text class="middle" x="${(plot.left + plot.right) / 2}" y="${bottom + 42}">${escape(x.label)}</text>`,
    `<text class="middle" transform="translate(18 ${(top + bottom) / 2}) rotate(-90)">${escape(y.label)}</text>`,
    ...marks.flatMap(({ x: at, label }) => {
      const left = round(across.at(at));
      const atEnd = left > (plot.left + plot.right) / 2;
      return [
        `<path class="mark" d="M${left} ${top}V${bottom}"/>`,
        `<text class="${atEnd ? 'end' : ''}" x="${atEnd ? left - 6 : left + 6}" y="${top + 14}">${escape(label)}</text>`,
      ];
    }),
    ...shown.map(
      ({ points }, index) =>
        `<path class="line ${classOf(index)}" d="${pathOf(points, { across: across.at, up: up.at })}"/>`,
    ),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

type Place = { readonly from: number; readonly to: number; readonly fromZero: boolean };

function axisOf(
  { scale = 'linear' }: Axis,
  values: readonly number[],
  { from, to, fromZero }: Place,
) {
  const known = values.filter((value) => Number.isFinite(value));
  const log = scale === 'log';
  const [least, most] = known.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  const [low, high] = known.length === 0 ? [log ? 1 : 0, log ? 10 : 1] : [least, most];
  const ticks = log ? logTicks(low, high) : linearTicks(fromZero ? Math.min(0, low) : low, high);
  const position = log ? Math.log : (value: number) => value;
  const [first, last] = [position(ticks[0] ?? 0), position(ticks.at(-1) ?? 1)];
  const at = (value: number) => from + ((position(value) - first) / (last - first)) * (to - from);
  return { ticks, at };
}

type Scales = { across(value: number): number; up(value: number): number };

/** A point alone is a dot: a line of no length with round ends. */
function pathOf(points: readonly (readonly [number, number])[], { across, up }: Scales): string {
  let path = '';
  let begun = false;
  for (const [x, y] of points) {
    const known = Number.isFinite(x) && Number.isFinite(y);
    if (known)
      path += `${begun ? 'L' : 'M'}${round(across(x))} ${round(up(y))}${begun ? '' : 'h0'}`;
    begun = known;
  }
  return path;
}

function placeLegend(names: readonly string[]) {
  let [left, row] = [plot.left, 0];
  const items = names.map((name) => {
    const wide = 28 + name.length * characterWidth + 18;
    if (left + wide > width && left > plot.left) [left, row] = [plot.left, row + 1];
    const item = { name, left: round(left), row };
    left += wide;
    return item;
  });
  return { items, height: (row + 1) * legendRow };
}

const classOf = (index: number) =>
  `c${index % light.length}${index >= light.length ? ' dashed' : ''}`;

function styles(): string {
  const strokes = (colours: readonly string[]) =>
    colours.map((colour, index) => `.c${index}{stroke:${colour}}`).join('');
  const theme = (ground: string, text: string, grid: string) =>
    `.ground{fill:${ground}}text{fill:${text}}.grid{stroke:${grid}}.axis,.mark{stroke:${text}}`;
  return [
    'text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif}.title{font-size:15px;font-weight:600}',
    '.middle{text-anchor:middle}.end{text-anchor:end}path{fill:none}.grid,.axis{stroke-width:1}',
    '.mark{stroke-dasharray:3 4}.line{stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}.dashed{stroke-dasharray:6 4}',
    theme('#ffffff', '#1f2328', '#d8dee4'),
    strokes(light),
    `@media (prefers-color-scheme:dark){${theme('#0d1117', '#e6edf3', '#30363d')}${strokes(dark)}}`,
  ].join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

const escape = (text: string) =>
  text.replace(/[&<>"]/g, (each) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[each]};`);
