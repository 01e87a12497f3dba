import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from './trace-context.ts';

/** The context of the running code: its request, and the parent of its spans. */
type Scope = { readonly requestId?: string; readonly span?: SpanContext | undefined };

const scopes = new AsyncLocalStorage<Scope>();

export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs `work`, and everything that it starts, in the scope. */
export const inScope = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work);

/** The members of every log line of a request. */
export function scopeFields(): { requestId?: string; traceId?: string; spanId?: string } {
  const { requestId, span } = scopes.getStore() ?? {};
  return {
    ...(requestId !== undefined && { requestId }),
    ...(span && { traceId: span.traceId, spanId: span.spanId }),
  };
}
