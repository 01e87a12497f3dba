// Lists that stay as they are in the gateway: <div data-live="tag"> with rows of <… data-row="id">.
// Changed rows are updated in place; the number of new ones is announced, and a press shows them.
const everyMs = 10_000;
const slowestMs = 60_000;
const restsFor = 30;
// A machine that slept during a request has not waited that long for the response.
const longestMs = 5 * 60_000;
// After that long without input, the reader is considered gone.
const untouchedMs = 10 * 60_000;
/** Longer than the database may take. */
const timeoutMs = 60_000;

const rowsOf = (list) =>
  new Map([...list.querySelectorAll('[data-row]')].map((row) => [row.dataset.row, row]));

/** What the user has opened, chosen or focused stays. */
const isInUse = (row) =>
  row.contains(document.activeElement) ||
  row.querySelector('details[open], input:checked, [aria-current]') !== null;

function changeInPlace(current, fresh, gone) {
  const last = [...current.keys()].findLastIndex((id) => fresh.has(id));
  [...current].forEach(([id, row], index) => {
    const now = fresh.get(id);
    if (now && now.outerHTML !== row.outerHTML && !isInUse(row)) {
      row.replaceWith(now.cloneNode(true));
    } else if (!now && index < last) {
      row.dataset.left = '';
      row.title = gone;
    }
  });
}

const announce = (text) => {
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = text;
};

/** The notice before the list of that kind. */
const noticeBefore = (list, kind) => {
  let part = list.previousElementSibling;
  while (part && !part.matches(kind)) part = part.previousElementSibling;
  return part;
};

class LiveList {
  #list;
  #bar = document.createElement('button');
  #fresh;
  #live;
  #wait = everyMs;
  #touchedAt = performance.now();

  constructor(list) {
    this.#list = list;
    this.#bar.type = 'button';
    this.#bar.className = 'button small live-new';
    this.#bar.hidden = true;
    this.#bar.addEventListener('click', () => this.#showAll());
    list.before(this.#bar);
  }

  start() {
    const unread = noticeBefore(this.#list, '[data-unread]');
    this.#live = keepCurrent({
      read: (signal) => this.#read(signal),
      unread: (isUnread) => {
        unread.hidden = !isUnread;
      },
      isIdle: () => this.#isUntouched(),
      firstMs: everyMs,
      timeoutMs,
    });
    document.addEventListener('visibilitychange', () => {
      this.#touchedAt = performance.now();
      this.#wait = everyMs;
    });
    for (const touch of ['pointermove', 'pointerdown', 'keydown', 'scroll'])
      addEventListener(touch, () => this.#wake(), { passive: true });
  }

  #isUntouched() {
    return performance.now() - this.#touchedAt > untouchedMs;
  }

  #showAll() {
    this.#list.replaceChildren(...this.#fresh.childNodes);
    this.#bar.hidden = true;
    this.#list.querySelector('[data-row] a')?.focus();
  }

  #take(text) {
    this.#fresh = document.createElement('div');
    this.#fresh.innerHTML = text;
    const [now, current] = [rowsOf(this.#fresh), rowsOf(this.#list)];
    if (current.size === 0) {
      this.#list.replaceChildren(...this.#fresh.childNodes);
      return;
    }
    const added = [...now.keys()].filter((id) => !current.has(id)).length;
    changeInPlace(current, now, this.#list.dataset.gone);
    this.#bar.hidden = added === 0;
    const notice = this.#list.dataset.fresh.replace('{n}', added);
    if (added === 0 || this.#bar.textContent === notice) return;
    this.#bar.textContent = notice;
    announce(notice);
  }

  /** @returns the milliseconds until the next read. @throws without the list, or its absence */
  async #read(signal) {
    const begunAt = performance.now();
    const headers = { 'x-live': this.#list.dataset.live };
    const response = await request(location.href, { headers, signal });
    if (response.type === 'opaqueredirect') {
      this.#live.stop();
      noticeBefore(this.#list, '[data-over]').hidden = false;
      return undefined;
    }
    const isSame = response.status === 204;
    if (!isSame) {
      const tag = response.headers.get('x-live');
      if (tag === null) throw new Error('a response without the list');
      const text = await response.text();
      this.#list.dataset.live = tag;
      this.#take(text);
    }
    const next = isSame ? Math.min(this.#wait * 1.5, slowestMs) : everyMs;
    // A list that is hard to read is read seldom.
    const took = performance.now() - begunAt;
    this.#wait = Math.min(Math.max(next, took * restsFor), longestMs);
    return this.#wait;
  }

  /** Somebody is here. After a long while away the list is read at once. */
  #wake() {
    const wasAway = this.#isUntouched();
    this.#touchedAt = performance.now();
    if (!wasAway || document.hidden) return;
    this.#wait = everyMs;
    this.#live.check();
  }
}

for (const list of document.querySelectorAll('[data-live]')) new LiveList(list).start();
