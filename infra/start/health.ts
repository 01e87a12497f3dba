import { get } from 'node:http';

/** Whether a GET is answered with a 2xx before the signal, by default within two seconds. */
export function answers(url: string, signal = AbortSignal.timeout(2000)): Promise<boolean> {
  return new Promise((resolve) => {
    // A new connection each time, because the check is whether new ones are accepted.
    const request = get(url, { agent: false, signal }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve(statusCode >= 200 && statusCode < 300);
    });
    request.on('error', () => resolve(false));
  });
}

/** Why a service is not ready, in its own words; undefined if it is. */
export async function readProblem(readyz: string): Promise<string | undefined> {
  try {
    const response = await fetch(readyz, { signal: AbortSignal.timeout(2000) });
    return response.ok ? undefined : ((await response.json()) as { detail: string }).detail;
  } catch {
    return 'no answer yet';
  }
}
