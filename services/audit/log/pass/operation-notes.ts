/** What the report notes about operations although no rule is violated. */
const headings = {
  overcharged: 'payouts that cost more than requested and quoted',
  overpaid: 'payments with much more money than expected',
  overpaid_late: 'payments with much more money than expected, with what came after their end',
  missing: 'approved money that did not arrive',
  due: 'approved money that its provider has not reported yet',
} as const;
type Kind = keyof typeof headings;

/** How many are named; the others are only counted. */
const mostNamed = 10;

export function createOperationNotes(onlyShopId?: string) {
  const notes: Record<Kind, Map<string, string>> = {
    overcharged: new Map(),
    overpaid: new Map(),
    overpaid_late: new Map(),
    missing: new Map(),
    due: new Map(),
  };
  /** Noted once each and never removed, so they are only counted: there may be very many. */
  const unnamed: Partial<Record<Kind, number>> = { overcharged: 0, overpaid: 0 };
  return {
    /** `amounts`: undefined if there is nothing to note any more. */
    set: (
      kind: Kind,
      { operationId, shopId }: { operationId: string; shopId: string },
      amounts: string | undefined,
    ): void => {
      if (amounts === undefined) notes[kind].delete(operationId);
      else if (onlyShopId !== undefined && shopId !== onlyShopId) return;
      else if (unnamed[kind] !== undefined && notes[kind].size === mostNamed) unnamed[kind] += 1;
      else notes[kind].set(operationId, amounts);
    },
    /** A line of text for each kind that there is. */
    lines: (): string[] =>
      (Object.keys(headings) as Kind[]).flatMap((kind) => {
        const operations = [...notes[kind]];
        const named = operations.slice(0, mostNamed).map(([id, amounts]) => `${id} (${amounts})`);
        const more = operations.length - named.length + (unnamed[kind] ?? 0);
        return named.length === 0
          ? []
          : [`${headings[kind]}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
      }),
  };
}
