import {
  formatAmount,
  copyButton,
  html,
  type Html,
  type Language,
  type Preferences,
} from '#shared/platform/pages/index.ts';
import type { Metadata } from '#shared/domain/operation/events.ts';
import { dayIn } from '#shared/application/pages/zone.ts';
import { common, type Translate, type Words } from '#shared/application/pages/translations.ts';

/** Parts of the pages of the console and the portal. */

/** How the page of a request is written. */
export type View = {
  language: Language;
  preferences: Preferences;
  t: Translate;
  /** The time zone of the times on the page; UTC if it is not known. */
  zone?: string;
};

/** How Intl names the language. */
export const toLocale = (language: Language): string => (language === 'ru' ? 'ru-RU' : 'en-GB');

type Cell = Html | string | number;
/** The name of a column; `amount` is right-aligned, and `area` is its place on a phone's card. */
export type TableColumn =
  | Words
  | string
  | { amount: Words | string; area?: string | undefined }
  | { name: Words | string; area?: string | undefined };

export type TableOptions = {
  caption: string;
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
  /** The key of each row, in a list that is refreshed. */
  keys?: readonly string[];
  /** The text of an empty table, and the next step. */
  empty?: Cell;
  /** On a phone each row is a card, with the cells that have an area of it. */
  areCards?: boolean;
};

function columnHeading(t: Translate, column: TableColumn): { name: string; kind: Html | string } {
  const isNamed = typeof column === 'object' && !('ru' in column);
  const name = !isNamed ? column : 'amount' in column ? column.amount : column.name;
  const classes = isNamed
    ? ['amount' in column && 'amount', column.area && `area-${column.area}`].filter(Boolean)
    : [];
  return {
    name: typeof name === 'string' ? name : t(name),
    kind: classes.length > 0 ? html` class="${classes.join(' ')}"` : '',
  };
}

/**
 * A table in a frame that scrolls by itself, also by keyboard. The first cell of a row is its
 * heading. On a phone the cells of a row wrap, each below its column's name, so that no reader has
 * to scroll sideways.
 */
