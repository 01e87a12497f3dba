// Lists that stay as they are in the gateway: <div data-live="tag"> with rows of <… data-row="id">.
// Rows that changed are changed in place; how many are new is said, and shown when that is pressed.
const everyMs = 10_000;
const slowestMs = 60_000;
const restsFor = 30;
// A machine that slept while it asked has not waited for an answer so long.
const longestMs = 5 * 60_000;
// Whoever has not touched the page for so long is not looking at it.
const untouchedMs = 10 * 60_000;

const rowsOf = (list) =>
  new Map([...list.querySelectorAll('[data-row]')].map((row) => [row.dataset.row, row]));

/** What the user has opened, chosen or stands on stays. */
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

const say = (text) => {
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = text;
};

class LiveList {
  #list;
  #bar = document.createElement('button');
  #fresh;
  #timer;
  #wait = everyMs;
  #touchedAt = performance.now();
  /** Of what is asked, only the newest counts. */
  #turns = 0;

  constructor(list) {
    this.#list = list;
    this.#bar.type = 'button';
    this.#bar.className = 'button small live-new';
    this.#bar.hidden = true;
    this.#bar.addEventListener('click', () => this.#showAll());
    list.before(this.#bar);
  }

  start() {
    document.addEventListener('visibilitychange', () => this.#turn());
    for (const touch of ['pointermove', 'pointerdown', 'keydown', 'scroll'])
      addEventListener(touch, () => this.#wake(), { passive: true });
    this.#sleep();
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
    const said = this.#list.dataset.fresh.replace('{n}', added);
    if (added === 0 || this.#bar.textContent === said) return;
    this.#bar.textContent = said;
    say(said);
  }

  async #ask(isNewest) {
    const headers = { 'x-live': this.#list.dataset.live };
    const answer = await fetch(location.href, { headers, redirect: 'manual' });
    if (answer.type === 'opaqueredirect') return 'signed out';
    if (answer.status !== 200) return 'same';
    const text = await answer.text();
    if (!isNewest()) return 'same';
    this.#list.dataset.live = answer.headers.get('x-live');
    this.#take(text);
    return 'changed';
  }

  async #tick() {
    this.#timer = undefined;
    if (document.hidden || performance.now() - this.#touchedAt > untouchedMs) return;
    const begunAt = performance.now();
    const turn = (this.#turns += 1);
    const isNewest = () => turn === this.#turns;
    const outcome = await this.#ask(isNewest).catch(() => 'same');
    if (!isNewest()) return;
    const took = performance.now() - begunAt;
    if (outcome === 'signed out') {
      say(this.#list.dataset.over);
      return;
    }
    const next = outcome === 'changed' ? everyMs : Math.min(this.#wait * 1.5, slowestMs);
    // A list that is hard to read is read seldom.
    this.#wait = Math.min(Math.max(next, took * restsFor), longestMs);
    this.#sleep();
  }

  #sleep(ms = this.#wait) {
    this.#timer ??= setTimeout(() => void this.#tick(), ms);
  }

  /** Somebody is here. After a long while away the list is asked for at once. */
  #wake() {
    const wasAway = performance.now() - this.#touchedAt > untouchedMs;
    this.#touchedAt = performance.now();
    if (wasAway && !document.hidden) this.#askNow();
  }

  /** The tab was hidden, or is shown again. */
  #turn() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#touchedAt = performance.now();
    if (!document.hidden) this.#askNow();
  }

  #askNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wait = everyMs;
    this.#sleep(0);
  }
}

for (const list of document.querySelectorAll('[data-live]')) new LiveList(list).start();
