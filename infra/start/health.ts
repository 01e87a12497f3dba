import { get } from 'node:http';

/** Whether a GET is answered with a 2xx within two seconds. */
export function answers(url: string, timeoutMs = 2000): Promise<boolean> {
  return new Promise((resolve) => {
    // A new connection each time, because the check is whether new ones are accepted.
    const request = get(
      url,
      { agent: false, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        response.resume();
        const { statusCode = 0 } = response;
        resolve(statusCode >= 200 && statusCode < 300);
      },
    );
    request.on('error', () => resolve(false));
  });
}
