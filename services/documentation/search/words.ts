/** A word, or the end of one that begins after a sign: `client_id` is looked for as `id` too. */
type Word = { word: string; at: number };
/**
 * Where a word stands: in which of a text's fields, as bits, and where first in the last of them.
 */
export type Place = { fields: number; at: number };
type Words = {
  add(index: number, fields: readonly string[]): void;
  /** Puts the words in order, which the first `lookUp` does otherwise. */
  sort(): void;
  /** The texts in which some word begins so; a short beginning alone is the whole word. */
  lookUp(beginning: string): ReadonlyMap<number, Place>;
};

const signs = String.raw`[\p{L}\p{N}_.+-]+`;
const letter = /[\p{L}\p{N}]/u;
const shortLength = 2;

/** The words of a text, in lower case and in order. */
export const wordsOf = (text: string): string[] =>
  [...text.matchAll(new RegExp(signs, 'gu'))].map(([word]) => word.toLowerCase());

/**
 * The words of all texts in alphabetical order: what begins so stands together, and is found by
 * halving. Looking up reads no text, so that its cost does not grow with what is asked.
 */
export function createWords(): Words {
  const places = new Map<string, Map<number, Place>>();
  let sorted: string[] | undefined;
  const inOrder = () => (sorted ??= [...places.keys()].toSorted(byCode));
  return {
    add: (index, fields) => {
      sorted = undefined;
      for (const [field, text] of fields.entries())
        for (const { word, at } of endsOf(text)) {
          const ofWord = places.get(word) ?? new Map<number, Place>();
          places.set(word, ofWord);
          note(ofWord, index, {
            fields: 1 << field,
            at: field === fields.length - 1 ? at : Infinity,
          });
        }
    },
    sort: () => void inOrder(),
    lookUp: (beginning) => {
      const found = new Map<number, Place>();
      const all = inOrder();
      for (let at = firstFrom(all, beginning); all[at]?.startsWith(beginning); at += 1) {
        const word = all[at] ?? '';
        if (beginning.length <= shortLength && letter.test(word.charAt(beginning.length))) continue;
        for (const [index, place] of places.get(word) ?? []) note(found, index, place);
      }
      return found;
    },
  };
}

function note(places: Map<number, Place>, index: number, { fields, at }: Place): void {
  const before = places.get(index);
  places.set(index, {
    fields: fields | (before?.fields ?? 0),
    at: Math.min(at, before?.at ?? Infinity),
  });
}

function endsOf(text: string): Word[] {
  return [...text.matchAll(new RegExp(signs, 'gu'))].flatMap(({ 0: word, index }) =>
    [...word.matchAll(/(?<![\p{L}\p{N}])[\s\S]/gu)].map((end) => ({
      word: word.slice(end.index).toLowerCase(),
      at: index + end.index,
    })),
  );
}

const byCode = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** The place of the first word that is not before the text. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? '') < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
