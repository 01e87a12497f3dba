/** What providers' reports are like, as the log shows it. */
export type Answers = {
  /** A report of this provider had a version. */
  number(provider: string): void;
  /** Whether its reports have versions. */
  areNumbered(provider: string): boolean;
};

export function createAnswers(): Answers {
  const numbered = new Set<string>();
  return {
    number: (provider) => void numbered.add(provider),
    areNumbered: (provider) => numbered.has(provider),
  };
}
