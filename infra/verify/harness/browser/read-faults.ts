import type { Page, Route } from 'playwright-core';

/** Makes the page unable to read itself again, until the returned function is called. */
type ReadFault = (page: Page) => Promise<() => Promise<void>>;

const answering =
  (answer: Parameters<Route['fulfill']>[0]): ReadFault =>
  async (page) => {
    const { pathname } = new URL(page.url());
    const isRead = (url: URL) => url.pathname === pathname;
    const fulfil = (route: Route) => route.fulfill(answer);
    await page.route(isRead, fulfil);
    return () => page.unroute(isRead, fulfil);
  };

/** As a frozen server: requests are accepted, and never answered. */
const frozen: ReadFault = async (page) => {
  const { pathname } = new URL(page.url());
  const held: Route[] = [];
  const isRead = (url: URL) => url.pathname === pathname;
  const hold = (route: Route) => void held.push(route);
  await page.route(isRead, hold);
  return async () => {
    await page.unroute(isRead, hold);
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  };
};

const offline: ReadFault = async (page) => {
  await page.context().setOffline(true);
  return () => page.context().setOffline(false);
};

const html = { contentType: 'text/html', body: '<h1>Sign in to the Wi-Fi</h1>' };

/** How reads of an open page fail, by what a person would call it. */
export const readFaults: readonly (readonly [name: string, ReadFault])[] = [
  ['is unavailable (503)', answering({ status: 503, ...html })],
  ['is limited (429)', answering({ status: 429, headers: { 'retry-after': '1' }, ...html })],
  ['is out of reach: the browser is offline', offline],
  ['is frozen', frozen],
  ['is replaced by a page of somebody else (200)', answering({ status: 200, ...html })],
];

/** What the browser's console reports of them. */
export const readFaultMessages = /503|429|ERR_INTERNET_DISCONNECTED|ERR_FAILED/;