export function renderTable(
  { t }: Pick<View, 't'>,
  { caption, columns, rows, keys, empty = '—', areCards = false }: TableOptions,
): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const headings = columns.map((column) => columnHeading(t, column));
  return html`<div
    class="table-frame${areCards && ' cards'}"
    role="region"
    aria-label="${caption}"
    tabindex="0"
  >
    <table>
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${headings.map(({ name, kind }) => html`<th scope="col" ${kind}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, rowIndex) =>
            html`<tr ${keys && html` data-row="${keys[rowIndex] ?? ''}"`}>
              ${row.map((cell, index) => {
                const { name, kind } = headings[index] ?? { name: '', kind: '' };
                return index === 0
                  ? html`<th scope="row" ${kind}>${cell}</th>`
                  : html`<td data-name="${name}" ${kind}>${cell}</td>`;
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** A pair without a value is not shown. */
export type Pair = readonly [name: Cell, value: Cell | null | undefined];

/** Names and values. */
export function pairs(items: readonly Pair[], className = 'pairs'): Html {
  return html`<dl class="${className}">
    ${items.map(([name, value]) =>
      value === null || value === undefined
        ? ''
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

/** A merchant's metadata, a line for each; undefined if there is nothing to show. */
export function metadataList(metadata: Metadata = {}): Html | undefined {
  const members = Object.entries(metadata);
  if (members.length === 0) return undefined;
  return html`${members.map(([name, value]) => html`<div><code>${name}</code>: ${value}</div>`)}`;
}

/**
 * A long id in a narrow place: its beginning and end; the whole id for the pointer, the clipboard
 * and screen readers.
 */
export function shortId(id: string, href?: string): Html {
  const shown = id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
  const text = html`<span class="id" title="${id}">${shown}</span>`;
  return href === undefined ? text : html`<a href="${href}" class="id-link">${text}</a>`;
}

/** An actor such as `operator:anna`, with a short id. */
export function renderActor(actor: string): Html {
  const shown = actor.replace(/\b([0-9a-f]{8})-[0-9a-f-]{23}([0-9a-f]{4})\b/, '$1…$2');
  return html`<span class="actor" ${shown !== actor && html` title="${actor}"`}>${shown}</span>`;
}

/** A long id in full, with a button that copies it. */
export function wholeId({ language }: View, id: string, what: string): Html {
  return html`<span class="whole-id"
    ><code>${id}</code>${copyButton(language, { text: id, what })}</span
  >`;
}

/** Names the time zone, once on a page. */
export function timesIn({ t, zone = 'UTC', preferences }: View): Html | string {
  const url = new URL(preferences.path, 'http://page');
  const { searchParams } = url;
  const here = (text: Words) => html`<a href="${url.pathname}${url.search}">${t(text)}</a>`;
  if (searchParams.get('zone') === 'UTC') {
    searchParams.delete('zone');
    return html`${t(common.times)} ${here({ ru: 'Показать в моём поясе', en: 'Show in my zone' })}`;
  }
  if (zone === 'UTC') return t(common.times);
  searchParams.set('zone', 'UTC');
  return html`${t({ ru: 'Время —', en: 'Times are in' })} ${zone}.
  ${here({ ru: 'Показать в UTC', en: 'Show in UTC' })}`;
}

const yearIn = (atMs: number, zone: string): string => dayIn(atMs, zone).slice(0, 4);

/** A time in a table, to the second, in the reader's zone: `timesIn` names it. */
export function at(
  { language, zone = 'UTC' }: View,
  time: Date | string | null | undefined,
): Html | string {
  if (time === null || time === undefined) return '—';
  const date = new Date(time);
  const isOfThisYear = yearIn(date.getTime(), zone) === yearIn(Date.now(), zone);
  const format = new Intl.DateTimeFormat(toLocale(language), {
    timeZone: zone,
    ...(isOfThisYear ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const iso = date.toISOString();
  return html`<time datetime="${iso}" title="${iso}" class="nowrap">${format.format(date)}</time>`;
}

/** A duration in the unit that fits it. */
export function duration(
  { language }: View,
  seconds: number,
  style: 'short' | 'narrow' = 'short',
): string {
  const [value, unit] =
    seconds < 1
      ? [seconds * 1_000, 'millisecond']
      : seconds < 90
        ? [seconds, 'second']
        : seconds < 5_400
          ? [seconds / 60, 'minute']
          : seconds < 172_800
            ? [seconds / 3_600, 'hour']
            : [seconds / 86_400, 'day'];
  return new Intl.NumberFormat(toLocale(language), {
    style: 'unit',
    unit,
    unitDisplay: style,
    maximumFractionDigits: value < 10 && unit !== 'millisecond' ? 1 : 0,
  }).format(value);
}

export function count({ language }: View, value: number, atMost?: number): string {
  const text = new Intl.NumberFormat(toLocale(language)).format(value);
  return atMost !== undefined && value >= atMost ? `${text}+` : text;
}

/** A share from 0 to 1. */
export const percent = ({ language }: View, share: number): string =>
  new Intl.NumberFormat(toLocale(language), {
    style: 'percent',
    maximumFractionDigits: 1,
  }).format(share);

/** Links to the views of a page, the current one marked. */
export const tabs = (
  label: string,
  current: string,
  links: readonly (readonly [href: string, text: string])[],
): Html =>
  html`<nav class="tabs" aria-label="${label}">
    ${links.map(
      ([href, text]) =>
        html`<a href="${href}" ${href === current && html` aria-current="page"`}>${text}</a>`,
    )}
  </nav>`;

/** The number of rows on a page of a list. */
export const pageSize = 50;

/** Links to the pages next to this one of a list, as far as there are any, and to the first. */
export function pager(
  { t, preferences }: View,
  nextCursor: string | null,
  previousCursor: string | null = null,
): Html | string {
  const here = new URL(preferences.path, 'http://page');
  const isFirst = !here.searchParams.has('cursor');
  if (isFirst && nextCursor === null) return '';
  const link = (text: Words, cursor: string | null, rel: 'first' | 'prev' | 'next') => {
    const url = new URL(here);
    if (cursor === null) url.searchParams.delete('cursor');
    else url.searchParams.set('cursor', cursor);
    return html`<a class="button small" rel="${rel}" href="${url.pathname}${url.search}"
      >${t(text)}</a
    >`;
  };
  return html`<nav class="pager" aria-label="${t({ ru: 'Страницы', en: 'Pages' })}">
    ${!isFirst && link(common.first, null, 'first')}
    ${previousCursor !== null && link(common.previous, previousCursor, 'prev')}
    ${nextCursor !== null && link(common.next, nextCursor, 'next')}
  </nav>`;
}

export type Choice = { value: string; text: string };

export const toChoices = <Value extends string>(
  values: readonly Value[],
  textOf: (value: Value) => string = (value) => value,
): Choice[] => values.map((value) => ({ value, text: textOf(value) }));

const filterNames: Words = { ru: 'Фильтры', en: 'Filters' };

type FilterForm = {
  action: string;
  filter: Readonly<Record<string, unknown>>;
  fields: Html;
  /** Above the filters, and never collapsed. */
  search?: Html | string;
};

/**
 * The form of a list's filters; on a phone they are collapsed until one is set, so that the list
 * comes first.
 */
export function filterForm({ t }: View, { action, filter, fields, search = '' }: FilterForm): Html {
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  return html`<form
    class="filter-form"
    method="get"
    action="${action}"
    aria-label="${t(filterNames)}"
  >
    ${search}
    <details class="fold" ${isNarrowed && html` open`}>
      <summary>${t(filterNames)}</summary>
      <div class="filters">${fields}</div>
    </details>
  </form>`;
}

/** A filter above a list: its form leads to an address that can be bookmarked. */
type FilterField = { name: string; label: string; value: string | undefined };

export function select(field: FilterField & { choices: readonly Choice[] }): Html {
  const { name, label, value, choices } = field;
  return html`<div class="field">
    <label for="f-${name}">${label}</label
    ><select id="f-${name}" name="${name}">
      ${choices.map(
        (choice) =>
          html`<option value="${choice.value}" ${choice.value === (value ?? '') && html` selected`}>
            ${choice.text}
          </option>`,
      )}
    </select>
  </div>`;
}

export function input(field: FilterField & { type?: string; placeholder?: string }): Html {
  const { name, label, value, type = 'text', placeholder } = field;
  return html`<div class="field">
    <label for="f-${name}">${label}</label
    ><input
      id="f-${name}"
      name="${name}"
      type="${type}"
      value="${value ?? ''}"
      ${placeholder && html` placeholder="${placeholder}"`}
    />
  </div>`;
}

/** The last fields of a list's filter, and the buttons of its form. */
export const lastFields = (
  { t }: View,
  { from, to }: { from?: string | undefined; to?: string | undefined },
  reset: string,
): Html =>
  html`${input({ name: 'from', label: t(common.from), value: from, type: 'date' })}
    ${input({ name: 'to', label: t(common.to), value: to, type: 'date' })}
    <div class="row">
      <button class="button" type="submit">${t(common.show)}</button
      ><a class="button quiet" href="${reset}">${t(common.reset)}</a>
    </div>`;

/** A balance, in red when it is below zero. */
export const renderBalance = ({ language }: View, amount: string, currency: string): Html =>
  html`<strong ${amount.startsWith('-') && html` class="negative"`}
    >${formatAmount(language, amount, currency).trim()}</strong
  >`;

/** Why a debt differs from the balance below zero, if it does. */
export function debtExplained(
  { t }: View,
  positions: readonly { balance: string; currentMinus: string }[],
): Html | string {
  const differs = positions.some(
    ({ balance, currentMinus }) => balance.startsWith('-') && balance !== `-${currentMinus}`,
  );
  return differs
    ? html`<p class="muted measure">
        ${t({
          ru: 'Долг — это баланс вместе с резервом, если их сумма ниже нуля: деньги в резерве ещё не потрачены и уменьшают долг.',
          en: 'Debt is the balance and the reserve together, where their sum is below zero: reserved money is not spent yet, and lessens the debt.',
        })}
      </p>`
    : '';
}

export function heading(title: Cell, actions: Cell = '', about: Cell = ''): Html {
  return html`<header class="heading">
    <div class="spread">
      <h1>${title}</h1>
      <div class="row">${actions}</div>
    </div>
    ${about !== '' && html`<p class="muted">${about}</p>`}
  </header>`;
}

/** JSON for people to read. */
export function json(value: unknown, label: string): Html {
  const text = JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each),
    2,
  );
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>`;
}

/** A part of a page under a heading of its own; `actions` are next to the heading. */
export function section(title: string, content: Html, actions: Html | string = ''): Html {
  return html`<section class="section">
    <div class="spread">
      <h2>${title}</h2>
      <div class="row">${actions}</div>
    </div>
    ${content}
  </section>`;
}
