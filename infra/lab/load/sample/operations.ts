import type { GeneratorTaken, SinkTaken } from '../generator/messages.ts';

type OperationProgress = {
  answered: boolean;
  /** A bit for each received webhook, by its sequence. */
  came: number;
  /** The sequence of the webhook with the end. */
  end: number;
};

/**
 * The created operations, with the state by their webhooks. Counted incrementally: half an hour has
 * some hundred thousand operations.
 */
export function createOperations() {
  const known = new Map<string, OperationProgress>();
  const tally = { created: 0, endedOfCreated: 0, webhooks: 0, repeats: 0, outOfOrder: 0 };
  const of = (id: string): OperationProgress => {
    const one = known.get(id) ?? { answered: false, came: 0, end: 0 };
    known.set(id, one);
    return one;
  };
  return {
    addCreated: (ids: GeneratorTaken['created']) => {
      for (const id of ids) {
        const one = of(id);
        if (one.answered) continue;
        one.answered = true;
        tally.created += 1;
        if (one.end > 0) tally.endedOfCreated += 1;
      }
    },
    addWebhooks: (webhooks: SinkTaken['webhooks']) => {
      for (const [id, sequence, isEnd] of webhooks) {
        const one = of(id);
        const bit = 1 << sequence;
        if ((one.came & bit) !== 0) {
          tally.repeats += 1;
          continue;
        }
        if (one.came >= bit) tally.outOfOrder += 1;
        one.came |= bit;
        tally.webhooks += 1;
        if (!isEnd || one.end > 0) continue;
        one.end = sequence;
        if (one.answered) tally.endedOfCreated += 1;
      }
    },
    /** Created, and not known to have ended. */
    open: () => tally.created - tally.endedOfCreated,
    totals: () => {
      const all = [...known.values()];
      // Bits 1 to `end`, all of them.
      const whole = ({ came, end }: OperationProgress) => came === 2 ** (end + 1) - 2;
      return {
        created: tally.created,
        ended: tally.endedOfCreated,
        /** Each counted once. */
        webhooks: tally.webhooks,
        repeats: tally.repeats,
        outOfOrder: tally.outOfOrder,
        /** Operations with a delivered end, but a missing earlier webhook. */
        gaps: all.filter((one) => one.end > 0 && !whole(one)).length,
        /** Operations whose create was never answered. */
        unanswered: all.filter(({ answered }) => !answered).length,
      };
    },
  };
}
