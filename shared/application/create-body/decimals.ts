import { decimalsIn } from '#shared/domain/currencies.ts';
import { fitsCurrency } from '#shared/domain/money.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';

/**
 * The errors of amounts with more decimals than their currency (R3.3). `amounts`: the values of
 * fields by their pointers; values that are no text have errors of their own.
 */
export function decimalErrors(
  currency: unknown,
  amounts: Readonly<Record<string, unknown>>,
): FieldError[] {
  if (typeof currency !== 'string') return [];
  return Object.entries(amounts).flatMap(([pointer, amount]) => {
    if (typeof amount !== 'string' || fitsCurrency(amount, currency)) return [];
    const detail = `${currency} has ${decimalsIn(currency)} decimals`;
    return [{ pointer, code: 'amount_invalid', detail }];
  });
}
