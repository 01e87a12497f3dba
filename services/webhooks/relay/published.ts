import type { LogCheckpoint } from '#shared/platform/event-store/index.ts';

/** Everything up to a log position was in the stream at one of its sequences. */
type Published = { at: LogCheckpoint; sequence: number };

type PublishedPlaces = {
  note(place: Published): void;
  /** The log position up to which everything was consumed at a sequence; undefined if unknown. */
  takenUpTo(sequence: number): LogCheckpoint | undefined;
};

const defaultMaxKept = 1_000;

/**
 * Remembers the relay's log position at sequences of the stream. A pointer's own position would not
 * do: one whose first publish was lost comes after its successors.
 * @param maxKept positions; beyond it every second one is dropped, which is less precise but still
 * right
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
      return place?.at;
    },
  };
}
