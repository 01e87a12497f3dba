import { z } from 'zod';

const ms = z.int().min(0).max(86_400_000);
/** The share of them, chosen at random: from 0 (none) to 1 (all). */
const share = z.number().min(0).max(1).default(0);

/** How the bank behaves towards all clients; requests can't choose it. */
export const behaviourSchema = z.strictObject({
  /** The delay of each response. */
  slow_ms: ms.default(0),
  /** Orders that never arrive, and get no answer. */
  lose_requests: share,
  /** Orders that are carried out and get no answer. */
  lose_replies: share,
  /** Orders that get no answer, and arrive after `late_ms`. */
  late: share,
  late_ms: ms.default(2000),
  /** Reads that get no response. */
  lose_reads: share,
  /** Orders that are refused. */
  reject: share,
  /** Lines of a page or a statement that are duplicated. */
  duplicate_lines: share,
  /** Until an order is booked; null: it waits for a command. */
  book_ms: ms.nullable().default(2000),
});
export type Behaviour = z.infer<typeof behaviourSchema>;

/** What happens to an order before the bank handles it. */
type Fate = 'lost' | 'late' | 'unanswered' | 'answered';

export function drawFate(behaviour: Behaviour, random: () => number): Fate {
  if (random() < behaviour.lose_requests) return 'lost';
  if (random() < behaviour.late) return 'late';
  return random() < behaviour.lose_replies ? 'unanswered' : 'answered';
}

export function doubled<Line>(lines: readonly Line[], part: number, random: () => number): Line[] {
  return lines.flatMap((line) => (random() < part ? [line, line] : [line]));
}
