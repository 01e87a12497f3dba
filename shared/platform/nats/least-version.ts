/**
 * The oldest nats-server that production accepts: the first whose JetStream API checks the caller's
 * permissions (CVE-2025-30215).
 */
export const leastNatsVersion = '2.10.27';

/** Whether a server's version, such as "2.9.10", precedes another. An unreadable one does. */
export function isOlderNats(version: string, least = leastNatsVersion): boolean {
  const [actual, required] = [parseVersion(version), parseVersion(least)];
  for (const [index, number] of required.entries()) {
    const own = actual[index] ?? -1;
    if (own !== number) return own < number;
  }
  // The same number, and not yet released.
  return version.includes('-');
}

function parseVersion(version: string): number[] {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return numbers.map(Number);
}
