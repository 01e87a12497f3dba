import type { DestinationKind } from '#shared/domain/methods/index.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';

/**
 * A card or phone number in readable groups. The gaps are styles, so that a manual selection copies
 * only digits.
 */
export function grouped(number: string, kind: DestinationKind): Html {
  const groups = kind === 'card' ? number.match(/.{1,4}/gsu) : phoneGroups(number);
  return html`<span class="digits"
    >${(groups ?? [number]).map((group) => html`<span>${group}</span>`)}</span
  >`;
}

/** `+7 945 123 45 67`; numbers of other countries as they are. */
function phoneGroups(number: string): string[] {
  const russian = /^(\+?7|8)(\d{3})(\d{3})(\d{2})(\d{2})$/.exec(number);
  return russian ? russian.slice(1) : [number];
}
