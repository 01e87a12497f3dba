import { batchesAtOnce } from '#shared/application/payout-batches/batches.ts';

/** A shop's confirmed files that are not finished, and those of them that have a result. */
type Turn = { confirmed: number; started: number; newestMs: number };

/**
 * When each shop's files of payouts last got on. A shop's files wait for each other, and a shop
 * waits for its turn while as many others as an instance works on get results.
 */
export function createPayoutTurns() {
  const turns = new Map<string, Turn>();
  let fullMs = 0;
  const findOrAddTurn = (shopId: string): Turn => {
    const turn = turns.get(shopId) ?? { confirmed: 0, started: 0, newestMs: 0 };
    turns.set(shopId, turn);
    return turn;
  };
  const advance = (turn: Turn, atMs: number) => {
    turn.newestMs = Math.max(turn.newestMs, atMs);
    const times = [...turns.values()].flatMap((each) => (each.started > 0 ? each.newestMs : []));
    fullMs = Math.max(fullMs, times.toSorted((x, y) => y - x)[batchesAtOnce - 1] ?? 0);
  };
  return {
    confirm: (shopId: string, atMs: number): void => {
      const turn = findOrAddTurn(shopId);
      // Another file doesn't bring on those ahead of it.
      if (turn.confirmed === 0) turn.newestMs = Math.max(turn.newestMs, atMs);
      turn.confirmed += 1;
    },
    addResults: (shopId: string, { atMs, first }: { atMs: number; first: boolean }): void => {
      const turn = findOrAddTurn(shopId);
      if (first) turn.started += 1;
      advance(turn, atMs);
    },
    finish: (shopId: string, { atMs, started }: { atMs: number; started: boolean }): void => {
      const turn = findOrAddTurn(shopId);
      advance(turn, atMs);
      turn.confirmed -= 1;
      if (started) turn.started -= 1;
    },
    /** Since when the files of a shop might have got on, and did not. */
    since: (shopId: string): number => {
      const { started, newestMs } = findOrAddTurn(shopId);
      return started > 0 ? newestMs : Math.max(newestMs, fullMs);
    },
  };
}
