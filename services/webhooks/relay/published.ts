/** Everything up to a place in the log was in the stream by a number of its. */
export type Published = { position: bigint; sequence: number };

export type PublishedPlaces = {
  note(place: Published): void;
  /** Up to where in the log everything was taken once the stream was up to a number; nothing: that is not known. */
  takenUpTo(sequence: number): bigint | undefined;
};

const defaultMaxKept = 1_000;

/**
 * Remembers how far the relay had come by which number of the stream. A pointer's own place would not do: one whose
 * publish was lost at first comes after its successors, and what was taken before it does not tell of it.
 * @param maxKept places; past it every second one is forgotten, which says less but nothing wrong
 */
export function createPublishedPlaces(maxKept = defaultMaxKept): PublishedPlaces {
  let places: Published[] = [];
  return {
    note: (place) => {
      places.push(place);
      if (places.length > maxKept) places = places.filter((_, at) => at % 2 === 0);
    },
    takenUpTo: (sequence) => {
      const taken = places.findLastIndex((place) => place.sequence <= sequence);
      const place = places[taken];
      places = places.slice(taken + 1);
      return place?.position;
    },
  };
}
