const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => escapes[found] ?? '');

/** `A heading` as an anchor: `a-heading`. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Code spans and links within a line; everything else is text. */
export function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\((https:[^)\s]+)\)/g, '<a href="$2">$1</a>');
}

/** The Markdown that the reference is written in: headings of the second level, paragraphs, code spans and links. */
export function markdown(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^## (.+)$/.exec(block)?.[1];
      if (heading === undefined) return `<p>${inline(block)}</p>`;
      return `<h2 id="${anchorOf(heading)}">${inline(heading)}</h2>`;
    })
    .join('\n');
}
