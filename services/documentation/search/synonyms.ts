/** Words that readers search for, by the words of the pages. In a Russian word, its stem. */
const synonyms: readonly (readonly [says: RegExp, words: readonly string[]])[] = [
  [/^(return_ms|returned_amount|charged_back|payout\.returned)$/, ['refund', 'chargeback']],
  [/^typescript$/, ['sdk', 'library']],
  [/^sandbox/, ['test', 'card']],
  [/^requisites/, ['bank', 'details']],
  [/^hosted$/, ['checkout']],
  [/^возвра(т|щаю)/, ['рефанд', 'чарджбэк']],
  [/^песочниц/, ['тест', 'тестовая', 'карта']],
];

/** The words under which a word of a page is found. */
export const withSynonyms = (word: string): string[] => [
  word,
  ...synonyms.flatMap(([pattern, words]) => (pattern.test(word) ? words : [])),
];
