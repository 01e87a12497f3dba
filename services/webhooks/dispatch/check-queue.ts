import type { RecordedClaim } from '../claim.ts';

type CheckQueueOptions = {
  /** @returns undefined when it is not known. It must not throw. */
  check(claimed: RecordedClaim): Promise<boolean | undefined>;
  /** Called with each result, unless the claim's lease has ended meanwhile. */
  onChecked(claimed: RecordedClaim, result: boolean | undefined): void;
};

/** Checks of claimed messages, alongside the loop that claims: a few at once, the others wait. */
export type CheckQueue = {
  /** @returns whether it takes the message; each shop has a part of the queue */
  offer(claimed: RecordedClaim, shopId: string): boolean;
  /** Takes no more, and drops all results. @returns the claims that it had */
  close(): RecordedClaim[];
};

export const checkLimits = {
  atOnce: 16,
  shopAtOnce: 4,
  /** At least what one round claims for an endpoint. */
  shopWaiting: 128,
  waiting: 1_024,
};

type ShopChecks = { waiting: Map<string, RecordedClaim>; underWay: number };

export function createCheckQueue({ check, onChecked }: CheckQueueOptions): CheckQueue {
  const shops = new Map<string, ShopChecks>();
  const underWay = new Map<string, RecordedClaim>();
  let waiting = 0;
  let isClosed = false;

  /** The shop that began a check the longest ago goes first. */
  function pump(): void {
    for (const [shopId, shop] of shops) {
      if (underWay.size >= checkLimits.atOnce) return;
      const [next] = shop.waiting.values();
      if (!next && shop.underWay === 0) shops.delete(shopId);
      if (!next || shop.underWay >= checkLimits.shopAtOnce) continue;
      shop.waiting.delete(next.messageId);
      waiting -= 1;
      // Last in the order of shops, so that this loop comes to it again.
      shops.delete(shopId);
      shops.set(shopId, shop);
      // Another dispatcher may have it by now.
      if (next.leaseEndsMs > performance.now()) void run(next, shop);
    }
  }

  async function run(claimed: RecordedClaim, shop: ShopChecks): Promise<void> {
    shop.underWay += 1;
    underWay.set(claimed.messageId, claimed);
    const result = await check(claimed);
    underWay.delete(claimed.messageId);
    shop.underWay -= 1;
    if (isClosed) return;
    if (claimed.leaseEndsMs > performance.now()) onChecked(claimed, result);
    pump();
  }

  return {
    offer: (claimed, shopId) => {
      const { messageId } = claimed;
      const shop = shops.get(shopId) ?? { waiting: new Map(), underWay: 0 };
      const isReplaced = shop.waiting.has(messageId);
      const isFull = shop.waiting.size >= checkLimits.shopWaiting || waiting >= checkLimits.waiting;
      // The check of an earlier claim says nothing of what the row has now.
      if (isClosed || underWay.has(messageId) || (isFull && !isReplaced)) return false;
      shops.set(shopId, shop);
      shop.waiting.set(messageId, claimed);
      if (!isReplaced) waiting += 1;
      pump();
      return true;
    },
    close: () => {
      isClosed = true;
      return [
        ...underWay.values(),
        ...[...shops.values()].flatMap((shop) => [...shop.waiting.values()]),
      ];
    },
  };
}
