import type { Html } from '#shared/platform/pages/html.ts';

/**
 * A component as text. @throws for one that has to be waited for, which no component of these pages
 * has
 */
export function textOf(html: Html): string {
  if (html instanceof Promise) throw new Error('a component that is not ready');
  return html.toString();
}
