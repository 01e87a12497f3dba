// What an answer holds is for the checks to judge.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

type ShopRequest = 'create' | 'clash' | 'cancel' | 'read' | 'confirm' | 'balances';
export type RequestKind = ShopRequest | 'page' | 'review' | 'adjust';

/** An answer, with the times of the request and the answer. */
export type StoryResponse = {
  readonly what: RequestKind;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status: number;
  readonly body: Json;
};

/** Counts of outcomes by request: `create 200`, `cancel 503 cancel_undecided`, `read no answer`. */
export type Tally = { add(what: string): void; readonly counts: ReadonlyMap<string, number> };

export function createTally(): Tally {
  const counts = new Map<string, number>();
  return { counts, add: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1) };
}
