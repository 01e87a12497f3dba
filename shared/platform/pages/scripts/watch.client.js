// What is not finished yet is read again until it is: <div data-watched="its state"> that holds a
// [data-pending]. After some minutes only its link refreshes it.
{
  const [firstMs, slowestMs, growth, maxReads] = [1_000, 10_000, 1.2, 45];

  async function read() {
    const answer = await fetch(location.href, { headers: { 'x-watch': '1' }, redirect: 'manual' });
    if (answer.status !== 200) return undefined;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return page.querySelector('[data-watched]') ?? undefined;
  }

  function take(part, fresh) {
    const isInUse = part.contains(document.activeElement) && document.activeElement !== part;
    const isOver = fresh.querySelector('[data-pending]') === null;
    if (part.innerHTML === fresh.innerHTML || (isInUse && !isOver)) return;
    const live = document.querySelector('[data-announce]');
    if (live && part.dataset.watched !== fresh.dataset.watched)
      live.textContent = fresh.dataset.watched;
    part.dataset.watched = fresh.dataset.watched;
    part.replaceChildren(...fresh.childNodes);
  }

  function watch(part, waitMs, left) {
    if (left === 0 || part.querySelector('[data-pending]') === null) return;
    setTimeout(async () => {
      const fresh = document.hidden ? undefined : await read().catch(() => undefined);
      if (fresh) take(part, fresh);
      watch(part, Math.min(waitMs * growth, slowestMs), left - 1);
    }, waitMs);
  }

  for (const part of document.querySelectorAll('[data-watched]')) watch(part, firstMs, maxReads);
}
