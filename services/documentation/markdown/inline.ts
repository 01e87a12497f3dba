import { escapeHtml } from './escape.ts';

/** Code spans, links and strong words within a line; everything else is text. */
export function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : words(escapeHtml(part)),
    )
    .join('')
    .replace(
      /\[((?:[^\][]|<code>[^<]*<\/code>)+)\]\(((?:https:\/\/|\/|#)[^)\s]*)\)/g,
      '<a href="$2">$1</a>',
    );
}

const words = (escaped: string): string =>
  escaped.replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');

/** The text of a line without its marks: for a table of contents, or to be read aloud. */
export const plain = (text: string): string =>
  text.replace(/[`*]/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
