// How far a file is that the browser downloads: <a data-export="language" data-writing="… {n}" …>
// and beside it <span data-exported>. The browser itself shows the download; this says its end.
{
  const [firstMs, slowestMs, growth, maxReads] = [400, 5_000, 1.3, 400];
  // Another instance may have the file: after some answers without it nothing is said.
  const maxUnknown = 6;

  async function read(token) {
    const answer = await fetch(`/exports/${token}`, { redirect: 'manual' });
    return answer.status === 200 ? answer.json() : undefined;
  }

  function say(link, { rows, state }) {
    const place = link.parentElement?.querySelector('[data-exported]');
    const count = new Intl.NumberFormat(link.dataset.export).format(rows);
    if (place) place.textContent = link.dataset[state].replace('{n}', count);
  }

  function follow(link, token, { waitMs = firstMs, reads = 0, unknown = 0 } = {}) {
    if (link.dataset.token !== token || reads >= maxReads || unknown >= maxUnknown) return;
    setTimeout(async () => {
      const progress = await read(token).catch(() => undefined);
      if (link.dataset.token !== token) return;
      if (progress) say(link, progress);
      if (progress && progress.state !== 'writing') return;
      follow(link, token, {
        waitMs: Math.min(waitMs * growth, slowestMs),
        reads: reads + 1,
        unknown: progress ? 0 : unknown + 1,
      });
    }, waitMs);
  }

  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-export]') : null;
    if (!link) return;
    const url = new URL(link.href);
    const token = [...crypto.getRandomValues(new Uint8Array(12))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    url.searchParams.set('follow', token);
    link.href = url.href;
    link.dataset.token = token;
    follow(link, token);
  });
}
