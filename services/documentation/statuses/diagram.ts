import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { escapeHtml } from '../markdown/escape.ts';
import { transitions, type Transition } from '#shared/domain/operation/transitions.ts';
import { createdText, tones } from './texts.ts';

type Node = Transition['from'];
type Place = { x: number; y: number; width: number };

const height = 44;
const first = { x: 8, width: 116 };
const middle = { x: 200, width: 212 };
const last = { x: 610, width: 202 };

/** Where each status is drawn; which arrows there are is computed. */
const places: Readonly<Record<OperationType, Partial<Record<Node, Place>>>> = {
  payment: {
    created: { ...first, y: 152 },
    pending: { ...middle, y: 40 },
    awaiting_confirmation: { ...middle, y: 196 },
    manual_check: { ...middle, y: 332 },
    completed: { ...last, y: 12 },
    partially_completed: { ...last, y: 92 },
    declined: { ...last, y: 172 },
    expired: { ...last, y: 252 },
    cancelled: { ...last, y: 332 },
  },
  payout: {
    created: { ...first, y: 74 },
    pending: { ...middle, y: 34 },
    completed: { ...last, y: 8 },
    partially_completed: { ...last, y: 80 },
    declined: { ...last, y: 152 },
  },
};

/** The height at which an arrow from the create passes between the statuses in the middle. */
const passages: Readonly<Record<OperationType, Partial<Record<Node, number>>>> = {
  payment: { declined: 140, cancelled: 286 },
  payout: { declined: 174 },
};

const texts: Translations<Record<OperationType, string>> = {
  ru: { payment: 'Статусы платежа', payout: 'Статусы выплаты' },
  en: { payment: 'Statuses of a payment', payout: 'Statuses of a payout' },
};
const inTable: Translations<string> = {
  ru: 'То же самое — в таблице ниже.',
  en: 'The table below says the same.',
};

/**
 * The statuses and every change between them, as a picture; the table next to it has the same in
 * words.
 */
export function diagram(type: OperationType, language: Language): string {
  const nodes = Object.entries(places[type]) as [Node, Place][];
  const lowest = Math.max(...nodes.map(([, { y }]) => y)) + height + 8;
  const arrows = transitions[type].map((transition) => arrow(type, transition)).join('');
  const boxes = nodes.map(([node, position]) => box(node, position, language)).join('');
  const heads = (['created', 'pending', 'awaiting_confirmation', 'manual_check'] as const)
    .map((from) => head(type, from))
    .join('');
  return `<figure class="diagram" tabindex="0" role="group" aria-label="${texts[language][type]}"><svg viewBox="0 0 820 ${lowest}" width="820" height="${lowest}" role="img" aria-labelledby="diagram-${type}"><title id="diagram-${type}">${texts[language][type]}. ${inTable[language]}</title><defs>${heads}</defs>${arrows}${boxes}</svg></figure>`;
}

const head = (type: OperationType, from: Node) =>
  `<marker id="head-${type}-${from}" class="head from-${from}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8Z"/></marker>`;

function box(node: Node, { x, y, width }: Place, language: Language): string {
  const isEnd = x === last.x;
  const text = node === 'created' ? createdText[language] : node;
  const shape = node === 'created' ? height / 2 : 8;
  return `<g class="node ${tones[node]}${isEnd ? ' end' : ''}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${shape}"/><text x="${x + width / 2}" y="${y + height / 2}">${escapeHtml(text)}</text></g>`;
}

function arrow(type: OperationType, { from, to }: Transition): string {
  const marker = `marker-end="url(#head-${type}-${from})"`;
  return `<path class="arrow from-${from}" d="${drawArrow(type, { from, to })}" ${marker}/>`;
}

function drawArrow(type: OperationType, { from, to }: Pick<Transition, 'from' | 'to'>): string {
  const [source, target] = [places[type][from], places[type][to]];
  if (!source || !target) throw new Error(`${from} or ${to} has no place in the diagram`);
  const y = source.y + height / 2;
  if (source.x === target.x) return upright(source, target);
  const end = { x: target.x - 2, y: computeEntryX(type, { from, to }) };
  const start = source.x + source.width;
  const passage = from === 'created' ? passages[type][to] : undefined;
  if (passage !== undefined) {
    const [left, right] = [middle.x, middle.x + middle.width];
    return `M${start} ${y}C${start + 50} ${y} ${left - 60} ${passage} ${left} ${passage}H${right}C${right + 90} ${passage} ${end.x - 80} ${end.y} ${end.x} ${end.y}`;
  }
  const bend = (end.x - start) / 2;
  return `M${start} ${y}C${start + bend} ${y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
}

/** Between two statuses in one column, in the opposite direction, next to the forward arrow. */
function upright(source: Place, target: Place): string {
  const down = target.y > source.y;
  const x = source.x + source.width / 2 + (down ? -36 : 36);
  return down
    ? `M${x} ${source.y + height}V${target.y - 2}`
    : `M${x} ${source.y}V${target.y + height + 2}`;
}

/** Arrows to one status end next to each other, in the order of their origins. */
function computeEntryX(type: OperationType, { from, to }: Pick<Transition, 'from' | 'to'>): number {
  const { x = 0, y = 0 } = places[type][to] ?? {};
  const sources = transitions[type]
    .filter((each) => each.to === to && places[type][each.from]?.x !== x)
    .map((each) => ({
      from: each.from,
      y:
        (each.from === 'created' ? passages[type][to] : undefined) ??
        places[type][each.from]?.y ??
        0,
    }))
    .toSorted((left, right) => left.y - right.y);
  const index = sources.findIndex((each) => each.from === from);
  return y + (height * (index + 1)) / (sources.length + 1);
}
