import { describe, expect, it } from 'vitest';
import { markdown } from './blocks.ts';
import { highlight } from './highlight.ts';

const rendered = (source: string) => markdown(source, { language: 'en' }).html;

describe('markdown', () => {
  it('escapes text, and renders only safe links', () => {
    expect(rendered('a <b> & `<c>` [d](https://e.example/?a=1&b=2) **f**')).toBe(
      '<p>a &lt;b&gt; &amp; <code>&lt;c&gt;</code> <a href="https://e.example/?a=1&amp;b=2">d</a> <strong>f</strong></p>\n',
    );
    expect(rendered('<script>\na\n</script>\n\n<https://a.example> https://b.example')).not.toMatch(
      /<(?:script|a)/,
    );
    expect(rendered('[a](javascript:alert) [b](//c.example "d") ![e](/f.png)')).not.toMatch(
      /<(?:a|img)/,
    );
  });

  it('lists headings with their explicit or derived anchors', () => {
    const { html, headings } = markdown('## Ключ `a` {#key}\n\n### Второй', { language: 'ru' });
    expect(html).toBe(
      '<h2 id="key"><a class="anchor" href="#key">Ключ <code>a</code></a></h2>\n<h3 id="второй"><a class="anchor" href="#второй">Второй</a></h3>\n',
    );
    expect(headings).toEqual([
      { level: 2, id: 'key', text: 'Ключ a' },
      { level: 3, id: 'второй', text: 'Второй' },
    ]);
  });

  it('renders lists and tables', () => {
    expect(rendered('- a\n  b\n- c')).toBe('<ul>\n<li>a\nb</li>\n<li>c</li>\n</ul>\n');
    expect(rendered('1. a\n2. b')).toBe('<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n');
    expect(rendered('| a | `b\\|c` |\n| --- | --- |\n| d | e |')).toContain(
      '<th scope="col"><code>b|c</code></th></tr></thead><tbody><tr><td>d</td><td>e</td></tr>',
    );
  });

  it('keeps code verbatim, with its empty lines', () => {
    expect(rendered('```ts\nconst a = "<b>";\n\n// c\n```')).toContain(
      '<code><span class="t-keyword">const</span> a = <span class="t-string">&quot;&lt;b&gt;&quot;</span>;\n\n<span class="t-comment">// c</span></code>',
    );
  });

  it('inserts values escaped, and throws for a placeholder without a value', () => {
    expect(() => rendered('{{nothing}}')).toThrow(/nothing is inserted/);
    expect(markdown('a {{b}}', { language: 'en', values: { b: '<c>' } }).html).toBe(
      '<p>a &lt;c&gt;</p>\n',
    );
  });
});

it('highlights code without changing a character', () => {
  const code = 'curl -d \'{"a": 1}\' # b & <c>\nexport D="e \\" f"';
  for (const language of ['sh', 'ts', 'py', 'php', 'go', 'json', 'http', 'none']) {
    const text = highlight(code, language)
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
    expect(text).toBe(code);
  }
});
