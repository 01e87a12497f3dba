import { amountOf, type Minor } from '../operation/exact-arithmetic.ts';

/** Money that operators approved and no provider has, for the notes of the report. */
export type Approvals = {
  /** What of an operation's approved money has neither come nor is known to be missing. */
  due(operation: Of & { amount: Minor }): void;
  /** Its provider ended without so much of it. */
  missing(operation: Of & { amount: Minor }): void;
  /** Lines of text, about one shop or all; empty if there is none. */
  notes(): string[];
};

type Of = { operationId: string; shopId: string; currency: string };

/** How many are named; the others are only counted. */
const mostNamed = 10;

export function createApprovals(shopId?: string): Approvals {
  const [due, missing] = [new Map<string, string>(), new Map<string, string>()];
  const isInScope = (of: Of) => shopId === undefined || of.shopId === shopId;
  const line = (what: string, amounts: ReadonlyMap<string, string>): string[] => {
    if (amounts.size === 0) return [];
    const named = [...amounts].slice(0, mostNamed).map(([id, amount]) => `${id} (${amount})`);
    const more = amounts.size > mostNamed ? ` and ${amounts.size - mostNamed} more` : '';
    return [`${what}: ${named.join(', ')}${more}`];
  };
  return {
    due: ({ amount, ...of }) => {
      if (amount <= 0n) due.delete(of.operationId);
      else if (isInScope(of)) due.set(of.operationId, `${amountOf(amount)} ${of.currency}`);
    },
    missing: ({ amount, ...of }) => {
      if (isInScope(of)) missing.set(of.operationId, `${amountOf(amount)} ${of.currency}`);
    },
    notes: () => [
      ...line('approved money that did not arrive', missing),
      ...line('approved money that its provider has not reported yet', due),
    ],
  };
}
