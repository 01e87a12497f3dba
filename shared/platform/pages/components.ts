import { html, type Html } from './html.ts';
import type { Language, Translations } from './language.ts';
import { pictogram, type Pictogram } from './pictogram.ts';

/** The meaning of a colour, which a word and an icon always show too. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

const pictures: Readonly<Record<Tone, Pictogram>> = {
  neutral: 'info',
  info: 'info',
  success: 'circleCheck',
  warning: 'warning',
  danger: 'circleCross',
};

export const badge = (tone: Tone, text: string, picture: Pictogram = pictures[tone]): Html =>
  html`<span class="badge ${tone}"
    >${pictogram(picture, 16)}<span class="word">${text}</span></span
  >`;

/** A message in the page; screen readers announce `urgent` ones when they appear. */
export function notice(
  tone: Tone,
  content: Html | string,
  { urgent = false, picture = pictures[tone] }: { urgent?: boolean; picture?: Pictogram } = {},
): Html {
  return html`<div class="notice ${tone}" ${urgent && html` role="alert"`}>
    ${pictogram(picture)}
    <div>${content}</div>
  </div>`;
}

const copyTexts: Translations<{ copy: string; done: string }> = {
  ru: { copy: 'Копировать', done: 'Скопировано' },
  en: { copy: 'Copy', done: 'Copied' },
};

/**
 * A button that copies `text`. It reads `label`, or else “Copy”, with what it copies for screen
 * readers only. Its script shows it.
 */
export function copyButton(
  language: Language,
  { text, ...named }: { text: string } & ({ what: string } | { label: string }),
): Html {
  const { copy, done } = copyTexts[language];
  return html`<button
    type="button"
    class="button quiet small copy"
    data-copy="${text}"
    data-done="${done}"
    hidden
  >
    ${pictogram('copy', 18)}${pictogram('check', 18)}${
      'label' in named
        ? html`<span class="word" data-label>${named.label}</span>`
        : html`<span class="word" data-label>${copy}</span
            ><span class="visually-hidden"> ${named.what}</span>`
    }
  </button>`;
}
