import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { maxJsonBytes } from './body.ts';
import type { HttpMetrics } from './metrics.ts';
import { renderProblem, type ProblemDetails } from './problems.ts';
import { requestIdFrom } from './request-id.ts';

/** Why a request is refused by what its head says; undefined if the app has to decide. */
export type FindRefusal = (incoming: IncomingMessage, path: string) => ProblemDetails | undefined;

/** Answers a request that the app need not see. @returns whether it did */
export type RefuseEarly = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** Node reads what is left of a body however long it is: a large one is the app's to end. */
const isSmall = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= maxJsonBytes;

/**
 * Refuses requests before their body is read and before the app is called, for a third of what a
 * refusal by the app costs: under overload most requests are refused. The answer is the same.
 */
export function createEarlyRefusal(find: FindRefusal, { begin }: HttpMetrics): RefuseEarly {
  return (incoming, outgoing) => {
    const { url = '', method = '', headers } = incoming;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const refusal = isSmall(headers) ? find(incoming, path) : undefined;
    if (!refusal) return false;
    const answered = begin();
    const requestId = requestIdFrom(headers['x-request-id']);
    const rendered = renderProblem(refusal, { path, requestId });
    outgoing.writeHead(rendered.status, {
      ...rendered.headers,
      'content-length': Buffer.byteLength(rendered.body),
    });
    outgoing.end(method === 'HEAD' ? undefined : rendered.body);
    answered({ method, route: 'refused', code: rendered.status });
    return true;
  };
}
