/**
 * The oldest nats-server that production works with: the first of its line in which JetStream's API
 * checks the permissions of the caller (CVE-2025-30215).
 */
export const leastNatsVersion = '2.10.27';

/** Whether a server's version, such as "2.9.10", is before another. One that is no version is. */
export function isOlderNats(version: string, least = leastNatsVersion): boolean {
  const [actual, required] = [numbersOf(version), numbersOf(least)];
  for (const [index, number] of required.entries()) {
    const own = actual[index] ?? -1;
    if (own !== number) return own < number;
  }
  // The same number, and not yet released.
  return version.includes('-');
}

function numbersOf(version: string): number[] {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return numbers.map(Number);
}
