import { expect } from 'vitest';

export type Page = { status: number; text: string; headers: Headers; location: string };
export type Values = Readonly<Record<string, string>>;
type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>;

/** A visitor whose browser has no scripts: keeps a cookie, submits forms. */
export type Visitor = {
  cookie(): string;
  get(path: string, headers?: Values): Promise<Page>;
  /**
   * A form as a browser sends it from a page of this site; `meanwhile` happens when half of it was
   * sent.
   */
  post(
    path: string,
    values: Values,
    headers?: Values,
    meanwhile?: () => Promise<void>,
  ): Promise<Page>;
  /** A form with a file. */
  upload(path: string, form: FormData): Promise<Page>;
  signIn(token: string): Promise<Page>;
  /** The token that forms of this session carry. */
  formToken(): Promise<string>;
  /** Fills in an action's form, confirms it, and follows to the page that says what was done. */
  act(path: string, values?: Values): Promise<Page>;
};

export function visit(fetch: Fetch): Visitor {
  let cookie = '';
  let links = '';
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const given = init.headers as Values;
    const cookies = [cookie, links, given['cookie']].filter(Boolean).join('; ');
    const headers = { ...given, ...(cookies !== '' && { cookie: cookies }) };
    const response = await fetch(path, { ...init, headers, redirect: 'manual' });
    const kept = (name: RegExp) =>
      response.headers
        .getSetCookie()
        .find((each) => name.test(each))
        ?.split(';')[0];
    cookie = kept(/^(console|portal)_session=/) ?? cookie;
    links = kept(/^portal_links=/) ?? links;
    const location = response.headers.get('location') ?? '';
    return {
      status: response.status,
      text: oneLine(await response.text()),
      headers: response.headers,
      location,
    };
  };
  const get = (path: string, headers: Values = {}) => send(path, { headers });
  const post: Visitor['post'] = (path, values, headers, meanwhile) =>
    send(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      ...bodyOf(new URLSearchParams(values).toString(), meanwhile),
    });
  const formToken = async () => hidden((await get('/projections')).text, 'form_token');
  return {
    cookie: () => cookie,
    get,
    post,
    upload: (path, body) =>
      send(path, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body }),
    signIn: (token) => post('/sign-in', { token }),
    formToken,
    act: async (path, values = {}) => {
      const opened = await get(path);
      expect([path, opened.status]).toEqual([path, 200]);
      const form_token = hidden(opened.text, 'form_token');
      const shown = opened.text.includes('name="once"')
        ? opened
        : await post(path, { ...values, form_token });
      if (shown.status !== 200 || !shown.text.includes('name="once"')) return shown;
      const once = hidden(shown.text, 'once');
      const done = await post(path, { ...values, form_token, once, confirmed: 'yes' });
      return done.status === 303 ? get(done.location) : done;
    },
  };
}

function bodyOf(text: string, meanwhile?: () => Promise<void>): RequestInit {
  if (!meanwhile) return { body: text };
  const bytes = new TextEncoder().encode(text);
  let isSignedIn = false;
  const pull = async (sent: ReadableStreamDefaultController<Uint8Array>) => {
    if (!isSignedIn) {
      isSignedIn = true;
      return sent.enqueue(bytes.subarray(0, 4));
    }
    await meanwhile();
    sent.enqueue(bytes.subarray(4));
    sent.close();
  };
  // Nothing before somebody reads.
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), duplex: 'half' };
}

/** Ignores how a template breaks its lines. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?(\/?>) ?/g, '$1')
    .replaceAll(/> ?</g, '><');

/**
 * The last hidden field of the name: that of the page's own form, which stands after the one in the
 * bar.
 */
export function hidden(text: string, name: string): string {
  const found = [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].at(-1);
  if (!found) throw new Error(`the page has no hidden ${name}`);
  return found[1] ?? '';
}
