import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from './trace-context.ts';

/**
 * What the code that runs now works for: the request, and the span that its own spans belong to.
 */
type Scope = { readonly requestId?: string; readonly span?: SpanContext | undefined };

const scopes = new AsyncLocalStorage<Scope>();

export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs `work` and all that it starts in the scope; what is outside of a request has none. */
export const inScope = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work);

/** What every log line of a request says of it. */
export function scopeFields(): { requestId?: string; traceId?: string; spanId?: string } {
  const { requestId, span } = scopes.getStore() ?? {};
  return {
    ...(requestId !== undefined && { requestId }),
    ...(span && { traceId: span.traceId, spanId: span.spanId }),
  };
}
