// Follows the payment: reloads the page when the server reports a change, and counts down the time.
const pollEveryMs = 10_000;
const payment = () => document.querySelector('[data-payment]');

function announce(text) {
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = text;
}

// The newest page

let loading = false;

function refresh() {
  if (loading) return;
  loading = true;
  const request = new XMLHttpRequest();
  request.responseType = 'document';
  request.open('GET', location.pathname);
  request.timeout = 10_000;
  request.addEventListener('load', () => show(request.response));
  request.addEventListener('loadend', () => {
    loading = false;
  });
  request.send();
}

/**
 * Shows the new page, but only if its state has changed. A file that was already chosen stays
 * chosen.
 */
function show(page) {
  const [current, next] = [payment(), page?.querySelector('[data-payment]')];
  if (!current || !next || current.dataset.payment === next.dataset.payment) return;
  const focused = current.contains(document.activeElement) ? document.activeElement : undefined;
  const shown = document.importNode(next, true);
  const form = current.querySelector('form[data-max-bytes]');
  const emptyForm =
    form?.querySelector('input').files.length > 0 && shown.querySelector('form[data-max-bytes]');
  if (emptyForm) emptyForm.replaceWith(form);
  current.replaceWith(shown);
  document.title = page.title;
  if (focused) (shown.contains(focused) ? focused : document.getElementById('content')).focus();
  announce(shown.dataset.title);
  prepare();
}

// Notifications of changes

let source;

function follow() {
  if (payment().dataset.final !== undefined) return source?.close();
  if (source) return;
  source = new EventSource(
    `${location.pathname}/events?seen=${encodeURIComponent(payment().dataset.payment)}`,
  );
  source.addEventListener('changed', refresh);
}

// Without a stream the page is polled.
setInterval(() => {
  const open = source?.readyState === EventSource.OPEN;
  if (!open && !document.hidden && payment().dataset.final === undefined) refresh();
}, pollEveryMs);

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && payment().dataset.final === undefined) refresh();
});
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

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
    setTimeout(refresh, 500);
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
    button.setAttribute('aria-disabled', 'true');
    label.textContent = form.dataset.sending;
    announce(form.dataset.sending);
  });
}

function prepare() {
  for (const live of document.querySelectorAll('[data-live]')) live.hidden = false;
  countDown();
  prepareForm();
  follow();
}

if (payment()) prepare();
