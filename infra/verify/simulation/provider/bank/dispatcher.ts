import type { Dispatcher } from 'undici';

/** A request as it is on the wire, and its answer. */
type Carry = (path: string, init: RequestInit) => Promise<Response>;

/** An HTTP client's way to its server that is a function, instead of connections. */
export const dispatchBy = (carry: Carry): Dispatcher =>
  ({
    dispatch: ({ method, path, headers, body }, handler) => {
      const controller = new Controller();
      handler.onRequestStart?.(controller, {});
      if (controller.aborted) return true;
      const init = {
        method,
        headers: headers as Record<string, string>,
        body: body as string | null,
      };
      void answer(carry(path, init), controller, handler);
      return true;
    },
    destroy: async () => undefined,
  }) satisfies Partial<Dispatcher> as unknown as Dispatcher;

async function answer(
  carried: Promise<Response>,
  controller: Controller,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  try {
    const response = await carried;
    const body = Buffer.from(await response.arrayBuffer());
    handler.onResponseStart?.(controller, response.status, Object.fromEntries(response.headers));
    handler.onResponseData?.(controller, body);
    handler.onResponseEnd?.(controller, {});
  } catch (error) {
    handler.onResponseError?.(controller, error as Error);
  }
}

/** A caller that gives up gets no answer; what was sent stays sent. */
class Controller implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
}
