// Follows the payment: loads the page again when the server says that it has changed, and counts
// down the time.
const pollEveryMs = 10_000;
const payment = () => document.querySelector('[data-payment]');

function announce(text) {
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = text;
}

// The newest page

let asking = false;

function refresh() {
  if (asking) return;
  asking = true;
  const request = new XMLHttpRequest();
  request.responseType = 'document';
  request.open('GET', location.pathname);
  request.timeout = 10_000;
  request.addEventListener('load', () => show(request.response));
  request.addEventListener('loadend', () => {
    asking = false;
  });
  request.send();
}

/**
 * Shows the new page, but only if its state is another one. A file that was already chosen stays
 * chosen.
 */
function show(page) {
  const [now, next] = [payment(), page?.querySelector('[data-payment]')];
  if (!now || !next || now.dataset.payment === next.dataset.payment) return;
  const focused = now.contains(document.activeElement) ? document.activeElement : undefined;
  const shown = document.importNode(next, true);
  const form = now.querySelector('form[data-max-bytes]');
  const kept =
    form?.querySelector('input').files.length > 0 && shown.querySelector('form[data-max-bytes]');
  if (kept) kept.replaceWith(form);
  now.replaceWith(shown);
  document.title = page.title;
  if (focused) (shown.contains(focused) ? focused : document.getElementById('content')).focus();
  announce(shown.dataset.title);
  prepare();
}

// Word of changes

let source;

function follow() {
  if (payment().dataset.final !== undefined) return source?.close();
  if (source) return;
  source = new EventSource(
    `${location.pathname}/events?seen=${encodeURIComponent(payment().dataset.payment)}`,
  );
  source.addEventListener('changed', refresh);
}

// Without a stream the page is asked for again and again.
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

// The time that is left, by the server's clock: this one's may be wrong

let ticking;

function countDown() {
  clearInterval(ticking);
  const countdown = document.querySelector('[data-left-ms]');
  if (!countdown) return;
  const endsAt = performance.now() + Number(countdown.dataset.leftMs);
  countdown.querySelector('[data-label]').textContent = countdown.dataset.left;
  const said = new Set();
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
      if (left !== mark * 60 || said.has(mark)) continue;
      said.add(mark);
      announce(countdown.getAttribute(`data-minutes-${mark}`));
    }
    if (left > 0) return;
    clearInterval(ticking);
    // A moment later, when the server's clock has passed it too.
    setTimeout(refresh, 500);
  };
  ticking = setInterval(tick, 1000);
  tick();
}

// The receipt: what is wrong with a file is said before it is sent, and another one may be chosen
// until it is

/** As the gateway tells a PDF: the header is within the first bytes, whatever the name or type. */
const header = '%PDF-';
const headerWithinBytes = 1024;

/**
 * Why the file should not be sent as it is: `blocked` files can't be, others may be all the same.
 */
async function faultOf(file, { maxBytes, tooLarge, empty, unreadable, notPdf }) {
  if (file.size > Number(maxBytes)) return { says: tooLarge, blocked: true };
  if (file.size === 0) return { says: empty, blocked: true };
  try {
    const isPdf = (await file.slice(0, headerWithinBytes).text()).includes(header);
    return isPdf ? { says: '', blocked: false } : { says: notPdf, blocked: false };
  } catch {
    return { says: unreadable, blocked: true };
  }
}

function prepareForm() {
  const form = document.querySelector('form[data-max-bytes]:not([data-prepared])');
  if (!form) return;
  form.dataset.prepared = '';
  const input = form.querySelector('input[type=file]');
  const says = form.querySelector('[role=alert]');
  const button = form.querySelector('button');
  const label = button.querySelector('[data-label]');
  const send = label.textContent;
  /** Of the file that is chosen now; undefined until it was looked at. */
  let fault;

  const look = async () => {
    const [file] = input.files;
    const found = file && (await faultOf(file, form.dataset));
    if (file !== input.files[0]) return;
    fault = found;
    says.textContent = fault?.says ?? '';
    says.classList.toggle('error', fault?.blocked === true);
    input.setAttribute('aria-invalid', String(fault?.blocked === true));
    label.textContent = fault?.says && !fault.blocked ? form.dataset.sendAnyway : send;
    button.classList.toggle('primary', !fault?.says);
  };
  input.addEventListener('change', () => {
    fault = undefined;
    button.removeAttribute('aria-disabled');
    void look();
  });
  // The first press only says what is wrong; the next one sends the file.
  const lookFirst = async () => {
    await look();
    if (fault && !fault.says) form.requestSubmit();
  };
  form.addEventListener('submit', (event) => {
    if (button.getAttribute('aria-disabled') === 'true' || fault?.blocked)
      return event.preventDefault();
    if (!fault) {
      event.preventDefault();
      return void lookFirst();
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
