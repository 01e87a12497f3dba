import { html, type Html } from '#shared/platform/pages/index.ts';
import type { ConsoleView } from './env.ts';
import type { Words } from '#shared/application/pages/translations.ts';

const texts = {
  title: { ru: 'Клавиши', en: 'Keys' },
  go: { ru: 'Перейти в раздел: g, затем', en: 'Go to a section: g, then' },
  everywhere: { ru: 'На любой странице', en: 'On every page' },
  find: { ru: 'Поиск операций', en: 'Find operations' },
  next: { ru: 'Следующая строка или чек', en: 'Next row or receipt' },
  previous: { ru: 'Предыдущая строка или чек', en: 'Previous row or receipt' },
  open: { ru: 'Открыть строку', en: 'Open the row' },
  select: { ru: 'Выбрать чек', en: 'Select the receipt' },
  list: { ru: 'Этот список', en: 'This list' },
  close: { ru: 'Закрыть', en: 'Close' },
} as const satisfies Record<string, Words>;

const everywhere = [
  ['/', texts.find],
  ['j', texts.next],
  ['k', texts.previous],
  ['Enter', texts.open],
  ['x', texts.select],
  ['?', texts.list],
  ['Esc', texts.close],
] as const;

/** Opens the list of keys; only a script can, so only a script shows it. */
export const keysButton = ({ t }: ConsoleView): Html =>
  html`<button
    type="button"
    class="button quiet small keys-button"
    data-key="?"
    data-opens="keys"
    aria-keyshortcuts="?"
    aria-label="${t(texts.title)}"
    title="${t(texts.title)}"
    hidden
  >
    <kbd>?</kbd>
  </button>`;

type Sections = readonly { name: Words; key: string }[];

/** The list of keys, in a dialog that is closed until the button is pressed. */
export function keysDialog({ t }: ConsoleView, sections: Sections): Html {
  const list = (rows: readonly (readonly [string, Words])[]) =>
    html`<dl class="keys">
      ${rows.map(
        ([key, name]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${t(name)}</dd>
          </div>`,
      )}
    </dl>`;
  return html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${t(texts.title)}</h2>
    <h3>${t(texts.everywhere)}</h3>
    ${list(everywhere)}
    <h3>${t(texts.go)}</h3>
    ${list(sections.map(({ key, name }) => [key, name] as const))}
    <form method="dialog" class="actions">
      <button class="button" type="submit">${t(texts.close)}</button>
    </form>
  </dialog>`;
}
