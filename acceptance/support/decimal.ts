// Its own decimals, so that the gateway's arithmetic is not checked by the same arithmetic.

/** "12.34" with scale 2 is 1234n. */
export function parse(text: string, scale = 2): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (parts === null || (parts[3] ?? '').length > scale) throw new Error(`no decimal: ${text}`);
  const units = BigInt(`${parts[2]}${(parts[3] ?? '').padEnd(scale, '0')}`);
  return parts[1] === '-' ? -units : units;
}

/** 1234n is "12.34". */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Half up (R11.2); what is rounded is never negative. */
function divideHalfUp(value: bigint, by: bigint): bigint {
  return (value * 2n + by) / (by * 2n);
}

export type Commission = { readonly percent: string; readonly fixed?: string };
type Figures = {
  readonly recorded: string;
  readonly commission: string;
  readonly settlement: string;
};

/** R11.3 to R11.6. */
export function figures(
  type: 'payment' | 'payout',
  amount: string,
  { fxRate, commission }: { fxRate?: string | undefined; commission: Commission },
): Figures {
  const cents = parse(amount);
  const recorded =
    fxRate === undefined ? cents : divideHalfUp(cents * parse(fxRate, 6), 1_000_000n);
  // The percentage has up to six decimals here: more than any route of these tests.
  const share = divideHalfUp(recorded * parse(commission.percent, 6), 100_000_000n);
  const full = share + parse(commission.fixed ?? '0.00');
  const charged = type === 'payment' && full > recorded ? recorded : full;
  const settlement = type === 'payment' ? recorded - charged : recorded + charged;
  return {
    recorded: formatCents(recorded),
    commission: formatCents(charged),
    settlement: formatCents(settlement),
  };
}
