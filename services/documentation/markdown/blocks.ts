import type { Language } from '#shared/platform/pages/language.ts';
import { codeBlock, languageNames } from './code.ts';
import { escapeHtml } from './escape.ts';
import { inline, plain } from './inline.ts';

export type Heading = { level: 2 | 3; id: string; text: string };
export type Rendered = { html: string; headings: readonly Heading[] };

type MarkdownOptions = {
  language: Language;
  /** What a line that is `{{name argument}}` alone stands for. */
  insert?: (name: string, argument: string) => Rendered | string;
  /** Written as `{{name}}` anywhere, code too. */
  values?: Readonly<Record<string, string>>;
};

/**
 * The Markdown that the documentation is written in: headings (`## Text {#id}`), paragraphs, lists,
 * tables, code, notes (`> text`), insertions. No HTML: whatever is not one of these is text.
 * @throws for an insertion or a value that nobody gives
 */
export function markdown(source: string, options: MarkdownOptions): Rendered {
  const { values = {} } = options;
  const text = source.replace(/\{\{(\w+)\}\}/g, (match, name: string) => {
    if (Object.hasOwn(values, name)) return values[name] ?? '';
    // Alone on its line it is an insertion.
    return match;
  });
  const headings: Heading[] = [];
  const html = blocksOf(text).map((block) => {
    const rendered = blockHtml(block, options);
    if (typeof rendered === 'string') return rendered;
    headings.push(...rendered.headings);
    return rendered.html;
  });
  return { html: html.join('\n'), headings };
}

/** Parted by empty lines, but for those within code. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open = false;
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) open = !open;
    if (!open && line.trim() === '') close();
    else lines.push(line);
  }
  close();
  return blocks;
}

function blockHtml(block: string, { language, insert }: MarkdownOptions): Rendered | string {
  const [first = ''] = block.split('\n');
  if (first.startsWith('```')) {
    const name = first.slice(3).trim();
    const code = block.split('\n').slice(1, -1).join('\n');
    return codeBlock({ language: name, label: languageNames[name] ?? name, code }, language);
  }
  const [, name, argument = ''] = /^\{\{(\w+)(?: ([^}]+))?\}\}$/.exec(block) ?? [];
  if (name !== undefined) {
    if (!insert) throw new Error(`nothing is inserted for ${name}`);
    return insert(name, argument);
  }
  const heading = headingOf(block);
  if (heading) {
    const { level, id } = heading;
    const content = inline(block.replace(/^#+ /, '').replace(/ \{#[\w-]+\}$/, ''));
    return { html: headingHtml({ level, id }, content), headings: [heading] };
  }
  if (block.startsWith('|')) return table(block);
  if (/^[-*] /.test(block)) return list('ul', block, /^[-*] /);
  if (/^\d+\. /.test(block)) return list('ol', block, /^\d+\. /);
  if (block.startsWith('> ')) {
    return `<div class="notice info"><div>${inline(block.replace(/^> ?/gm, '').replaceAll('\n', ' '))}</div></div>`;
  }
  return `<p>${inline(block.replaceAll('\n', ' '))}</p>`;
}

function headingOf(block: string): Heading | undefined {
  const [, marks, text = '', id] = /^(##|###) (.+?)(?: \{#([\w-]+)\})?$/.exec(block) ?? [];
  if (marks === undefined) return undefined;
  return { level: marks === '##' ? 2 : 3, id: id ?? anchorOf(text), text: plain(text) };
}

/** A heading that links to itself. `content`: HTML. */
export function headingHtml({ level, id }: Pick<Heading, 'level' | 'id'>, content: string): string {
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${level}>`;
}

/** `A heading` as an anchor: `a-heading`. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

function list(tag: 'ul' | 'ol', block: string, mark: RegExp): string {
  const items: string[] = [];
  for (const line of block.split('\n')) {
    if (mark.test(line)) items.push(line.replace(mark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
}

function table(block: string): string {
  const [head = [], , ...rows] = block.split('\n').map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  return tableHtml(
    head.map(inline),
    rows.map((cells) => cells.map(inline)),
  );
}

/** A table in a frame that scrolls, for itself and by keyboard. Cells are HTML. */
export function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const label = escapeHtml(head.map((cell) => cell.replace(/<[^>]+>/g, '')).join(', '));
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('');
  return `<div class="table-frame" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}
