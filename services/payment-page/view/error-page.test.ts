import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '#shared/platform/http/serve.ts';
import { brokenRequestPage } from './error-page.ts';

const app = new Hono();
app.post('/x', async (c) => c.text(await c.req.text()));
// A body that breaks.
app.onError((_, c) => c.body(null, 500));

async function answerTo(request: string): Promise<string> {
  const server = await listen(app, { port: 0, host: '127.0.0.1', render: brokenRequestPage });
  onTestFinished(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.write(request);
  await once(socket, 'end');
  return answer;
}

const rest = 'Host: localhost\r\nConnection: close\r\n';
it.each([
  ['a path that is refused', `GET /a/../b HTTP/1.1\r\n${rest}`, '\r\n'],
  ['a body that breaks', `POST /x HTTP/1.1\r\n${rest}Transfer-Encoding: chunked\r\n`, '\r\nzz\r\n'],
])('a page in the reader’s language reports that %s can’t be read', async (_, head, end) => {
  const [russian, english] = ['Не удалось прочитать запрос', 'The request could not be read'];
  expect(await answerTo(`${head}Accept-Language: ru\r\n${end}`)).toContain(russian);
  const chosen = 'Accept-Language: ru\r\nCookie: theme=dark; lang=en\r\n';
  expect(await answerTo(`${head}${chosen}${end}`)).toContain(english);
  expect(await answerTo(`${head}${end}`)).toContain(english);
});
