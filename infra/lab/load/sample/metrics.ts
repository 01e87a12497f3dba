import { setTimeout as delay } from 'node:timers/promises';

/** One series of a metric, with its raw labels. */
type Series = { readonly name: string; readonly labels: string; readonly value: number };

/** Parses the series with one of these name prefixes from Prometheus' text format. */
export function parseSeries(text: string, prefixes: readonly string[]): Series[] {
  const found: Series[] = [];
  for (const line of text.split('\n')) {
    if (!prefixes.some((prefix) => line.startsWith(prefix))) continue;
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name !== undefined && value !== undefined)
      found.push({ name, labels, value: Number(value) });
  }
  return found;
}

/** The backlogs by the services' metrics. NaN: unknown. */
export type Backlogs = {
  /** Of the read model that is behind the most. */
  readonly projectionLagEvents: number;
  readonly projectionLagS: number;
  /** Webhooks between the log and their delivery: in the stream, and recorded but not delivered. */
  readonly webhooksWaiting: number;
  readonly oldestOverdueS: number;
};

/** Of what has no followers, or is not scraped. */
export const noMetrics: Backlogs = {
  projectionLagEvents: 0,
  projectionLagS: 0,
  webhooksWaiting: Number.NaN,
  oldestOverdueS: Number.NaN,
};

const scrapeWithinMs = 5_000;
/** How long a sample waits for answers; later ones count for the next. */
const waitMs = 250;
/** An answer that is older shows nothing. */
const freshMs = 5_000;
const wanted = ['gateway_projection_lag_', 'gateway_webhook_', 'gateway_processor_'];

/** Scrapes services on each call, without waiting long; NaN for what none reported lately. */
export function createScraper(urls: readonly string[]): () => Promise<Backlogs> {
  const pages = urls.map((url) => ({
    url,
    text: '',
    atMs: Number.NEGATIVE_INFINITY,
    request: undefined as Promise<void> | undefined,
  }));
  return async () => {
    const requests = pages.map((page) => {
      page.request ??= fetchText(page.url)
        .then((text) => void Object.assign(page, { text, atMs: performance.now() }))
        // It does not answer, or not in time.
        .catch(() => undefined)
        .finally(() => (page.request = undefined));
      return page.request;
    });
    await Promise.race([Promise.all(requests), delay(waitMs)]);
    const fresh = pages.filter(({ atMs }) => performance.now() - atMs < freshMs);
    return readBacklogs(parseSeries(fresh.map(({ text }) => text).join('\n'), wanted));
  };
}

/** What waits, from the series of all three. */
export function readBacklogs(all: readonly Series[]): Backlogs {
  const values = (name: string, label = '') =>
    all
      .filter((series) => series.name === name && series.labels.includes(label))
      .map(({ value }) => value);
  const most = (name: string) => {
    const known = values(name);
    return known.length === 0 ? Number.NaN : Math.max(...known);
  };
  const sum = (name: string, label?: string) => {
    const known = values(name, label);
    return known.length === 0 ? Number.NaN : known.reduce((left, right) => left + right, 0);
  };
  const recorded = sum('gateway_webhook_messages_recorded_total');
  const delivered = sum('gateway_webhook_attempts_total', 'outcome="delivered"');
  return {
    projectionLagEvents: most('gateway_projection_lag_events'),
    projectionLagS: most('gateway_projection_lag_seconds'),
    webhooksWaiting: Math.max(0, sum('gateway_webhook_stream_backlog') + recorded - delivered),
    oldestOverdueS: most('gateway_processor_oldest_overdue_age_seconds'),
  };
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(scrapeWithinMs) });
  return await response.text();
}
