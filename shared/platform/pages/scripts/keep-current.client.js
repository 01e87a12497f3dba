// Keeps what a page shows current. The scripts that use it are served in one file with it.

const limits = {
  timeoutMs: 10_000,
  retryFirstMs: 1_000,
  retrySlowestMs: 30_000,
  /** A proxy may name a day. */
  retryAfterMs: 5 * 60_000,
  /** A read that has been due for so long is reported. */
  unreadAfterMs: 5_000,
};

/**
 * The server's response; a redirect is not followed.
 * @throws for any other status, with `retryAfterMs` where the response names it
 */
export async function request(url, { headers = {}, signal }) {
  const response = await fetch(url, { headers, signal, redirect: 'manual' });
  if (response.ok || response.type === 'opaqueredirect') return response;
  const retryAfterMs = Number(response.headers.get('retry-after')) * 1_000;
  throw Object.assign(new Error(`status ${response.status}`), { retryAfterMs });
}

/** The page at the URL. @throws if it lacks the selected part, as a proxy's own page does */
export async function requestPage(url, selector, options) {
  const response = await request(url, options);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (!page.querySelector(selector)) throw new Error(`a response without ${selector}`);
  return page;
}

/** Waits double, and are never equal, so that all pages do not come back at once. */
const retryWait = (failures) =>
  Math.min(limits.retryFirstMs * 2 ** (failures - 1), limits.retrySlowestMs) *
  (0.75 + Math.random() / 2);

/** Calls it when the browser gains or loses its network, and when the page is seen again. */
function onReturn(check) {
  for (const change of ['online', 'offline']) addEventListener(change, check);
  addEventListener('pageshow', ({ persisted }) => persisted && check());
  document.addEventListener('visibilitychange', () => document.hidden || check());
}

/** Reports a read that has been due for some seconds, and its success. */
function reportUnread(unread) {
  let timer;
  return {
    due: () => {
      timer ??= setTimeout(() => unread(true), limits.unreadAfterMs);
    },
    done: () => {
      clearTimeout(timer);
      timer = undefined;
      unread(false);
    },
  };
}

/**
 * Calls `read` when it is due. It stays due until it succeeds: it is repeated after growing waits,
 * and at once when the browser is online or the page visible again.
 * @param read shows the state, and returns the milliseconds until the next read, or undefined for
 *   none; it throws whenever it did not get the state
 * @param unread called with true when a read has been due for some seconds, and with false when one
 *   succeeds
 * @param isIdle then only announced changes are read, as on a hidden page
 */
export function keepCurrent({ read, unread, firstMs, isIdle = () => false, timeoutMs }) {
  let timer;
  let reading;
  let failures = 0;
  let notBefore = 0;
  /** Announcements, and how many of them a successful read has followed. */
  let [announced, followed] = [0, 0];
  let isStopped = false;
  const report = reportUnread(unread);

  const schedule = (waitMs) => {
    clearTimeout(timer);
    const ms = Math.max(waitMs, notBefore - performance.now());
    if (!isStopped) timer = setTimeout(() => void tick(), ms);
  };
  const succeed = (nextMs, upTo) => {
    report.done();
    failures = 0;
    followed = upTo;
    if (announced > followed) schedule(0);
    else if (nextMs !== undefined) schedule(nextMs);
  };
  const fail = ({ retryAfterMs = 0 }) => {
    failures += 1;
    notBefore = performance.now() + Math.min(retryAfterMs || 0, limits.retryAfterMs);
    schedule(retryWait(failures));
  };
  const tick = async () => {
    if (reading || (announced === followed && (document.hidden || isIdle()))) return;
    report.due();
    const [own, upTo] = [new AbortController(), announced];
    reading = own;
    const timeout = setTimeout(() => own.abort(), timeoutMs ?? limits.timeoutMs);
    try {
      const nextMs = await read(own.signal);
      if (reading === own) succeed(nextMs, upTo);
    } catch (error) {
      if (reading === own) fail(error);
    } finally {
      clearTimeout(timeout);
      if (reading === own) reading = undefined;
    }
  };
  /** Whatever was requested before the browser slept or lost its network may never end. */
  const check = () => {
    reading?.abort();
    reading = undefined;
    failures = 0;
    schedule(0);
  };
  onReturn(check);
  schedule(firstMs);
  return {
    /** The state has changed. */
    announce: () => {
      announced += 1;
      schedule(0);
    },
    /** The state may have changed. */
    check,
    stop: () => {
      isStopped = true;
      reading?.abort();
      reading = undefined;
      clearTimeout(timer);
      report.done();
    },
  };
}
