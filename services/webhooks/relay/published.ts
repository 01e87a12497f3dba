import type { LogCheckpoint } from '#shared/platform/event-store/index.ts';

/** Everything up to a log position was in the stream at one of its sequences. */
type Published = { at: LogCheckpoint; sequence: number };

type PublishedPointers = {
  note(pointer: Published): void;
  /** The log position up to which everything was consumed at a sequence; undefined if unknown. */
  positionUpTo(sequence: number): LogCheckpoint | undefined;
};

const defaultMaxPointers = 1_000;

/**
 * Remembers the relay's log position at sequences of the stream. A pointer's own position would not
 * do: one whose first publish was lost comes after its successors.
 * @param maxPointers beyond it every second position is dropped, which is less precise but right
 */
export function createPublishedPointers(maxPointers = defaultMaxPointers): PublishedPointers {
  let pointers: Published[] = [];
  return {
    note: (pointer) => {
      pointers.push(pointer);
      if (pointers.length > maxPointers) pointers = pointers.filter((_, at) => at % 2 === 0);
    },
    positionUpTo: (sequence) => {
      const index = pointers.findLastIndex((pointer) => pointer.sequence <= sequence);
      const pointer = pointers[index];
      pointers = pointers.slice(index + 1);
      return pointer?.at;
    },
  };
}
