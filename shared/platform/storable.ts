/** Whether JSON and PostgreSQL store a text unchanged. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The problem of one that is not. */
export const notStorable = 'must not hold U+0000 or lone surrogates';

/** Whether every key and text in a JSON value is storable. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, each]) => isStorable(key) && isStorableJson(each));
}
