import {
  formatExactMinor,
  parseExactMinor,
  type ExactMinor,
} from '../operation/exact-arithmetic.ts';

/** What facts rest on that no verified callback supports, as notes name it. */
const kindsOfEvidence = {
  responses: 'only unsigned responses of providers support',
  callbacks: 'only callbacks that were not verified support',
} as const;
export type AnswerEvidence = keyof typeof kindsOfEvidence;

/**
 * How many operations are named of each kind; the others are only counted. Hardly any honest
 * payment expires before its window ends, so all of these are named.
 */
const kinds = {
  'ends with money': 10,
  'rates of conversions': 10,
  'ends without money': 10,
  'expiries before the window ended': 1_000,
  'late facts': 10,
} as const;
type Kind = keyof typeof kinds;

export type ProviderAnswers = ReturnType<typeof createAnswers>;

type Money = { amount: string; currency: string };
type Sums = Map<string, ExactMinor>;
/** The amounts of all, and of each that is named. */
type AnswerTally = { count: number; sums: Sums; named: Map<string, Sums> };

function addMoney(sums: Sums, { amount, currency }: Money): void {
  const minor = parseExactMinor(amount);
  sums.set(currency, (sums.get(currency) ?? 0n) + (minor < 0n ? -minor : minor));
}

const sumsText = (sums: Sums): string =>
  sums.size === 0
    ? ''
    : ` (${[...sums].map(([currency, sum]) => `${formatExactMinor(sum)} ${currency}`).join(', ')})`;

/** The log's facts from providers' responses, which are unsigned, or unverified callbacks. */
export function createAnswers(shopId?: string) {
  const numbered = new Set<string>();
  const noted = new Map<string, AnswerTally>();
  return {
    /** A report of this provider had a version. */
    number: (provider: string) => void numbered.add(provider),
    /** Whether its reports have versions. */
    areNumbered: (provider: string) => numbered.has(provider),
    /** Only this evidence supports it. */
    note: (
      { evidence, kind }: { evidence: AnswerEvidence; kind: Kind },
      of: { operationId: string; shopId: string | undefined; money?: Money | undefined },
    ): void => {
      if (shopId !== undefined && of.shopId !== shopId) return;
      const key = `${evidence} ${kind}`;
      const entry = noted.get(key) ?? { count: 0, sums: new Map(), named: new Map() };
      noted.set(key, entry);
      entry.count += 1;
      if (entry.named.size < kinds[kind] && !entry.named.has(of.operationId))
        entry.named.set(of.operationId, new Map());
      if (!of.money) return;
      addMoney(entry.sums, of.money);
      const sums = entry.named.get(of.operationId);
      if (sums) addMoney(sums, of.money);
    },
    /** A line of text for each kind of evidence, about one shop or all. */
    notes: (): string[] =>
      (Object.keys(kindsOfEvidence) as AnswerEvidence[]).flatMap((evidence) => {
        const summaries = (Object.keys(kinds) as Kind[]).flatMap((kind) => {
          const entry = noted.get(`${evidence} ${kind}`);
          return entry ? [summarizeAnswers(kind, entry)] : [];
        });
        return summaries.length === 0
          ? []
          : [`${kindsOfEvidence[evidence]} ${summaries.join('; ')}`];
      }),
  };
}

function summarizeAnswers(kind: Kind, { count, sums, named }: AnswerTally): string {
  const operations = [...named].map(([id, own]) => `${id}${sumsText(own)}`).join(', ');
  const more = named.size === kinds[kind] && count > named.size ? ' and others' : '';
  return `${count} ${kind}${sumsText(sums)}: ${operations}${more}`;
}
