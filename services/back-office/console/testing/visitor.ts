import { expect } from 'vitest';

export type Page = { status: number; text: string; headers: Headers; location: string };
/** A page of that status that contains the text, to be matched. */
export const pageWith = (status: number, text: string) => ({
  status,
  text: expect.stringContaining(text) as string,
});
export type Values = Readonly<Record<string, string>>;
type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>;

/** A visitor whose browser has no scripts: it stores cookies and submits forms. */
export type Visitor = {
  cookie(): string;
  get(path: string, headers?: Values): Promise<Page>;
  /**
   * Sends a form as a browser does from a page of this site; `meanwhile` runs when half of it is
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
  /** The form token of this session. */
  formToken(): Promise<string>;
  /** Fills in an action's form, confirms it, and follows to the page with the outcome. */
  act(path: string, values?: Values): Promise<Page>;
};

export function createVisitor(fetch: Fetch): Visitor {
  let cookie = '';
  let links = '';
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const requested = init.headers as Values;
    const cookies = [cookie, links, requested['cookie']].filter(Boolean).join('; ');
    const headers = { ...requested, ...(cookies !== '' && { cookie: cookies }) };
    const response = await fetch(path, { ...init, headers, redirect: 'manual' });
    const cookieNamed = (name: RegExp) =>
      response.headers
        .getSetCookie()
        .find((each) => name.test(each))
        ?.split(';')[0];
    cookie = cookieNamed(/^(console|portal)_session=/) ?? cookie;
    links = cookieNamed(/^portal_links=/) ?? links;
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
      const confirmation = opened.text.includes('name="once"')
        ? opened
        : await post(path, { ...values, form_token });
      if (confirmation.status !== 200 || !confirmation.text.includes('name="once"'))
        return confirmation;
      const once = hidden(confirmation.text, 'once');
      const done = await post(path, { ...values, form_token, once, confirmed: 'yes' });
      return done.status === 303 ? get(done.location) : done;
    },
  };
}

export const visitorAt = (port: number): Visitor =>
  createVisitor((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));

function bodyOf(text: string, meanwhile?: () => Promise<void>): RequestInit {
  if (!meanwhile) return { body: text };
  const bytes = new TextEncoder().encode(text);
  let hasStarted = false;
  const pull = async (sent: ReadableStreamDefaultController<Uint8Array>) => {
    if (!hasStarted) {
      hasStarted = true;
      return sent.enqueue(bytes.subarray(0, 4));
    }
    await meanwhile();
    sent.enqueue(bytes.subarray(4));
    sent.close();
  };
  // With an empty queue, `pull` is not called before fetch reads.
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), duplex: 'half' };
}

/** Removes the line breaks of templates. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?(\/?>) ?/g, '$1')
    .replaceAll(/> ?</g, '><');

/** The last hidden field of that name: the page's own form comes after the form in the bar. */
export function hidden(text: string, name: string): string {
  const match = [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].at(-1);
  if (!match) throw new Error(`the page has no hidden ${name}`);
  return match[1] ?? '';
}
