export type AdminAnswer = { readonly status: number; readonly body: Record<string, unknown> };

export type AdminClient = (method: string, path: string, body?: object) => Promise<AdminAnswer>;

/** Calls the admin API (contract §6). Throws when it does not answer within 10 s. */
export function createAdminClient(baseUrl: string, token: string): AdminClient {
  return async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
}
