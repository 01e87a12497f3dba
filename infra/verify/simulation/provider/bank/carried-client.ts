import type {
  HttpClient,
  HttpRequest,
  ResponseHandler,
} from '#shared/platform/http-client/client.ts';

/** A request on the wire, and its answer. */
type Carry = (path: string, init: RequestInit) => Promise<Response>;

/** An HTTP client that calls a function instead of a connection. */
export const carriedClient = (carry: Carry): HttpClient => ({
  send: (request, handler) => {
    const call = { over: false };
    void answer(carry, { request, handler, call });
    // A caller that gives up gets no answer; what was sent stays sent.
    return () => void (call.over = true);
  },
  close: () => Promise.resolve(),
});

async function answer(
  carry: Carry,
  {
    request: { method, path, headers, body },
    handler,
    call,
  }: { request: HttpRequest; handler: ResponseHandler; call: { over: boolean } },
): Promise<void> {
  try {
    const response = await carry(path, { method, headers, body: body as string | null });
    const content = Buffer.from(await response.arrayBuffer());
    if (call.over) return;
    handler.onStatus(response.status, Object.fromEntries(response.headers));
    handler.onData(content);
    handler.onEnd();
  } catch (error) {
    if (!call.over) handler.onError(error as Error);
  }
}
