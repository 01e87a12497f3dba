// What is not finished yet is read again until it is: <div data-watched="its state"> that holds a
// [data-pending], before it a [data-unread]. After some minutes only its link refreshes it.
{
  const [firstMs, slowestMs, growth, maxReads] = [1_000, 10_000, 1.2, 45];

  const isOver = (part) => part.querySelector('[data-pending]') === null;

  function take(part, fresh) {
    const isInUse = part.contains(document.activeElement) && document.activeElement !== part;
    if (part.innerHTML === fresh.innerHTML || (isInUse && !isOver(fresh))) return;
    const live = document.querySelector('[data-announce]');
    if (live && part.dataset.watched !== fresh.dataset.watched)
      live.textContent = fresh.dataset.watched;
    part.dataset.watched = fresh.dataset.watched;
    part.replaceChildren(...fresh.childNodes);
  }

  function watch(part) {
    let [waitMs, reads] = [firstMs, 0];
    const watched = keepCurrent({
      firstMs,
      read: async (signal) => {
        const options = { headers: { 'x-watch': '1' }, signal };
        const page = await requestPage(location.href, '[data-watched]', options);
        take(part, page.querySelector('[data-watched]'));
        if (isOver(part)) watched.stop();
        reads += 1;
        waitMs = Math.min(waitMs * growth, slowestMs);
        return reads < maxReads ? waitMs : undefined;
      },
      unread: (isUnread) => {
        part.previousElementSibling.hidden = !isUnread;
      },
    });
  }

  for (const part of document.querySelectorAll('[data-watched]')) if (!isOver(part)) watch(part);
}
