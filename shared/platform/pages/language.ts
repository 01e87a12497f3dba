/** The languages of every page. */
export const languages = ['ru', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text, or a set of texts, in every language: `satisfies Translated<…>` finds missing keys. */
export type Translations<Texts> = Readonly<Record<Language, Texts>>;

export const languageNames: Translations<string> = { ru: 'Русский', en: 'English' };

/** For readers who asked for no language that exists here. */
const fallback: Language = 'en';
const maxRanges = 20;

export const isLanguage = (value: string | undefined): value is Language =>
  languages.includes(value as Language);

/** The language that `Accept-Language` (RFC 9110, 12.5.4) prefers; the first of equals. */
export function acceptedLanguage(header: string | undefined): Language {
  let best: { language: Language; quality: number } | undefined;
  for (const range of (header ?? '').split(',', maxRanges)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = tag === '*' ? fallback : tag.split('-')[0];
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    const quality = Number(weight);
    if (!isLanguage(language) || !(quality > 0)) continue;
    if (!best || quality > best.quality) best = { language, quality };
  }
  return best?.language ?? fallback;
}
