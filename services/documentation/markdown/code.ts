import { copyButton } from '#shared/platform/pages/components.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { escapeHtml } from './escape.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import { highlight } from './highlight.ts';

export type Code = { language: string; label: string; code: string };

const texts: Translations<{ code: string; choose: string }> = {
  ru: { code: 'Код', choose: 'Язык примера' },
  en: { code: 'Code', choose: 'Language of the example' },
};

/** The name of a language to people. */
export const codeLanguageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  py: 'Python',
  php: 'PHP',
  go: 'Go',
  json: 'JSON',
  http: 'HTTP',
};

/** A block of code with a copy button; keyboard users can scroll it. */
export function codeBlock({ language, label, code }: Code, reader: Language): string {
  const button = renderToText(copyButton(reader, { text: code, what: label }));
  return `<div class="code"><div class="code-bar"><span>${escapeHtml(label)}</span>${button}</div>${codeText({ language, label, code }, reader)}</div>`;
}

function codeText({ language, label, code }: Code, reader: Language): string {
  const name = escapeHtml(`${texts[reader].code}: ${label}`);
  return `<pre tabindex="0" role="group" aria-label="${name}"><code>${highlight(code, language)}</code></pre>`;
}

/**
 * Code in several languages, one shown at a time, by radio buttons, which work without script.
 * `group`: unique in the page.
 */
export function codeTabs(codes: readonly Code[], reader: Language, group: string): string {
  const choices = codes.map(
    ({ language }, index) =>
      `<input type="radio" class="visually-hidden" name="${group}" id="${group}-${language}" value="${language}"${index === 0 ? ' checked' : ''}>`,
  );
  const labels = codes.map(
    ({ language, label }) => `<label for="${group}-${language}">${escapeHtml(label)}</label>`,
  );
  const panels = codes.map((each) => {
    const button = renderToText(copyButton(reader, { text: each.code, what: each.label }));
    return `<div class="panel">${button}${codeText(each, reader)}</div>`;
  });
  return `<fieldset class="code tabs" data-tabs><legend class="visually-hidden">${texts[reader].choose}</legend>${choices.join('')}<div class="code-bar">${labels.join('')}</div>${panels.join('')}</fieldset>`;
}
