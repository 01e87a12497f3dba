import type { RendererObject, TokenizerAndRendererExtension } from 'marked';
import type { Language } from '#shared/platform/pages/language.ts';
import { codeBlock, codeLanguageNames } from './code.ts';
import { escapeHtml } from './escape.ts';
import { createMarked, inline, plain } from './inline.ts';

export type Heading = { level: 2 | 3; id: string; text: string };
export type RenderedText = { html: string; headings: readonly Heading[] };

type MarkdownOptions = {
  language: Language;
  /** The replacement for a line `{{name argument}}`. */
  insert?: (name: string, argument: string) => RenderedText | string;
  /** Written as `{{name}}` anywhere, code too. */
  values?: Readonly<Record<string, string>>;
};

/**
 * Markdown without HTML, with anchors (`## Text {#id}`), notes (`> text`) and insertions.
 * @throws for an unknown insertion or value
 */
export function markdown(source: string, { language, insert, values = {} }: MarkdownOptions) {
  const text = source.replace(/\{\{(\w+)\}\}/g, (insertion, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : insertion,
  );
  const headings: Heading[] = [];
  const marked = createMarked().use({
    renderer: rendererFor(language, headings),
    extensions: [
      insertions((name, argument) => {
        if (!insert) throw new Error(`nothing is inserted for ${name}`);
        const inserted = insert(name, argument);
        if (typeof inserted === 'string') return inserted;
        headings.push(...inserted.headings);
        return inserted.html;
      }),
    ],
  });
  return { html: marked.parse(text, { async: false }), headings };
}

function rendererFor(language: Language, headings: Heading[]): RendererObject {
  return {
    code: ({ lang = '', text: code }) =>
      codeBlock({ language: lang, label: codeLanguageNames[lang] ?? lang, code }, language),
    heading({ depth, text }) {
      const [, title = text, id] = /^(.+?)(?: \{#([\w-]+)\})?$/.exec(text) ?? [];
      const level = depth === 2 ? 2 : 3;
      const heading: Heading = { level, id: id ?? toAnchor(title), text: plain(title) };
      headings.push(heading);
      return `${headingHtml(heading, inline(title))}\n`;
    },
    blockquote({ tokens }) {
      const notes = tokens.map((each) => ('tokens' in each ? (each.tokens ?? []) : []));
      const content = notes.map((each) => this.parser.parseInline(each)).join(' ');
      return `<div class="notice info"><div>${content}</div></div>\n`;
    },
    table({ header, rows }) {
      const cell = ({ tokens }: (typeof header)[number]) => this.parser.parseInline(tokens);
      return tableHtml(
        header.map(cell),
        rows.map((cells) => cells.map(cell)),
      );
    },
  };
}

/** A line that is `{{name argument}}` alone. */
function insertions(
  insert: (name: string, argument: string) => string,
): TokenizerAndRendererExtension {
  return {
    name: 'insertion',
    level: 'block',
    start: (source) => /^\{\{/m.exec(source)?.index,
    tokenizer(source) {
      const [raw, name, argument = ''] = /^\{\{(\w+)(?: ([^}]+))?\}\}(?:\n|$)/.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'insertion', raw, name, argument };
    },
    renderer: ({ name, argument }) => insert(String(name), String(argument)),
  };
}

/** A heading that links to itself. `content`: HTML. */
export function headingHtml({ level, id }: Pick<Heading, 'level' | 'id'>, content: string): string {
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${level}>`;
}

/** `A heading` as an anchor: `a-heading`. */
const toAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/**
 * A table in a frame that scrolls, also by keyboard. Cells are HTML. `stacked`: on a phone the last
 * cell of a row is below the others.
 */
export function tableHtml(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { stacked = false } = {},
): string {
  const label = escapeHtml(head.map((cell) => cell.replace(/<[^>]+>/g, '')).join(', '));
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('');
  return `<div class="table-frame${stacked ? ' stacked' : ''}" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}
