import type { HttpClient, HttpRequest } from '#shared/platform/http-client/client.ts';
import { exchange, type HttpAnswer } from '#shared/platform/http-client/exchange.ts';

const maxAnswerBytes = 1024 * 1024;
const timeoutMs = 15_000;

/** A request with a JSON body, as the gateway sends it. @throws when there is no answer */
export async function sendJson(
  client: HttpClient,
  request: HttpRequest & { body: string },
): Promise<HttpAnswer> {
  const headers = { 'content-type': 'application/json', ...request.headers };
  const outcome = await exchange(client, { ...request, headers, maxAnswerBytes }, { timeoutMs });
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome;
}
