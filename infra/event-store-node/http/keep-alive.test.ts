import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepAlive } from './keep-alive.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('does not ping a destroyed session that has not emitted close', () => {
  const ping = vi.fn<() => void>();
  const session = Object.assign(new EventEmitter(), { destroyed: false, ping });
  keepAlive(session as unknown as ServerHttp2Session, { intervalMs: 10, timeoutMs: 10 });
  session.destroyed = true;
  vi.advanceTimersByTime(100);
  expect(ping).not.toHaveBeenCalled();
});
