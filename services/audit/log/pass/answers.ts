const kinds = ['ends with money', 'ends without money', 'late facts'] as const;
type Kind = (typeof kinds)[number];

export type Answers = ReturnType<typeof createAnswers>;

/** How many operations are named of each kind; the others are only counted. */
const mostNamed = 10;

/** The log's facts from providers' responses, which are unsigned. */
export function createAnswers(shopId?: string) {
  const numbered = new Set<string>();
  const noted = new Map<Kind, { count: number; named: Set<string> }>();
  return {
    /** A report of this provider had a version. */
    number: (provider: string) => void numbered.add(provider),
    /** Whether its reports have versions. */
    areNumbered: (provider: string) => numbered.has(provider),
    /** Only a response supports it. */
    note: (kind: Kind, of: { operationId: string; shopId: string | undefined }): void => {
      if (shopId !== undefined && of.shopId !== shopId) return;
      const entry = noted.get(kind) ?? { count: 0, named: new Set() };
      entry.count += 1;
      if (entry.named.size < mostNamed) entry.named.add(of.operationId);
      noted.set(kind, entry);
    },
    /** One line of text, about one shop or all; empty if there is nothing to note. */
    notes: (): string[] => {
      const summaries = kinds.flatMap((kind) => {
        const { count, named } = noted.get(kind) ?? { count: 0, named: new Set() };
        const more = named.size === mostNamed && count > mostNamed ? ' and others' : '';
        return count === 0 ? [] : [`${count} ${kind}: ${[...named].join(', ')}${more}`];
      });
      if (summaries.length === 0) return [];
      return [`only unsigned responses of providers support ${summaries.join('; ')}`];
    },
  };
}
