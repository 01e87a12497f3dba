/** Collects payouts that cost more than agreed, for the notes of the report. */
export type Overcharges = {
  note(payout: {
    operationId: string;
    shopId: string;
    agreed: string;
    charged: string;
    currency: string;
  }): void;
  /** One line of text, about one shop or all; empty if there were none. */
  notes(): string[];
};

/** How many payouts are named; the others are only counted. */
const mostNamed = 10;

export function createOvercharges(shopId?: string): Overcharges {
  const named: string[] = [];
  let count = 0;
  return {
    note: ({ operationId, agreed, charged, currency, ...of }) => {
      if (shopId !== undefined && of.shopId !== shopId) return;
      count += 1;
      if (named.length < mostNamed)
        named.push(`${operationId} (${charged} for ${agreed} ${currency})`);
    },
    notes: () => {
      if (count === 0) return [];
      const more = count > named.length ? ` and ${count - named.length} more` : '';
      return [`payouts that cost more than requested and quoted: ${named.join(', ')}${more}`];
    },
  };
}
