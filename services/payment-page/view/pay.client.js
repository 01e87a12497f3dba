// Follows the payment: asks for the page again when the server says that it is another, and counts the time down.
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

/** Another state takes the place of this one; the same one stays, with whatever is filled in. */
function show(page) {
  const [now, next] = [payment(), page?.querySelector('[data-payment]')];
  if (!now || !next || now.dataset.payment === next.dataset.payment) return;
  const focused = now.contains(document.activeElement);
  now.replaceWith(document.importNode(next, true));
  document.title = page.title;
  // The number of an operation is shown or not, as its state has it.
  const [foot, nextFoot] = [document.querySelector('footer'), page.querySelector('footer')];
  if (foot && !nextFoot) foot.remove();
  if (focused) document.getElementById('content').focus();
  announce(payment().dataset.title);
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

// No stream, because none is to be had: then by asking.
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
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
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

// The receipt

function prepareForm() {
  const form = document.querySelector('form[data-max-bytes]');
  const input = form?.querySelector('input[type=file]');
  if (!input) return;
  input.addEventListener('change', () => {
    const tooLarge = input.files.length > 0 && input.files[0].size > Number(form.dataset.maxBytes);
    input.setCustomValidity(tooLarge ? form.dataset.tooLarge : '');
    input.setAttribute('aria-invalid', String(tooLarge));
    if (tooLarge) input.reportValidity();
  });
  form.addEventListener('submit', (event) => {
    const button = form.querySelector('button');
    if (button.getAttribute('aria-disabled') === 'true') return event.preventDefault();
    button.setAttribute('aria-disabled', 'true');
    button.querySelector('[data-label]').textContent = form.dataset.sending;
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
