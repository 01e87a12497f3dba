import { z } from 'zod';
import { amountPattern } from '#shared/domain/money.ts';

const rule = 'must be a decimal with two places, such as "100.00"';

/** An amount in a body; a JSON number gets the same text, which shows the quotes that it lacks. */
export const amountText = z.string(rule).regex(amountPattern, rule);
