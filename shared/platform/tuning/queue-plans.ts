import { isTuned } from './switches.ts';

/**
 * Settings of PostgreSQL for a table that is a queue, small now and large later: what works on it
 * goes by its indexes, planned once, whatever the statistics of the moment say.
 */
export const queuePlans = (): Record<string, string> | undefined =>
  isTuned('queue-plans')
    ? {
        enable_seqscan: 'off',
        enable_hashjoin: 'off',
        enable_mergejoin: 'off',
        plan_cache_mode: 'force_generic_plan',
      }
    : undefined;
