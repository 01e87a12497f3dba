import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { serveApp } from '#shared/platform/http/testing/serve-app.ts';
import { brokenRequestPage } from './error-page.ts';

const app = new Hono();
app.post('/x', async (c) => c.text(await c.req.text()));
// Reading a malformed body fails.
app.onError((_, c) => c.body(null, 500));

async function responseTo(request: string): Promise<string> {
  const { port } = await serveApp(app, { render: brokenRequestPage });
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return text(socket);
}

const rest = 'Host: localhost\r\nConnection: close\r\n';
it.each([
  ['an invalid path', `GET /a/../b HTTP/1.1\r\n${rest}`, '\r\n'],
  ['a malformed body', `POST /x HTTP/1.1\r\n${rest}Transfer-Encoding: chunked\r\n`, '\r\nzz\r\n'],
])('reports %s on a page in the reader’s language', async (_, head, end) => {
  const [russian, english] = ['Не удалось прочитать запрос', 'The request could not be read'];
  expect(await responseTo(`${head}Accept-Language: ru\r\n${end}`)).toContain(russian);
  const chosen = 'Accept-Language: ru\r\nCookie: theme=dark; lang=en\r\n';
  expect(await responseTo(`${head}${chosen}${end}`)).toContain(english);
  expect(await responseTo(`${head}${end}`)).toContain(english);
});
