import { Marked } from 'marked';
import { escapeHtml } from './escape.ts';

const isSafe = (href: string): boolean => /^(?:https:\/\/|\/(?!\/)|#)/.test(href);

/** Inline Markdown: HTML is text, and only these pages and https addresses become links. */
export const createMarked = (): Marked =>
  new Marked({
    tokenizer: {
      html: () => undefined,
      tag: () => undefined,
      url: () => undefined,
      autolink: () => undefined,
    },
    renderer: {
      codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
      image: ({ raw }) => escapeHtml(raw),
      link({ href, tokens, raw }) {
        return isSafe(href)
          ? `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`
          : escapeHtml(raw);
      },
    },
  });

const marked = createMarked();

/** The Markdown of one line. */
export const inline = (text: string): string => marked.parseInline(text, { async: false });

/** The text of a line without markup, for a table of contents or a screen reader. */
export const plain = (text: string): string =>
  text.replace(/[`*]/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
