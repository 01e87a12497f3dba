import type { Answer } from '#infra/verify/simulation/cluster.ts';
import type { Find } from '#infra/verify/simulation/checks/find.ts';

/** Sends a request. @returns undefined where no answer came */
export type Send = (url: string, init: RequestInit) => Promise<Answer | undefined>;

/**
 * Longer than any wait of a gateway whose stores come back, and than the supervisor lets one stand
 * still.
 */
const patienceMs = 45_000;

/** Requests over the network, counted by how they ended: `/v1/payment 200`. */
export function createRequests(find: Find) {
  const counts = new Map<string, number>();
  const send: Send = async (url, init) => {
    const path = new URL(url).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
    const count = (end: string | number) =>
      counts.set(`${path} ${end}`, (counts.get(`${path} ${end}`) ?? 0) + 1);
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
      const { status, headers } = response;
      const text = await response.text();
      const answer: Answer = { status, body: text === '' ? {} : JSON.parse(text) };
      count(status >= 400 ? `${status} ${String(answer.body['code'])}` : status);
      if (status === 503 && !headers.has('retry-after'))
        find('a 503 does not say when to come back', { path, answer });
      return answer;
    } catch (error) {
      const late = (error as Error).name === 'TimeoutError';
      if (late) find('a request hangs', path);
      count(late ? 'no answer in time' : 'connection lost');
      return undefined;
    }
  };
  return { send, counts: counts as ReadonlyMap<string, number> };
}
