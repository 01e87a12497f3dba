import { copyButton, html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** Something that is shown only once: a key, a token, a signing secret, a link. */
export type Secret = { label: string; value: string };

const once: Words = {
  ru: 'Показывается только один раз. Сохраните его сейчас: увидеть его снова нельзя.',
  en: 'Shown only once. Save it now: you can’t see it again.',
};

export function secretOnce({ t, language }: View, { label, value }: Secret): Html {
  return notice(
    'warning',
    html`<p><strong>${label}</strong></p>
      <p class="secret">
        <code>${value}</code>${copyButton(language, { text: value, what: label })}
      </p>
      <p>${t(once)}</p>`,
  );
}
