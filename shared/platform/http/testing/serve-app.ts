import { onTestFinished } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { listen, type RunningServer } from '../serve.ts';

type App = Parameters<typeof listen>[0];
const onLoopback = { port: 0, host: '127.0.0.1' };

/** The app on a free port of loopback, until the test ends. */
export async function serveApp(
  app: App,
  options: Partial<Parameters<typeof listen>[1]> = {},
): Promise<RunningServer> {
  const server = await listen(app, { ...onLoopback, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** The same, for the tests of a file. */
export const appForFile = (build: () => App): RunningServer =>
  forFile(() => listen(build(), onLoopback));
