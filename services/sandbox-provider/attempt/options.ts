import { z } from 'zod';
import { amountScenarios } from '#shared/application/providers/sandbox/amounts.ts';
import type { WireSubmission } from '#shared/application/providers/sandbox/wire.ts';
import { dayMs } from '#shared/domain/day.ts';

/** What happens to an uploaded receipt. */
export const reviewResults = [
  'approve',
  'potential_fake',
  'not_terminal',
  'flagged',
  'decline',
] as const;
export type ReviewResult = (typeof reviewResults)[number];

const delay = z.int().min(0).max(dayMs);

/** How an attempt behaves: the `options` of its route (R20.1). */
export const optionsSchema = z.strictObject({
  accept: z.enum(['accept', 'decline', 'error', 'hang']).default('accept'),
  accept_delay_ms: delay.default(0),
  expires_in_s: z
    .number()
    .positive()
    .max(30 * 86_400)
    .optional(),
  review: z.enum([...reviewResults, 'manual']).default('manual'),
  autopilot_ms: delay.optional(),
  autopilot_result: z.enum(['completed', 'partial', 'declined']).default('completed'),
  return_ms: delay.optional(),
  return_part: z.enum(['whole', 'half']).default('whole'),
  /** Payers have to write what identifies their payment as the purpose of their transfer. */
  transfer_purpose: z.boolean().default(false),
  fx_rate: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})\.\d{1,6}$/)
    .refine((rate) => /[1-9]/.test(rate), 'must be above zero')
    .optional(),
  evidence: z.enum(['complete', 'partial', 'unavailable']).default('complete'),
  duplicate_callbacks: z.int().min(0).max(100).default(0),
  reorder_callbacks: z.boolean().default(false),
});
export type Options = z.infer<typeof optionsSchema>;

/**
 * Parses the options, or returns those that are invalid: an attempt with such options is refused.
 */
export function readSandboxOptions(
  input: unknown,
): { ok: true; options: Options } | { ok: false; options: Options; reason: string } {
  const parsed = optionsSchema.safeParse(input ?? {});
  if (parsed.success) return { ok: true, options: parsed.data };
  const fields = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')],
  );
  return {
    ok: false,
    options: optionsSchema.parse({}),
    reason: `options_invalid: ${[...new Set(fields)].join(', ')}`.slice(0, 200),
  };
}

/** The route's options; if there are none, those of the amount. */
export function optionsByAmount({ type, amount, options = {} }: WireSubmission): unknown {
  if (Object.keys(options).length > 0) return options;
  return (
    amountScenarios.find((each) => each.type === type && each.amount === amount)?.options ?? options
  );
}
