import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';

type Of = { provider: string; account: string; currency: string };
export type StatementMetrics = {
  fetched(provider: string, outcome: string): void;
  /** Sets how many finished days have no statement. */
  missing(of: Of, days: number): void;
  /** Removes the figures of all other accounts. */
  only(current: readonly Of[]): void;
  /** Removes all figures: this process no longer leads. */
  reset(): void;
};

/** The outcomes of fetching a statement. */
const outcomes = ['imported', 'unchanged', 'busy', 'undecided', 'not_yet', 'unavailable'] as const;

export function createStatementMetrics(registry: Metrics): StatementMetrics {
  const registers = [registry];
  const imports = new Counter({
    name: 'gateway_statement_imports_total',
    help: 'Statements requested from providers, by outcome',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  const missing = new Gauge({
    name: 'gateway_statement_missing_days',
    help: 'Past days without a statement; only from the leader',
    labelNames: ['provider', 'account', 'currency'],
    registers,
  });
  const reported = new Map<string, Of>();
  const metricKey = ({ provider, account, currency }: Of) =>
    [provider, account, currency].join(' ');
  return {
    fetched: (provider, outcome) => imports.inc({ provider, outcome }),
    missing: (of, days) => {
      reported.set(metricKey(of), of);
      missing.set(of, days);
    },
    only: (current) => {
      for (const { provider } of current)
        for (const outcome of outcomes) imports.inc({ provider, outcome }, 0);
      const keys = new Set(current.map(metricKey));
      for (const [key, of] of reported) {
        if (keys.has(key)) continue;
        reported.delete(key);
        missing.remove(of);
      }
    },
    reset: () => missing.reset(),
  };
}
