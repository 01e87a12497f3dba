// Follows the payment: reloads the page when the server reports a change, and counts down the time.
const payment = () => document.querySelector('[data-payment]');

function announce(text) {
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = text;
}

// The newest page

// An open stream may be silent, so the page is polled also then.
const [pollMs, pollWithStreamMs] = [10_000, 60_000];
/** The version that was announced last, by the stream that is open. */
let announcedVersion;

/** @throws unless it shows the state, or a newer one than was announced */
async function read(signal) {
  const page = await requestPage(location.pathname, '[data-payment]', { signal });
  show(page);
  const { payment: version, final } = payment().dataset;
  if (final !== undefined) {
    current.stop();
    return source?.close();
  }
  if (announcedVersion !== undefined && announcedVersion !== version)
    throw new Error('an older state');
  follow();
  return source.readyState === EventSource.OPEN ? pollWithStreamMs : pollMs;
}

/**
 * Shows the new page, but only if its state has changed. A file that was already chosen stays
 * chosen.
 */
function show(page) {
  const [shown, next] = [payment(), page.querySelector('[data-payment]')];
  if (shown.dataset.payment === next.dataset.payment) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement : undefined;
  const fresh = document.importNode(next, true);
  const form = shown.querySelector('form[data-max-bytes]');
  const emptyForm =
    form?.querySelector('input').files.length > 0 && fresh.querySelector('form[data-max-bytes]');
  if (emptyForm) emptyForm.replaceWith(form);
  shown.replaceWith(fresh);
  document.title = page.title;
  if (focused) (fresh.contains(focused) ? focused : document.getElementById('content')).focus();
  announce(fresh.dataset.title);
  prepare();
}

/** While the state can't be read, the payer sees that, and nothing to pay to. */
function showUnread(isUnread) {
  payment().classList.toggle('unread', isUnread);
  const warning = payment().querySelector('[data-unread]');
  if (warning) warning.hidden = !isUnread;
}

// Notifications of changes

let source;
let openedAt;
const reopenMs = 60_000;
/** A server that stops ends all its streams at once: their pages read at different moments. */
const brokenWithinMs = 2_000;

/** A browser gives up a stream that was refused. */
function follow() {
  const isRefused = source?.readyState === EventSource.CLOSED;
  if (source && !(isRefused && performance.now() - openedAt > reopenMs)) return;
  openedAt = performance.now();
  source = new EventSource(
    `${location.pathname}/events?seen=${encodeURIComponent(payment().dataset.payment)}`,
  );
  let isOpen = false;
  source.addEventListener('open', () => {
    isOpen = true;
  });
  source.addEventListener('changed', ({ data }) => {
    announcedVersion = data;
    if (data !== payment().dataset.payment) current.announce();
  });
  source.addEventListener('error', () => {
    // The next stream announces the state again, unless it is the one that this page began with.
    announcedVersion = undefined;
    if (isOpen) setTimeout(() => current.check(), Math.random() * brokenWithinMs);
    isOpen = false;
  });
}

// Times, in the reader's zone

function localiseTimes() {
  for (const time of document.querySelectorAll('time[data-local]'))
    time.textContent = new Date(time.dateTime).toLocaleString(time.dataset.local, {
      dateStyle: 'long',
      timeStyle: 'short',
    });
}

// The time that is left, by the server's clock: the browser's may be wrong

let ticking;

function countDown() {
  clearInterval(ticking);
  const countdown = document.querySelector('[data-left-ms]');
  if (!countdown) return;
  const endsAt = performance.now() + Number(countdown.dataset.leftMs);
  countdown.querySelector('[data-label]').textContent = countdown.dataset.left;
  const announced = new Set();
  const tick = () => {
    const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000));
    const [hours, minutes, seconds] = [
      Math.floor(left / 3600),
      Math.floor(left / 60) % 60,
      left % 60,
    ];
    const two = (number) => String(number).padStart(2, '0');
    countdown.querySelector('b').textContent =
      hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${two(minutes)}:${two(seconds)}`;
    countdown.classList.toggle('soon', left <= 60);
    for (const mark of [5, 1]) {
      if (left !== mark * 60 || announced.has(mark)) continue;
      announced.add(mark);
      announce(countdown.getAttribute(`data-minutes-${mark}`));
    }
    if (left > 0) return;
    clearInterval(ticking);
    // A moment later, when the window has surely ended by the server's clock too.
    setTimeout(() => current.check(), 500);
  };
  ticking = setInterval(tick, 1000);
  tick();
}

// The receipt: a file is checked before it is sent, and can be replaced until then

/** The gateway detects a PDF by this header in the first bytes, whatever its name or type. */
const header = '%PDF-';
const headerWithinBytes = 1024;

/** The message about the file, empty if it is fine; a `blocked` one can't be sent at all. */
async function faultOf(file, { maxBytes, tooLarge, empty, unreadable, notPdf }) {
  if (file.size > Number(maxBytes)) return { message: tooLarge, blocked: true };
  if (file.size === 0) return { message: empty, blocked: true };
  try {
    const isPdf = (await file.slice(0, headerWithinBytes).text()).includes(header);
    return isPdf ? { message: '', blocked: false } : { message: notPdf, blocked: false };
  } catch {
    return { message: unreadable, blocked: true };
  }
}

function prepareForm() {
  const form = document.querySelector('form[data-max-bytes]:not([data-prepared])');
  if (!form) return;
  form.dataset.prepared = '';
  const input = form.querySelector('input[type=file]');
  const notice = form.querySelector('[role=alert]');
  const button = form.querySelector('button');
  const label = button.querySelector('[data-label]');
  const send = label.textContent;
  /** The result for the chosen file; undefined until it is checked. */
  let fault;

  const check = async () => {
    const [file] = input.files;
    const result = file && (await faultOf(file, form.dataset));
    if (file !== input.files[0]) return;
    fault = result;
    notice.textContent = fault?.message ?? '';
    notice.classList.toggle('error', fault?.blocked === true);
    input.setAttribute('aria-invalid', String(fault?.blocked === true));
    label.textContent = fault?.message && !fault.blocked ? form.dataset.sendAnyway : send;
    button.classList.toggle('primary', !fault?.message);
  };
  input.addEventListener('change', () => {
    fault = undefined;
    button.removeAttribute('aria-disabled');
    void check();
  });
  // The first press only shows a fault; the next one sends the file.
  const checkThenSend = async () => {
    await check();
    if (fault && !fault.message) form.requestSubmit();
  };
  form.addEventListener('submit', (event) => {
    if (button.getAttribute('aria-disabled') === 'true' || fault?.blocked)
      return event.preventDefault();
    if (!fault) {
      event.preventDefault();
      return void checkThenSend();
    }
    // Offline, the browser would replace the page with its own error, and lose the chosen file.
    notice.textContent = navigator.onLine ? fault.message : form.dataset.offline;
    if (!navigator.onLine) return event.preventDefault();
    button.setAttribute('aria-disabled', 'true');
    label.textContent = form.dataset.sending;
    announce(form.dataset.sending);
  });
}

function prepare() {
  for (const live of document.querySelectorAll('[data-live]')) live.hidden = false;
  countDown();
  localiseTimes();
  prepareForm();
}

let current;
if (payment()) {
  prepare();
  if (payment().dataset.final === undefined) {
    current = keepCurrent({ read, unread: showUnread, firstMs: pollMs });
    follow();
  }
}
addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-check]')) current?.check();
});
