import { html, raw, type Html } from './html.ts';

/** Outlines on a grid of 24, in the colour of the surrounding text. */
const outlines = {
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  circleCheck: '<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.7 2.7L16 9.5"/>',
  circleCross: '<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.2 2"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15V6a2 2 0 0 1 2-2h8"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11.5V16m0-8.2v.1"/>',
  moon: '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4 4"/>',
  slash: '<circle cx="12" cy="12" r="9"/><path d="m5.8 5.8 12.4 12.4"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1"/>',
  upload: '<path d="M12 16V5m-4.5 4L12 4.5 16.5 9M5 16v2a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-2"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4L12 4Z"/><path d="M12 10v4m0 2.7v.1"/>',
} as const;

export type Pictogram = keyof typeof outlines;

/** Decoration next to a word, hidden from screen readers. `size`: CSS pixels. */
export function pictogram(name: Pictogram, size = 20): Html {
  return html`<svg
    viewBox="0 0 24 24"
    width="${size}"
    height="${size}"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${raw(outlines[name])}
  </svg>`;
}
